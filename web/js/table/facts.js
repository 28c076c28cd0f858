/** What a table is about, in a few lines: the game and its time, who watches, and how late. */

import { lateText, variantName } from '../names.js';
import { timeText } from '../protocol.js';
import { stillPlays } from '../standing.js';
import { h } from '../ui/dom.js';

/**
 * @param {import('../app.js').App} app
 * @param {import('../protocol.js').VariantInfo} info
 * @param {import('../game.js').GameState} game
 * @param {import('../protocol.js').BoardView} board
 * @param {import('../ui/dom.js').Kid} otherBoard The way to the other board of a match.
 */
export function facts({ t }, info, game, board, otherBoard) {
  const { time, rated, spectator_delay: delay = 0 } = game.setup;
  const over = Boolean(game.ending || game.aborted);
  const late = lateText(t, delay, game.you !== null);
  return h(
    'div.facts',
    null,
    h(
      'p',
      null,
      h('b', null, variantName(t, info)),
      ' ',
      timeText(time),
      ' · ',
      rated ? t('game.rated') : t('game.casual'),
    ),
    otherBoard,
    board.phase === 'ultimatum' && h('p.phase', null, t('table.ultimatum')),
    h(
      'p.hint',
      null,
      !stillPlays(game) && !over ? t('table.watching') : '',
      game.spectators > 0 && ` ${t('table.spectators', { n: game.spectators })}`,
    ),
    !over && late && h('p.hint.late', null, late),
  );
}
