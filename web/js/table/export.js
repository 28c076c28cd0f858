/** Links to the record of a game in the formats of the server. */

import { h } from '../ui/dom.js';

/**
 * @param {import('../app.js').App} app
 * @param {string} game
 * @param {string} _variant
 */
export function exportLinks({ t }, game, _variant) {
  return h('a.button.small', { key: 'export', href: `/api/v1/games/${game}`, download: `${game}.json` }, t('export.record'));
}
