/** The best of each pool: settled ratings only. */

import { variantName } from '../names.js';
import { h } from '../ui/dom.js';
import { Pages } from '../ui/pages.js';
import { liveView } from '../ui/view.js';

/** @typedef {{pool: string, rating: number, deviation: number, provisional: boolean, games: number, at?: number}} RatingView */
/** @typedef {import('../app.js').App} App */
/** @typedef {{user: import('../protocol.js').UserView, rating: RatingView}} Entry */

/** The rating pools, in the order of the variants. @param {Iterable<import('../protocol.js').VariantInfo>} infos */
export function poolsOf(infos) {
  return [...new Set([...infos].map((info) => info.pool))];
}

/** @param {App} app @param {string} pool */
export function poolName(app, pool) {
  const info = app.infos.get(pool);
  return info ? variantName(app.t, info) : app.t(`pool.${pool}`);
}

/** @type {import('../app.js').Mount} */
export function mount(root, app, _params, query) {
  const pools = poolsOf(app.infos.values());
  let pool = pools.find((name) => name === query.get('pool')) ?? pools[0] ?? '';
  /** @type {Pages<Entry>} */
  const pages = new Pages(() => view.refresh());
  const load = () => void pages.load(`/leaderboards/${pool}`, { limit: '50' });
  const choose = (/** @type {string} */ chosen) => {
    pool = chosen;
    load();
  };
  const view = liveView(root, app, () => {
    const { t } = app;
    return [
      h(
        'section.page.narrow',
        { key: 'boards' },
        h('h1', null, t('leaderboards.title')),
        h('p.lead', null, t('leaderboards.lead')),
        poolChoice(app, pools, pool, choose),
        pages.items.length === 0 ? nobody(app, pages.state) : entryTable(app, pool, pages.items),
        pages.next && h('button', { onclick: () => void pages.more() }, t('list.more')),
      ),
    ];
  });
  load();
  return () => view.stop();
}

/** @param {App} app @param {string[]} pools @param {string} chosen @param {(pool: string) => void} choose */
function poolChoice(app, pools, chosen, choose) {
  return h(
    'div.choices',
    { role: 'group', 'aria-label': app.t('leaderboards.pool') },
    pools.map((pool) =>
      h(
        'button',
        {
          key: pool,
          'aria-pressed': pool === chosen ? 'true' : 'false',
          class: pool === chosen ? 'chosen' : '',
          onclick: () => choose(pool),
        },
        poolName(app, pool),
      ),
    ),
  );
}

/** @param {App} app @param {Pages<Entry>['state']} state */
function nobody({ t }, state) {
  const isKnown = state !== 'loading' && state !== 'failed';
  const words = t(isKnown ? 'leaderboards.none' : state === 'loading' ? 'list.loading' : 'list.failed');
  return h(
    'div.empty',
    { role: 'status' },
    h('p.hint', null, words),
    isKnown && h('a.button', { href: '/queue' }, t('home.queue')),
  );
}

/** @param {App} app @param {string} pool @param {Entry[]} entries */
function entryTable(app, pool, entries) {
  const { t } = app;
  const me = app.store.state().me?.id;
  const columns = ['rank', 'player', 'rating', 'games'];
  const row = (/** @type {Entry} */ { user, rating }, /** @type {number} */ index) =>
    h(
      'tr',
      { key: user.id, class: user.id === me ? 'you' : '' },
      h('td', null, index + 1),
      h('td', null, h('a', { href: `/users/${user.id}` }, user.name)),
      h('td', null, h('b', null, rating.rating), h('small', null, ` ±${rating.deviation}`)),
      h('td', null, rating.games),
    );
  return h(
    'div.scroll-x',
    { tabindex: 0, role: 'region', 'aria-label': poolName(app, pool) },
    h(
      'table.board-table',
      null,
      h(
        'thead',
        null,
        h(
          'tr',
          null,
          columns.map((name) => h('th', { scope: 'col' }, t(`leaderboards.${name}`))),
        ),
      ),
      h('tbody', null, entries.map(row)),
    ),
  );
}
