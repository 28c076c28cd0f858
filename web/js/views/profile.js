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
  placeSymbols();
  const page = new ProfilePage(root, app, user);
  return () => page.view.stop();
}

class ProfilePage {
  /** @type {Profile | null} */ profile = null;
  missing = false;
  /** @type {Record<string, import('../ui/rating-graph.js').RatingChange[]>} By rating pool. */ changes = {};
  /** Whose own lists have been asked for. */ asked = '';
  filters = noFilters();

  /** @param {HTMLElement} root @param {import('../app.js').App} app @param {string} user */
  constructor(root, app, user) {
    this.app = app;
    this.user = user;
    const changed = () => this.view.refresh();
    /** @type {Record<'blocks' | 'mutes', Fetched<import('../protocol.js').UserView[]>>} */
    this.lists = { blocks: new Fetched('/me/blocks', changed), mutes: new Fetched('/me/mutes', changed) };
    /** @type {Pages<import('../protocol.js').GameSummary>} */
    this.pages = new Pages(changed);
    this.view = liveView(root, app, () => this.#render());
    void this.#load();
    this.#loadGames();
  }

  async #load() {
    const path = `/users/${encodeURIComponent(this.user)}`;
    try {
      /** @type {Profile} */
      const profile = await get(path);
      this.profile = profile;
      this.view.refresh();
      for (const { pool } of profile.ratings) {
        /** @type {{items: import('../ui/rating-graph.js').RatingChange[]}} */
        const page = await list(`${path}/ratings/${pool}`, { limit: '200' });
        this.changes[pool] = page.items.filter((change) => !change.annulled).reverse();
        this.view.refresh();
      }
    } catch {
      this.missing = this.profile === null;
      this.view.refresh();
    }
  }

  #loadGames() {
    void this.pages.load('/games', { player: this.user, ...this.filters, limit: '20' });
  }

  /** Asks for one's own lists as soon as it is known who one is. */
  #learn() {
    const me = this.app.store.state().me?.id ?? '';
    if (!me || this.asked === me) return;
    this.asked = me;
    void this.lists.blocks.load();
    void this.lists.mutes.load();
  }

  #render() {
    const { app, profile } = this;
    const { t } = app;
    this.#learn();
    if (!profile) {
      const words = t(this.missing ? 'profile.missing' : 'list.loading');
      return [h('section.page.center', { key: 'wait' }, h('p.hint', { role: 'status' }, words))];
    }
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
          conductActions(app, profile, this.lists),
        profile.ratings.length === 0 && h('p.hint', null, t('profile.unrated')),
        h(
          'div.ratings',
          null,
          profile.ratings.map((rating) => this.#ratingCard(rating)),
        ),
        h('h2', null, t('profile.games')),
        ...gameHistory(app, this.pages, this.filters, { results: true, changed: () => this.#loadGames() }),
      ),
    ];
  }

  /** @param {RatingView} rating */
  #ratingCard(rating) {
    const { app } = this;
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
      ratingGraph(app, this.changes[rating.pool] ?? []),
      rating.provisional && h('p.hint', null, t('profile.provisional')),
    );
  }
}
