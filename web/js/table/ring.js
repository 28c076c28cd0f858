/** The turn ring: whose turn it is, in which order turns go round, and when yours comes. */

import { wearOf } from '../board/army-skins.js';
import { placeOfSide } from '../board/geometry.js';
import { armyName } from '../names.js';
import { h } from '../ui/dom.js';
import { seatsInTurn } from '../standing.js';
import { turnsUntil } from './timeline.js';

/** Middles of the four sides, clockwise from the bottom. */
const PLACES = [
  [40, 66],
  [14, 40],
  [40, 14],
  [66, 40],
];

/**
 * @param {import('../app.js').App} app
 * @param {import('../protocol.js').VariantInfo} info
 * @param {import('../protocol.js').BoardView} board
 * @param {string | null} you
 * @param {import('../board/geometry.js').View} view
 */
export function ring(app, info, board, you, view) {
  const alive = seatsInTurn(board);
  const spot = (/** @type {string} */ seat) =>
    PLACES[placeOfSide(info.armies.find((army) => army.letter === seat)?.side ?? 'south', view)] ?? [40, 40];
  const words = ringText(app, info, board, you);
  return h(
    'div.ring',
    { role: 'img', 'aria-label': words },
    h(
      'svg',
      { viewBox: '0 0 80 80', 'aria-hidden': 'true' },
      h('circle.track', { cx: 40, cy: 40, r: 26 }),
      alive.length > 1 && board.turn && arrows(alive.map(spot)),
      info.armies.map(({ letter }) => {
        const [cx = 40, cy = 40] = spot(letter);
        return h(
          'g',
          {
            key: letter,
            class: `seat tint-${wearOf(info, letter).tint}${board.turn === letter ? ' turn' : ''}${alive.includes(letter) ? '' : ' out'}`,
          },
          h('circle.halo-ring', { cx, cy, r: 12 }),
          h('circle.seat-dot', { cx, cy, r: 8 }),
        );
      }),
      you !== null &&
        board.turn &&
        board.turn !== you &&
        h('text.until', { x: 40, y: 46 }, String(turnsUntil(board, you) ?? '–')),
    ),
    h('span.ring-words', { 'aria-hidden': 'true' }, words),
  );
}

/** @param {number[][]} spots Small arrows between neighbours in turn order. */
function arrows(spots) {
  return h(
    'g',
    null,
    spots.map(([x1 = 0, y1 = 0], index) => {
      const [x2 = 0, y2 = 0] = spots[(index + 1) % spots.length] ?? [];
      const [mx, my] = [(x1 + x2) / 2 - 40, (y1 + y2) / 2 - 40];
      const length = Math.hypot(mx, my);
      if (length < 1) return h('path', { d: '' });
      const [px, py] = [40 + (mx / length) * 26, 40 + (my / length) * 26];
      const angle = (Math.atan2(y2 - y1, x2 - x1) * 180) / Math.PI;
      return h('path.ring-arrow', {
        d: 'M-3-3.5L3.5 0-3 3.5z',
        transform: `translate(${px} ${py}) rotate(${angle})`,
      });
    }),
  );
}

/**
 * @param {import('../app.js').App} app
 * @param {import('../protocol.js').VariantInfo} info
 * @param {import('../protocol.js').BoardView} board
 * @param {string | null} you
 */
export function ringText({ t }, info, board, you) {
  if (!board.turn) return t('ring.over');
  const until = you === null ? null : turnsUntil(board, you);
  if (until === 0) return t('ring.you');
  const army = armyName(t, info, board.turn);
  return until === null ? t('ring.other', { army }) : t('ring.until', { army, n: until });
}
