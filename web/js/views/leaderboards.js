/** The best of each pool: settled ratings only. */

import { variantName } from '../names.js';
import { h } from '../ui/dom.js';
import { Pages } from '../ui/pages.js';
import { liveView } from '../ui/view.js';

/** @typedef {{pool: string, rating: number, deviation: number, provisional: boolean, games: number, at?: number}} RatingView */
/** @typedef {{user: import('../protocol.js').UserView, rating: RatingView}} Entry */

/** The rating pools, in the order of the variants. @param {Iterable<import('../protocol.js').VariantInfo>} infos */
export function poolsOf(infos) {
  return [...new Set([...infos].map((info) => info.pool))];
}

/** @param {import('../app.js').App} app @param {string} pool */
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
  const view = liveView(root, app, () => {
    const { t } = app;
    const me = app.store.state().me?.id;
    return [
      h(
        'section.page.narrow',
        { key: 'boards' },
        h('h1', null, t('leaderboards.title')),
        h('p.lead', null, t('leaderboards.lead')),
        h(
          'div.choices',
          { role: 'group', 'aria-label': t('leaderboards.pool') },
          pools.map((name) =>
            h(
              'button',
              {
                key: name,
                'aria-pressed': name === pool ? 'true' : 'false',
                class: name === pool ? 'chosen' : '',
                onclick: () => {
                  pool = name;
                  load();
                },
              },
              poolName(app, name),
            ),
          ),
        ),
        pages.items.length === 0
          ? h(
              'div.empty',
              { role: 'status' },
              h(
                'p.hint',
                null,
                t(
                  pages.state === 'loading'
                    ? 'list.loading'
                    : pages.state === 'failed'
                      ? 'list.failed'
                      : 'leaderboards.none',
                ),
              ),
              pages.state !== 'loading' &&
                pages.state !== 'failed' &&
                h('a.button', { href: '/queue' }, t('home.queue')),
            )
          : h(
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
                    ['rank', 'player', 'rating', 'games'].map((name) =>
                      h('th', { scope: 'col' }, t(`leaderboards.${name}`)),
                    ),
                  ),
                ),
                h(
                  'tbody',
                  null,
                  pages.items.map(({ user, rating }, index) =>
                    h(
                      'tr',
                      { key: user.id, class: user.id === me ? 'you' : '' },
                      h('td', null, index + 1),
                      h('td', null, h('a', { href: `/users/${user.id}` }, user.name)),
                      h('td', null, h('b', null, rating.rating), h('small', null, ` ±${rating.deviation}`)),
                      h('td', null, rating.games),
                    ),
                  ),
                ),
              ),
            ),
        pages.next && h('button', { onclick: () => void pages.more() }, t('list.more')),
      ),
    ];
  });
  load();
  return () => view.stop();
}
