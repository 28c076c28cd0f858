/** Where the server is: at the root of its site, or under a path that the page names. */

/** The path before every address of the server, without a slash at its end. */
function base() {
  return document.documentElement.dataset.base ?? '';
}

/** @param {string} path A path of the server as it stands in the browser's address. */
export function at(path) {
  return base() + path;
}

/** @param {string} path A path of the browser's address as the server and the router know it. */
export function within(path) {
  const under = base();
  if (path === under) return '/';
  return path.startsWith(`${under}/`) ? path.slice(under.length) : path;
}

/** Where the browser is, as the router knows it. */
export function here() {
  return within(location.pathname);
}

/** @param {string} path The whole address, for others. */
export function linkTo(path) {
  return location.origin + at(path);
}
