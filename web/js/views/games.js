/** All games, newest first. */

import { placeSymbols } from '../board/symbols.js';
import { h } from '../ui/dom.js';
import { gameHistory, noFilters } from '../ui/history.js';
import { Pages } from '../ui/pages.js';
import { liveView } from '../ui/view.js';

/** @type {import('../app.js').Mount} */
export function mount(root, app) {
  placeSymbols();
  const filters = noFilters();
  /** @type {Pages<import('../protocol.js').GameSummary>} */
  const pages = new Pages(() => view.refresh());
  const load = () =>
    void pages.load('/games', {
      variant: filters.variant,
      status: filters.status,
      rated: filters.rated,
      limit: '30',
    });
  const view = liveView(root, app, () => [
    h(
      'section.page',
      { key: 'games' },
      h('h1', null, app.t('games.title')),
      ...gameHistory(app, pages, filters, { results: false, changed: load }),
    ),
  ]);
  load();
  return () => view.stop();
}
