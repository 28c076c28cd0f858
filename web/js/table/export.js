/** Links to the record of a game in the formats of the server. */

import { h } from '../ui/dom.js';

/**
 * @param {import('../app.js').App} app
 * @param {string} game
 * @param {import('../protocol.js').VariantInfo} info
 */
export function exportLinks({ t }, game, info) {
  const crossShaped = info.holes.length > 0;
  return [
    h(
      'a.button.small',
      { key: 'record', href: `/api/v1/games/${game}/record`, download: `${game}.json` },
      t('export.record'),
    ),
    // PGN4 and FEN4 know cross-shaped boards of four only.
    crossShaped &&
      h(
        'a.button.small',
        { key: 'pgn4', href: `/api/v1/games/${game}/pgn4`, download: `${game}.pgn4` },
        'PGN4',
      ),
    crossShaped &&
      h(
        'a.button.small',
        { key: 'fen4', href: `/api/v1/games/${game}/fen4`, download: `${game}.fen4` },
        'FEN4',
      ),
  ];
}
