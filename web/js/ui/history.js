/** Games with filters: used by the list of all games and by profiles. */

import { variantName } from '../names.js';
import { h } from './dom.js';
import { gameCard } from './game-card.js';

/** @typedef {{variant: string, status: string, rated: string, result: string}} Filters */

/** @returns {Filters} */
export function noFilters() {
  return { variant: '', status: '', rated: '', result: '' };
}

/** @param {import('../app.js').App} app @param {string} state @param {boolean} ofAll Nothing at all, whatever is asked for. */
function nothing({ t }, state, ofAll) {
  const empty = state !== 'loading' && state !== 'failed' && ofAll;
  return h(
    'div.empty',
    { key: 'none', role: 'status' },
    h(
      'p.hint',
      null,
      t(
        state === 'loading'
          ? 'list.loading'
          : state === 'failed'
            ? 'list.failed'
            : ofAll
              ? 'list.empty'
              : 'list.none',
      ),
    ),
    empty && h('a.button', { href: '/' }, t('home.play')),
  );
}

/**
 * @param {import('../app.js').App} app
 * @param {import('./pages.js').Pages<import('../protocol.js').GameSummary>} pages
 * @param {Filters} filters
 * @param {{results: boolean, changed: () => void}} options
 */
export function gameHistory(app, pages, filters, { results, changed }) {
  const isUnfiltered = Object.values(filters).every((value) => value === '');
  return [
    filterForm(app, filters, results, changed),
    pages.items.length === 0
      ? nothing(app, pages.state, isUnfiltered)
      : h(
          'ul.plain.panel',
          { key: 'list' },
          pages.items.map((game) => gameCard(app, game)),
        ),
    pages.next &&
      h(
        'button',
        { key: 'more', disabled: pages.state === 'loading', onclick: () => void pages.more() },
        app.t('list.more'),
      ),
  ];
}

/** @param {import('../app.js').App} app @param {Filters} filters @param {boolean} results Whether one may ask for results. @param {() => void} changed */
function filterForm(app, filters, results, changed) {
  const { t } = app;
  const select = (/** @type {keyof Filters} */ name, /** @type {[string, string][]} */ options) =>
    filterSelect(t, filters, name, options, changed);
  return h(
    'form.filters',
    {
      key: 'filters',
      'aria-label': t('filter.label'),
      onsubmit: (/** @type {Event} */ event) => event.preventDefault(),
    },
    select(
      'variant',
      [...app.infos.values()].map((info) => [info.variant, variantName(t, info)]),
    ),
    select('status', [
      ['running', t('game.running')],
      ['finished', t('filter.finished')],
      ['aborted', t('filter.aborted')],
    ]),
    select('rated', [
      ['true', t('game.rated')],
      ['false', t('game.casual')],
    ]),
    results &&
      select('result', [
        ['win', t('filter.win')],
        ['draw', t('filter.draw')],
        ['loss', t('filter.loss')],
      ]),
  );
}

/**
 * @param {import('../i18n/translate.js').Translate} t
 * @param {Filters} filters
 * @param {keyof Filters} name
 * @param {[string, string][]} options
 * @param {() => void} changed
 */
function filterSelect(t, filters, name, options, changed) {
  const choose = (/** @type {Event} */ event) => {
    filters[name] = /** @type {HTMLSelectElement} */ (event.target).value;
    changed();
  };
  return h(
    'label.filter',
    { key: name },
    h('span', null, t(`filter.${name}`)),
    h(
      'select',
      { value: filters[name], onchange: choose },
      [['', t('filter.any')], ...options].map(([value = '', words = '']) =>
        h('option', { key: value, value, selected: filters[name] === value }, words),
      ),
    ),
  );
}
