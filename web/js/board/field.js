/** The still part of a board: squares or lines, river, palaces, edge labels. Drawn anew only when the board is turned. */

import { svg } from '../ui/dom.js';
import { edgeLabels, extent, parseSquare, toScreen } from './geometry.js';

/** @typedef {import('./geometry.js').Shape} Shape */
/** @typedef {import('./geometry.js').View} View */
/** @typedef {import('../protocol.js').VariantInfo} VariantInfo */

/** The side of a square in drawing units. */
export const UNIT = 100;
/** Room for the labels left of the board and below it. */
export const MARGIN = 46;
/** Room at the other two sides. */
export const RIM = 18;

/**
 * @param {Shape} shape
 * @param {View} view
 */
export function viewBox(shape, view) {
  const { columns, rows } = extent(shape, view);
  return { x: -MARGIN, y: -RIM, width: columns * UNIT + MARGIN + RIM, height: rows * UNIT + MARGIN + RIM };
}

/**
 * The top left corner of a square in drawing units.
 * @param {Shape} shape
 * @param {View} view
 * @param {string} square
 */
export function cornerOf(shape, view, square) {
  const { column, row } = toScreen(shape, view, parseSquare(square));
  return { x: column * UNIT, y: row * UNIT };
}

/**
 * The squares as rows of grid cells for people and screen readers alike.
 * @param {Shape} shape
 * @param {View} view
 * @param {boolean} onLines
 */
export function gridRows(shape, view, onLines) {
  const { rows } = extent(shape, view);
  /** @type {Map<string, SVGRectElement>} */
  const cells = new Map();
  const groups = Array.from({ length: rows }, () => svg('g', { role: 'row' }));
  const placed = shape.cells
    .map((cell) => ({ cell, at: toScreen(shape, view, cell) }))
    .sort((a, b) => a.at.row - b.at.row || a.at.column - b.at.column);
  for (const { cell, at } of placed) {
    const shade = (cell.file + cell.rank) % 2 === 0 ? 'dark' : 'light';
    const rect = svg('rect', {
      x: at.column * UNIT,
      y: at.row * UNIT,
      width: UNIT,
      height: UNIT,
      class: onLines ? 'square point' : `square ${shade}`,
      role: 'gridcell',
      tabindex: -1,
      'data-square': cell.name,
    });
    cells.set(cell.name, rect);
    groups[at.row]?.append(rect);
  }
  return { groups: groups.filter((group) => group.childElementCount > 0), cells };
}

/**
 * Outline, lines, river, palaces and labels.
 * @param {Shape} shape
 * @param {View} view
 * @param {VariantInfo} info
 */
export function fieldDrawing(shape, view, info) {
  const group = svg('g', { class: 'field', 'aria-hidden': 'true' });
  if (info.marks.on_lines) group.append(...lines(shape, view, info));
  else
    group.append(
      svg('path', { d: outline(shape, view), class: 'outline' }),
      ...riverBetween(shape, view, info),
    );
  const labels = edgeLabels(shape, view);
  for (const { column, row, text } of labels.below)
    group.append(label(column * UNIT + UNIT / 2, (row + 1) * UNIT + 33, text));
  for (const { column, row, text } of labels.beside)
    group.append(label(column * UNIT - 24, row * UNIT + UNIT / 2 + 11, text));
  return group;
}

/** @param {number} x @param {number} y @param {string} content */
function label(x, y, content) {
  const element = svg('text', { x, y, class: 'label' });
  element.textContent = content;
  return element;
}

/** @param {Shape} shape @param {View} view The border between squares and nothing. */
function outline(shape, view) {
  /** @type {string[]} */
  const parts = [];
  const at = new Set(
    shape.cells.map((cell) => {
      const { column, row } = toScreen(shape, view, cell);
      return `${column},${row}`;
    }),
  );
  for (const key of at) {
    const [column = 0, row = 0] = key.split(',').map(Number);
    const x = column * UNIT;
    const y = row * UNIT;
    if (!at.has(`${column},${row - 1}`)) parts.push(`M${x} ${y}h${UNIT}`);
    if (!at.has(`${column},${row + 1}`)) parts.push(`M${x} ${y + UNIT}h${UNIT}`);
    if (!at.has(`${column - 1},${row}`)) parts.push(`M${x} ${y}v${UNIT}`);
    if (!at.has(`${column + 1},${row}`)) parts.push(`M${x + UNIT} ${y}v${UNIT}`);
  }
  return parts.join('');
}

/** @param {Shape} shape @param {View} view @param {number} file @param {number} rank The middle of a point. */
function point(shape, view, file, rank) {
  const { column, row } = toScreen(shape, view, { file, rank });
  return `${column * UNIT + UNIT / 2} ${row * UNIT + UNIT / 2}`;
}

/** @param {Shape} shape @param {View} view @param {VariantInfo} info @returns {SVGElement[]} */
function lines(shape, view, info) {
  const at = (/** @type {number} */ file, /** @type {number} */ rank) => point(shape, view, file, rank);
  const { width, height } = shape;
  // A board of crossings without a named river has one in its middle, as every xiangqi board is drawn.
  const river = info.marks.river ?? Math.floor(height / 2);
  /** @type {string[]} */
  const parts = [];
  for (let rank = 0; rank < height; rank += 1) parts.push(`M${at(0, rank)}L${at(width - 1, rank)}`);
  for (let file = 0; file < width; file += 1) {
    const whole = river === 0 || file === 0 || file === width - 1;
    if (whole) parts.push(`M${at(file, 0)}L${at(file, height - 1)}`);
    else parts.push(`M${at(file, 0)}L${at(file, river - 1)}M${at(file, river)}L${at(file, height - 1)}`);
  }
  const frame = `M${at(0, 0)}L${at(width - 1, 0)}L${at(width - 1, height - 1)}L${at(0, height - 1)}z`;
  return [
    svg('path', { d: frame, class: 'sheet' }),
    ...(river > 0
      ? [
          svg('path', {
            d: `M${at(0, river - 1)}L${at(width - 1, river - 1)}L${at(width - 1, river)}L${at(0, river)}z`,
            class: 'river',
          }),
        ]
      : []),
    svg('path', { d: parts.join(''), class: 'line' }),
    svg('path', { d: frame, class: 'outline' }),
    svg('path', { d: palaces(shape, view, info), class: 'palace' }),
  ];
}

/** @param {Shape} shape @param {View} view @param {VariantInfo} info The border and the diagonals of each palace. */
function palaces(shape, view, info) {
  return info.marks.palaces
    .map(([one, other]) => {
      const a = parseSquare(one);
      const b = parseSquare(other);
      const at = (/** @type {number} */ file, /** @type {number} */ rank) => point(shape, view, file, rank);
      const [p, q, r, s] = [at(a.file, a.rank), at(b.file, a.rank), at(b.file, b.rank), at(a.file, b.rank)];
      return `M${p}L${q}L${r}L${s}zM${p}L${r}M${q}L${s}`;
    })
    .join('');
}

/** @param {Shape} shape @param {View} view @param {VariantInfo} info @returns {SVGElement[]} A river that flows between squares. */
function riverBetween(shape, view, info) {
  const { river } = info.marks;
  if (!river) return [];
  const low = toScreen(shape, view, { file: 0, rank: river - 1 });
  const high = toScreen(shape, view, { file: shape.width - 1, rank: river });
  const flat = low.row !== high.row && view % 2 === 0;
  const d = flat
    ? `M0 ${Math.max(low.row, high.row) * UNIT}h${shape.width * UNIT}`
    : `M${Math.max(low.column, high.column) * UNIT} 0v${shape.width * UNIT}`;
  return [svg('path', { d, class: 'river-wide' }), svg('path', { d, class: 'river-line' })];
}
