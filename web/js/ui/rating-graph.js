/** A rating over its games: the line, the band of its deviation, and a ring while the first thirty games form it. */

import { h } from './dom.js';

/** @typedef {{rating: number, deviation: number}} Numbers */
/** @typedef {{game: string, user: string, at: number, number: number, before: Numbers, after: Numbers, aged_deviation?: number, pairs?: {opponent: string, score: number, expected: number, weight: number, points: number}[], annulled?: boolean}} RatingChange */

const WIDTH = 640;
const HEIGHT = 220;
const LEFT = 66;
const PAD = 12;
/** Games after which a rating can be settled. */
export const FORMING = 30;

/**
 * Points of the graph. Pure.
 * @param {RatingChange[]} changes Oldest first.
 */
export function graphPoints(changes) {
  const first = changes[0];
  if (!first) return null;
  const all = [{ ...first.before }, ...changes.map((change) => change.after)];
  const low = Math.floor(Math.min(...all.map((point) => point.rating - point.deviation)) / 100) * 100;
  const high = Math.ceil(Math.max(...all.map((point) => point.rating + point.deviation)) / 100) * 100;
  const x = (/** @type {number} */ index) =>
    LEFT + (index / Math.max(1, all.length - 1)) * (WIDTH - LEFT - PAD);
  const y = (/** @type {number} */ rating) =>
    PAD + (1 - (rating - low) / Math.max(1, high - low)) * (HEIGHT - 2 * PAD);
  const points = all.map((point, index) => ({
    x: x(index),
    y: y(point.rating),
    top: y(point.rating + point.deviation),
    bottom: y(point.rating - point.deviation),
  }));
  const step = high - low > 800 ? 200 : 100;
  const lines = Array.from({ length: Math.floor((high - low) / step) + 1 }, (_, index) => ({
    rating: low + index * step,
    y: y(low + index * step),
  }));
  return { points, lines };
}

/**
 * @param {import('../app.js').App} app
 * @param {RatingChange[]} changes Oldest first.
 */
export function ratingGraph({ t }, changes) {
  const graph = graphPoints(changes);
  const last = changes.at(-1);
  if (!graph || !last) return null;
  const { points, lines } = graph;
  const at = (/** @type {number} */ x, /** @type {number} */ y) => `${x.toFixed(1)} ${y.toFixed(1)}`;
  const band = `M${points.map((point) => at(point.x, point.top)).join('L')}L${[...points]
    .reverse()
    .map((point) => at(point.x, point.bottom))
    .join('L')}z`;
  const words = t('profile.graph', {
    games: last.number,
    rating: Math.round(last.after.rating),
    deviation: Math.round(last.after.deviation),
  });
  return h(
    'svg.graph',
    { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: 'img', 'aria-label': words },
    lines.map((line) =>
      h(
        'g',
        { key: String(line.rating) },
        h('path.grid-line', { d: `M${LEFT} ${line.y}H${WIDTH - PAD}` }),
        h('text', { x: LEFT - 8, y: line.y + 6 }, line.rating),
      ),
    ),
    h('path.band', { d: band }),
    h('path.rating-line', { d: `M${points.map((point) => at(point.x, point.y)).join('L')}` }),
    h('circle.now', { cx: points.at(-1)?.x ?? 0, cy: points.at(-1)?.y ?? 0, r: 4.5 }),
  );
}

/**
 * The ring of the first thirty games.
 * @param {import('../app.js').App} app
 * @param {number} games
 */
export function formingRing({ t }, games) {
  const share = Math.min(1, games / FORMING);
  const length = 2 * Math.PI * 16;
  return h(
    'svg.forming',
    {
      viewBox: '0 0 40 40',
      role: 'img',
      'aria-label': t('profile.forming', { games: Math.min(games, FORMING), all: FORMING }),
    },
    h('circle.track', { cx: 20, cy: 20, r: 16 }),
    h('circle.done', {
      cx: 20,
      cy: 20,
      r: 16,
      'stroke-dasharray': `${(share * length).toFixed(2)} ${length.toFixed(2)}`,
      transform: 'rotate(-90 20 20)',
    }),
    h('text', { x: 20, y: 24 }, Math.min(games, FORMING)),
  );
}
