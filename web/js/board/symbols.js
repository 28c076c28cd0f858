/**
 * Turns the drawn bodies into SVG symbols, once for the whole page.
 *
 * A living piece is a dark shell, three stacked strokes that make its glow, and a lit core; a fallen one is the same
 * silhouette in dead grey, hatched, with its core gone and the wreck that its faction leaves.
 */

import { svg } from '../ui/dom.js';
import { bone } from './bodies/bone.js';
import { chess } from './bodies/chess.js';
import { circuit } from './bodies/circuit.js';
import { idol } from './bodies/idol.js';
import { iron } from './bodies/iron.js';
import { xiangqiFirst, xiangqiSecond } from './bodies/xiangqi.js';

/**
 * @typedef {object} Drawing
 * @property {string} body The silhouette.
 * @property {string} lines Inner lines.
 * @property {[number, number, number][]} [eyes] Bone: hollows with light.
 * @property {[number, number, number, number]} [slot] Iron: the furnace slot.
 * @property {[number, number, number]} [flame] Idol: the spirit-fire.
 * @property {[number, number, number]} [chip] Circuit: the data-core.
 * @property {[number, number][]} [pads] Circuit: ends of traces.
 */
/** @typedef {{join: 'round' | 'miter' | 'bevel', disc?: boolean, pieces: Record<string, Drawing>, fallen: {settle: string, wreck: string}}} Body */

/** @type {Record<string, Body>} */
const BODIES = {
  bone,
  iron,
  idol,
  circuit,
  chess,
  'xiangqi-first': xiangqiFirst,
  'xiangqi-second': xiangqiSecond,
};

/** Fillings of the high-contrast palette. */
const PATTERNS = { iron: 'M0 3h6', idol: 'M0 0l6 6M-1 5l2 2M5-1l2 2', circuit: 'M3 0v6' };
/** The corner mark of each tint: disc, square, triangle, diamond. */
const MARKS = {
  bone: 'M10 3a7 7 0 1 1 0 14a7 7 0 1 1 0-14z',
  iron: 'M4 4h12v12H4z',
  idol: 'M10 2l8 15H2z',
  circuit: 'M10 1l9 9-9 9-9-9z',
};

/** The names of all bodies that can be drawn. */
export const BODY_NAMES = Object.keys(BODIES);

/** @param {string} body @param {string} letter Whether a body has a drawing for a piece letter. */
export function isDrawn(body, letter) {
  return BODIES[body]?.pieces[letter] !== undefined;
}

/** @type {SVGDefsElement | null} */
let defs = null;
/** @type {Set<string>} */
const placed = new Set();

/**
 * Puts the symbols of some bodies into the page, once each.
 * @param {Iterable<string>} names All, when not given.
 */
export function placeSymbols(names = BODY_NAMES) {
  if (!defs) {
    defs = svg('defs');
    defs.append(hatch('hatch-dead', 'M0 0l6 6M-1 5l2 2M5-1l2 2'));
    for (const [tint, d] of Object.entries(PATTERNS))
      defs.append(hatch(`pattern-${tint}`, d, `hatch-${tint}`));
    for (const [tint, d] of Object.entries(MARKS))
      defs.append(svg('symbol', { id: `mark-${tint}`, viewBox: '0 0 20 20' }, svg('path', { d })));
    document.body.prepend(
      svg('svg', { class: 'symbols', width: 0, height: 0, 'aria-hidden': 'true', focusable: 'false' }, defs),
    );
  }
  for (const name of names) {
    const body = BODIES[name];
    if (!body || placed.has(name)) continue;
    placed.add(name);
    for (const [letter, drawing] of Object.entries(body.pieces)) {
      defs.append(
        symbol(`${name}-${letter}`, living(body, drawing)),
        symbol(`${name}-${letter}-fallen`, fallen(body, drawing)),
      );
    }
  }
}

/** @param {string} id @param {Element[]} content */
function symbol(id, content) {
  return svg('symbol', { id, viewBox: '0 0 100 100', overflow: 'visible' }, ...content);
}

/** @param {string} id @param {string} d @param {string} name */
function hatch(id, d, name = 'hatch') {
  return svg(
    'pattern',
    { id, width: 6, height: 6, patternUnits: 'userSpaceOnUse' },
    svg('path', { d, class: name }),
  );
}

/** @param {Body} body @param {Drawing} drawing */
function living(body, drawing) {
  const strokes = drawing.body + (body.disc ? '' : padPath(drawing));
  if (body.disc) {
    return [
      svg('circle', { cx: 50, cy: 50, r: 43, class: 'disc' }),
      svg('circle', { cx: 50, cy: 50, r: 43, class: 'glow-middle' }),
      svg('circle', { cx: 50, cy: 50, r: 43, class: 'glow-thin' }),
      svg('circle', { cx: 50, cy: 50, r: 36.5, class: 'inner-ring' }),
      ...(drawing.body ? [svg('path', { d: drawing.body, class: 'solid' })] : []),
      svg('path', { d: drawing.lines, class: drawing.body ? 'cut' : 'written' }),
    ];
  }
  return [
    svg('path', { d: drawing.body, class: 'shell' }),
    svg('path', { d: strokes, class: 'glow-wide', 'stroke-linejoin': body.join }),
    svg('path', { d: strokes, class: 'glow-middle', 'stroke-linejoin': body.join }),
    svg('path', { d: strokes, class: 'glow-thin', 'stroke-linejoin': body.join }),
    svg('path', { d: drawing.lines, class: 'inner', 'stroke-linejoin': body.join }),
    ...core(drawing),
  ];
}

/** @param {Drawing} drawing */
function padPath(drawing) {
  return (drawing.pads ?? [])
    .map(([x, y]) => `M${x - 3.5} ${y}a3.5 3.5 0 1 1 7 0a3.5 3.5 0 1 1-7 0z`)
    .join('');
}

/** @param {Drawing} drawing */
function core(drawing) {
  /** @type {Element[]} */
  const lights = [];
  for (const [cx, cy, r] of drawing.eyes ?? []) {
    lights.push(
      svg('circle', { cx, cy, r: r + 3.5, class: 'halo' }),
      svg('circle', { cx, cy, r: r * 0.72, class: 'core' }),
    );
  }
  if (drawing.slot) {
    const [x, y, width, height] = drawing.slot;
    lights.push(
      svg('rect', { x: x - 3, y: y - 3, width: width + 6, height: height + 6, class: 'halo' }),
      svg('rect', { x, y, width, height, class: 'core' }),
    );
    lights.push(
      svg('path', {
        d: `M${x + width / 3} ${y}v${height}M${x + (2 * width) / 3} ${y}v${height}`,
        class: 'grate',
      }),
    );
  }
  if (drawing.flame) {
    const [x, y, r] = drawing.flame;
    const drop = (/** @type {number} */ s) =>
      `M${x} ${y - s * 1.7}q${s * 1.3} ${s * 1.5} ${s} ${s * 2.1}a${s} ${s} 0 0 1 ${-2 * s} 0q${-s * 0.3} ${-s * 0.6} ${s} ${-s * 2.1}z`;
    lights.push(
      svg('path', { d: drop(r * 1.6), class: 'halo' }),
      svg('path', { d: drop(r * 0.9), class: 'core' }),
    );
  }
  if (drawing.chip) {
    const [x, y, size] = drawing.chip;
    const third = size / 3;
    lights.push(svg('rect', { x: x - 2, y: y - 2, width: size + 4, height: size + 4, class: 'halo' }));
    lights.push(svg('rect', { x: x + 2, y: y + 2, width: size - 4, height: size - 4, class: 'core' }));
    lights.push(
      svg('path', {
        d: [1, 2]
          .map(
            (n) =>
              `M${x + n * third} ${y - 3}v4M${x + n * third} ${y + size - 1}v4M${x - 3} ${y + n * third}h4M${x + size - 1} ${y + n * third}h4`,
          )
          .join(''),
        class: 'inner',
      }),
    );
  }
  return lights;
}

/** @param {Body} body @param {Drawing} drawing */
function fallen(body, drawing) {
  const { settle, wreck } = body.fallen;
  const hull = svg(
    'g',
    settle ? { transform: settle } : {},
    svg('path', { d: drawing.body, class: 'dead-shell', 'stroke-linejoin': body.join }),
    svg('path', { d: drawing.body, class: 'dead-hatch', fill: 'url(#hatch-dead)' }),
    ...hollows(drawing),
  );
  return [
    hull,
    ...(wreck
      ? [svg('path', { d: wreck, class: 'wreck-gap' }), svg('path', { d: wreck, class: 'wreck' })]
      : []),
    svg('path', { d: 'M34 97h32', class: 'dead-tag' }),
  ];
}

/** @param {Drawing} drawing The places where the light was. */
function hollows(drawing) {
  /** @type {Element[]} */
  const empty = (drawing.eyes ?? []).map(([cx, cy, r]) => svg('circle', { cx, cy, r, class: 'hollow' }));
  if (drawing.slot) {
    const [x, y, width, height] = drawing.slot;
    empty.push(svg('rect', { x, y, width, height, class: 'hollow' }));
  }
  if (drawing.flame) empty.push(svg('path', { d: drawing.lines, class: 'hollow-line' }));
  if (drawing.chip) {
    const [x, y, size] = drawing.chip;
    empty.push(svg('rect', { x, y, width: size, height: size, class: 'hollow' }));
  }
  return empty;
}
