/** A player: ratings with their history, and games. */

import { get, list } from '../api.js';
import { conductActions } from '../account/conduct.js';
import { placeSymbols } from '../board/symbols.js';
import { h } from '../ui/dom.js';
import { Fetched } from '../ui/fetched.js';
import { gameHistory, noFilters } from '../ui/history.js';
import { Pages } from '../ui/pages.js';
import { formingRing, ratingGraph } from '../ui/rating-graph.js';
import { liveView } from '../ui/view.js';
import { poolName } from './leaderboards.js';

/** @typedef {import('./leaderboards.js').RatingView} RatingView */
/** @typedef {import('../protocol.js').UserView & {created: number, deleted?: boolean, banned?: boolean, ratings: RatingView[]}} Profile */

/** @type {import('../app.js').Mount} */
export function mount(root, app, { user = '' }) {
  /** @type {Profile | null} */
  let profile = null;
  let missing = false;
  /** @type {Record<string, import('../ui/rating-graph.js').RatingChange[]>} */
  const changes = {};
  /** @type {Record<'blocks' | 'mutes', Fetched<import('../protocol.js').UserView[]>>} */
  const lists = {
    blocks: new Fetched('/me/blocks', () => view.refresh()),
    mutes: new Fetched('/me/mutes', () => view.refresh()),
  };
  let asked = '';
  placeSymbols();
  const filters = noFilters();
  /** @type {Pages<import('../protocol.js').GameSummary>} */
  const pages = new Pages(() => view.refresh());
  const loadGames = () =>
    void pages.load('/games', {
      player: user,
      variant: filters.variant,
      status: filters.status,
      rated: filters.rated,
      result: filters.result,
      limit: '20',
    });
  const view = liveView(root, app, () => render());

  async function load() {
    try {
      profile = await get(`/users/${encodeURIComponent(user)}`);
      view.refresh();
      for (const { pool } of profile?.ratings ?? []) {
        /** @type {{items: import('../ui/rating-graph.js').RatingChange[]}} */
        const page = await list(`/users/${encodeURIComponent(user)}/ratings/${pool}`, { limit: '200' });
        changes[pool] = page.items.filter((change) => !change.annulled).reverse();
        view.refresh();
      }
    } catch {
      missing = profile === null;
      view.refresh();
    }
  }

  /** Asks for one's own lists as soon as it is known who one is. */
  function learn() {
    const me = app.store.state().me?.id ?? '';
    if (!me || asked === me) return;
    asked = me;
    void lists.blocks.load();
    void lists.mutes.load();
  }

  function render() {
    const { t } = app;
    learn();
    if (!profile)
      return [
        h(
          'section.page.center',
          { key: 'wait' },
          h('p.hint', { role: 'status' }, t(missing ? 'profile.missing' : 'list.loading')),
        ),
      ];
    const since = new Intl.DateTimeFormat(t.language, { dateStyle: 'long' }).format(profile.created);
    return [
      h(
        'section.page',
        { key: 'profile' },
        h('p.eyebrow', null, t(`kind.${profile.kind}`)),
        h('h1', null, profile.name),
        h('p.hint', null, t('profile.since', { date: since })),
        profile.kind !== 'bot' &&
          !profile.deleted &&
          profile.id !== app.store.state().me?.id &&
          conductActions(app, profile, lists),
        profile.ratings.length === 0 && h('p.hint', null, t('profile.unrated')),
        h(
          'div.ratings',
          null,
          profile.ratings.map((rating) => ratingCard(rating)),
        ),
        h('h2', null, t('profile.games')),
        ...gameHistory(app, pages, filters, { results: true, changed: loadGames }),
      ),
    ];
  }

  /** @param {RatingView} rating */
  function ratingCard(rating) {
    const { t } = app;
    return h(
      'article.panel.rating',
      { key: rating.pool },
      h(
        'div.row',
        null,
        h(
          'div.number',
          null,
          h('h3', null, poolName(app, rating.pool)),
          h('b', null, rating.rating, rating.provisional && '?'),
          h('small', null, ` ±${rating.deviation} · ${t('profile.rated_games', { n: rating.games })}`),
        ),
        rating.provisional && formingRing(app, rating.games),
      ),
      ratingGraph(app, changes[rating.pool] ?? []),
      rating.provisional && h('p.hint', null, t('profile.provisional')),
    );
  }

  void load();
  loadGames();
  return () => view.stop();
}
