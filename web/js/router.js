/** From addresses to views. */

/** @typedef {{path: string, load: () => Promise<{mount: import('./app.js').Mount}>}} Route */

/** @type {Route[]} */
export const ROUTES = [
  { path: '/', load: () => import('./views/home.js') },
  { path: '/lobby/:lobby', load: () => import('./views/lobby.js') },
  { path: '/game/:game', load: () => import('./views/table.js') },
  { path: '/games', load: () => import('./views/games.js') },
  { path: '/users/:user', load: () => import('./views/profile.js') },
  { path: '/leaderboards', load: () => import('./views/leaderboards.js') },
  { path: '/queue', load: () => import('./views/queue.js') },
  { path: '/analysis', load: () => import('./views/analysis.js') },
  { path: '/rules/:variant', load: () => import('./views/rules.js') },
  { path: '/account', load: () => import('./views/account.js') },
  { path: '/settings', load: () => import('./views/settings.js') },
];

/** @param {string} part What is no text names nothing. */
function decoded(part) {
  try {
    return decodeURIComponent(part);
  } catch {
    return null;
  }
}

/**
 * @param {string} path
 * @param {Route[]} routes
 * @returns {{route: Route, params: Record<string, string>} | null}
 */
export function matchRoute(path, routes = ROUTES) {
  const parts = path.split('/').filter(Boolean);
  for (const route of routes) {
    const wanted = route.path.split('/').filter(Boolean);
    if (wanted.length !== parts.length) continue;
    /** @type {Record<string, string>} */
    const params = {};
    const fits = wanted.every((name, index) => {
      const part = parts[index] ?? '';
      if (!name.startsWith(':')) return name === part;
      const value = decoded(part);
      params[name.slice(1)] = value ?? '';
      return value !== null;
    });
    if (fits) return { route, params };
  }
  return null;
}
