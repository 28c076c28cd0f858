/** Starts the client: settings, words, connection, and then the view that the address names. */

import { identify, variants } from './api.js';
import { at, here, within } from './base.js';
import { loadLanguage } from './i18n/load.js';
import { matchRoute } from './router.js';
import { createSettings, isCalm } from './settings.js';
import { Shell } from './shell.js';
import { Socket } from './socket.js';
import { createSound } from './sound.js';
import { createStore } from './store.js';

// What is needed first is asked for first: the boards' shapes, and the view of this address.
const early = variants().catch(() => null);
matchRoute(here())
  ?.route.load()
  .catch(() => undefined); // `show` loads it again and meets what is wrong
const store = createStore();
const settings = createSettings();
const scheme = location.protocol === 'https:' ? 'wss' : 'ws';
const socket = new Socket(store, {
  url: `${scheme}://${location.host}${at('/api/v1/ws')}`,
  identify: async () => store.dispatch({ kind: 'me', user: await identify() }),
});

/** @type {import('./app.js').App} */
const app = {
  store,
  socket,
  settings,
  t: await loadLanguage(settings.get().language),
  infos: new Map(),
  go,
  announce: (text, urgent) => shell.announce(text, urgent),
  notify: (text, kind) => shell.notify(text, kind),
  sound: createSound(() => settings.get().sound === 'on'),
  calm: () => isCalm(settings.get()),
};
const shell = new Shell(app);

/** @type {(() => void) | null} */
let unmount = null;
/** Counts the changes of address, so that a view that loads late is not shown over a later one. */
let visit = 0;

/** @param {string} path @param {{replace?: boolean}} [options] */
function go(path, { replace = false } = {}) {
  if (replace) history.replaceState(null, '', at(path));
  else history.pushState(null, '', at(path));
  void show();
}

async function show() {
  visit += 1;
  const mine = visit;
  const found = matchRoute(here());
  const module = await (found ? found.route.load() : import('./views/missing.js'));
  if (mine !== visit) return;
  unmount?.();
  scrollTo(0, 0);
  const root = shell.stage(here());
  unmount = module.mount(root, app, found?.params ?? {}, new URLSearchParams(location.search));
  // After the frame that shows it: what is likely next, so that a game opens without waiting for its view.
  requestAnimationFrame(() =>
    setTimeout(() =>
      matchRoute('/game/next')
        ?.route.load()
        .catch(() => undefined),
    ),
  );
}

addEventListener('popstate', () => void show());
document.addEventListener('click', (event) => {
  if (
    event.defaultPrevented ||
    event.button !== 0 ||
    event.metaKey ||
    event.ctrlKey ||
    event.shiftKey ||
    event.altKey
  )
    return;
  const link = event.target instanceof Element ? event.target.closest('a[href^="/"]') : null;
  const path = within(link?.getAttribute('href') ?? '/');
  if (!link || link.hasAttribute('download') || path.startsWith('/api/')) return;
  event.preventDefault();
  go(path);
});

let language = settings.get().language;
settings.subscribe(() => {
  if (settings.get().language === language) return;
  language = settings.get().language;
  void loadLanguage(language).then((t) => {
    app.t = t;
    shell.redraw();
    return show();
  });
});

store.subscribe((state) => {
  const { started } = state;
  if (!started) return;
  store.dispatch({ kind: 'seen', what: 'started' });
  shell.offerGame(started.game);
});

/** How long the server's word about the end of a ready check may be on its way. */
const MATCH_GRACE = 2_000;

/** @type {number | undefined} */
let matchTimer;
store.subscribe(({ match }, before) => {
  if (match === before.match) return;
  clearTimeout(matchTimer);
  if (match)
    matchTimer = window.setTimeout(
      () => store.dispatch({ kind: 'match_over', match: match.match }),
      match.millis - (performance.now() - match.heardAt) + MATCH_GRACE,
    );
});

/** Asks until the server answers: without the shapes of its boards there is nothing to show. */
async function learnVariants() {
  for (let wait = 500; ; wait = Math.min(wait * 2, 8_000)) {
    try {
      return await variants();
    } catch {
      shell.redraw();
      await new Promise((resolve) => setTimeout(resolve, wait));
    }
  }
}

void socket.open();
for (const info of (await early) ?? (await learnVariants())) app.infos.set(info.variant, info);
await show();
