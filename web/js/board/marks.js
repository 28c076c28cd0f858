/** What is drawn over the squares to be understood at a glance: last moves, check, targets, selection, premove, arrows. */

import { svg } from '../ui/dom.js';

/** @typedef {import('./pieces.js').Corner} Corner */
/** @typedef {import('./army-skins.js').Tint} Tint */
/**
 * @typedef {object} Marks
 * @property {{from: string, to: string, tint: Tint, order: number}[]} last The latest moves, the newest with order 1.
 * @property {string[]} checks
 * @property {string | null} selected
 * @property {{to: string, captures: boolean}[]} targets
 * @property {{from: string, to: string} | null} premove
 * @property {{from: string, to: string} | null} pending A move on its way to the server.
 * @property {{from: string, to: string}[]} arrows Drawn by the player; equal squares mean a circle.
 */

/** @type {Marks} */
export const NO_MARKS = {
  last: [],
  checks: [],
  selected: null,
  targets: [],
  premove: null,
  pending: null,
  arrows: [],
};

/**
 * Marks that lie below the pieces.
 * @param {Marks} marks
 * @param {Corner} corner
 */
export function marksBelow(marks, corner) {
  /** @type {SVGElement[]} */
  const parts = [];
  for (const { from, to, tint, order } of marks.last) {
    const strength = order === 1 ? 'newest' : 'older';
    parts.push(
      at(corner(from), svg('path', { d: brackets(20), class: `bracket from tint-${tint} ${strength}` })),
    );
    parts.push(
      at(corner(to), svg('path', { d: brackets(26), class: `bracket to tint-${tint} ${strength}` })),
    );
  }
  if (marks.selected)
    parts.push(
      at(corner(marks.selected), svg('rect', { x: 2, y: 2, width: 96, height: 96, class: 'selected' })),
    );
  for (const [mark, name] of /** @type {const} */ ([
    [marks.premove, 'premove'],
    [marks.pending, 'pending'],
  ])) {
    if (!mark) continue;
    for (const square of [mark.from, mark.to])
      parts.push(at(corner(square), svg('rect', { x: 5, y: 5, width: 90, height: 90, rx: 8, class: name })));
  }
  return parts;
}

/**
 * Marks that lie above the pieces.
 * @param {Marks} marks
 * @param {Corner} corner
 */
export function marksAbove(marks, corner) {
  /** @type {SVGElement[]} */
  const parts = [];
  for (const { to, order, tint } of marks.last) {
    if (marks.last.length < 2) continue;
    const number = svg('text', { x: 89, y: 25, class: `order tint-${tint}` });
    number.textContent = String(marks.last.length - order + 1);
    parts.push(at(corner(to), number));
  }
  for (const square of marks.checks) {
    const sign = svg('text', { x: 14, y: 30, class: 'check-sign' });
    sign.textContent = '!';
    parts.push(
      at(
        corner(square),
        svg('circle', { cx: 50, cy: 50, r: 47, class: 'check-ring' }),
        svg('circle', { cx: 50, cy: 50, r: 39, class: 'check-ring inner' }),
        svg('circle', { cx: 14, cy: 18, r: 15, class: 'check-dot' }),
        sign,
      ),
    );
  }
  for (const { to, captures } of marks.targets) {
    const shape = captures
      ? svg('circle', { cx: 50, cy: 50, r: 44, class: 'target capture' })
      : svg('circle', { cx: 50, cy: 50, r: 13, class: 'target' });
    parts.push(at(corner(to), shape));
  }
  for (const { from, to } of marks.arrows)
    parts.push(
      from === to
        ? at(corner(from), svg('circle', { cx: 50, cy: 50, r: 45, class: 'circled' }))
        : arrow(corner(from), corner(to), 'drawn'),
    );
  if (marks.premove) parts.push(arrow(corner(marks.premove.from), corner(marks.premove.to), 'premove-arrow'));
  return parts;
}

/** @param {{x: number, y: number}} corner @param {SVGElement[]} parts */
function at({ x, y }, ...parts) {
  return svg('g', { transform: `translate(${x} ${y})` }, ...parts);
}

/** @param {number} length Four corners of a square. */
function brackets(length) {
  const far = 96;
  return `M4 ${4 + length}V4h${length}M${far - length} 4H${far}v${length}M${far} ${far - length}V${far}h-${length}M${4 + length} ${far}H4v-${length}`;
}

/**
 * @param {{x: number, y: number}} from
 * @param {{x: number, y: number}} to
 * @param {string} name
 */
export function arrow(from, to, name) {
  const [x1, y1, x2, y2] = [from.x + 50, from.y + 50, to.x + 50, to.y + 50];
  const length = Math.hypot(x2 - x1, y2 - y1) || 1;
  const [ux, uy] = [(x2 - x1) / length, (y2 - y1) / length];
  const [bx, by] = [x2 - ux * 34, y2 - uy * 34];
  const head = `M${x2 - ux * 4} ${y2 - uy * 4}L${bx - uy * 22} ${by + ux * 22}L${bx + uy * 22} ${by - ux * 22}z`;
  return svg(
    'g',
    { class: `arrow ${name}` },
    svg('path', { d: `M${x1 + ux * 20} ${y1 + uy * 20}L${bx} ${by}`, class: 'shaft' }),
    svg('path', { d: head, class: 'head' }),
  );
}
