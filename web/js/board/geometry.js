/**
 * Squares, the shape of a board, and where a square lies on the screen when the board is turned.
 *
 * A view is the number of quarter turns: 0 has the south side at the bottom, then west, north, east.
 */

/** @typedef {import('../protocol.js').VariantInfo} VariantInfo */
/** @typedef {{name: string, file: number, rank: number}} Cell File and rank count from 0. */
/** @typedef {{width: number, height: number, cells: Cell[], byName: Map<string, Cell>}} Shape */
/** @typedef {0 | 1 | 2 | 3} View */

const SIDES = ['south', 'west', 'north', 'east'];

/**
 * @param {string} name Such as `e13`.
 * @returns {{file: number, rank: number}}
 */
export function parseSquare(name) {
  return { file: name.charCodeAt(0) - 97, rank: Number(name.slice(1)) - 1 };
}

/**
 * @param {number} file
 * @param {number} rank
 */
export function squareName(file, rank) {
  return String.fromCharCode(97 + file) + (rank + 1);
}

/**
 * @param {Pick<VariantInfo, 'width' | 'height' | 'holes'>} info
 * @returns {Shape}
 */
export function shapeOf(info) {
  const holes = new Set(info.holes);
  /** @type {Cell[]} */
  const cells = [];
  for (let rank = 0; rank < info.height; rank += 1) {
    for (let file = 0; file < info.width; file += 1) {
      const name = squareName(file, rank);
      if (!holes.has(name)) cells.push({ name, file, rank });
    }
  }
  return {
    width: info.width,
    height: info.height,
    cells,
    byName: new Map(cells.map((cell) => [cell.name, cell])),
  };
}

/**
 * The view that has a side at the bottom.
 * @param {string} side `south`, `west`, `north`, `east`.
 * @returns {View}
 */
export function viewOf(side) {
  return /** @type {View} */ (Math.max(0, SIDES.indexOf(side)));
}

/**
 * Where a side appears on the screen in a view, clockwise from the bottom: 0 bottom, 1 left, 2 top, 3 right.
 * @param {string} side
 * @param {View} view
 * @returns {View}
 */
export function placeOfSide(side, view) {
  return /** @type {View} */ ((viewOf(side) - view + 4) % 4);
}

/**
 * Columns and rows of the screen in a view.
 * @param {{width: number, height: number}} shape
 * @param {View} view
 */
export function extent(shape, view) {
  return view % 2 === 0
    ? { columns: shape.width, rows: shape.height }
    : { columns: shape.height, rows: shape.width };
}

/**
 * The screen column and row of a square, from the top left.
 * @param {{width: number, height: number}} shape
 * @param {View} view
 * @param {{file: number, rank: number}} square
 */
export function toScreen(shape, view, { file, rank }) {
  switch (view) {
    case 0:
      return { column: file, row: shape.height - 1 - rank };
    case 1:
      return { column: shape.height - 1 - rank, row: shape.width - 1 - file };
    case 2:
      return { column: shape.width - 1 - file, row: rank };
    case 3:
      return { column: rank, row: file };
  }
}

/**
 * The square at a screen column and row, which may not exist on the board.
 * @param {{width: number, height: number}} shape
 * @param {View} view
 * @param {{column: number, row: number}} at
 */
export function fromScreen(shape, view, { column, row }) {
  switch (view) {
    case 0:
      return { file: column, rank: shape.height - 1 - row };
    case 1:
      return { file: shape.width - 1 - row, rank: shape.height - 1 - column };
    case 2:
      return { file: shape.width - 1 - column, rank: row };
    case 3:
      return { file: row, rank: column };
  }
}

/**
 * The next existing square in a screen direction, stepping over holes; null at the edge.
 * @param {Shape} shape
 * @param {View} view
 * @param {string} from
 * @param {number} right
 * @param {number} down
 */
export function step(shape, view, from, right, down) {
  const { columns, rows } = extent(shape, view);
  let { column, row } = toScreen(shape, view, parseSquare(from));
  for (;;) {
    column += right;
    row += down;
    if (column < 0 || row < 0 || column >= columns || row >= rows) return null;
    const { file, rank } = fromScreen(shape, view, { column, row });
    const name = squareName(file, rank);
    if (shape.byName.has(name)) return name;
  }
}

/**
 * Edge labels: for every screen column the lowest existing square with its label, for every row the leftmost.
 * @param {Shape} shape
 * @param {View} view
 */
export function edgeLabels(shape, view) {
  /** @type {Map<number, {column: number, row: number}>} */
  const bottoms = new Map();
  /** @type {Map<number, {column: number, row: number}>} */
  const lefts = new Map();
  for (const cell of shape.cells) {
    const at = toScreen(shape, view, cell);
    const low = bottoms.get(at.column);
    if (!low || at.row > low.row) bottoms.set(at.column, at);
    const left = lefts.get(at.row);
    if (!left || at.column < left.column) lefts.set(at.row, at);
  }
  const upright = view % 2 === 0;
  const fileOf = (/** @type {{column: number, row: number}} */ at) =>
    String.fromCharCode(97 + fromScreen(shape, view, at).file);
  const rankOf = (/** @type {{column: number, row: number}} */ at) =>
    String(fromScreen(shape, view, at).rank + 1);
  return {
    below: [...bottoms.values()].map((at) => ({ ...at, text: upright ? fileOf(at) : rankOf(at) })),
    beside: [...lefts.values()].map((at) => ({ ...at, text: upright ? rankOf(at) : fileOf(at) })),
  };
}

/**
 * Whether all four corners of the board are holes, so that something else can stand there; the size of the gap in squares.
 * @param {Shape} shape
 */
export function cornerGap(shape) {
  let gap = 0;
  while (gap < shape.width && !shape.byName.has(squareName(gap, gap))) gap += 1;
  return gap;
}

/**
 * The quarter turns of a pawn's arrow on the screen: 0 up, 1 right, 2 down, 3 left.
 * @param {string} arrow `^`, `>`, `v` or `<`, as seen from the south.
 * @param {View} view
 */
export function turnOfArrow(arrow, view) {
  return ('^>v<'.indexOf(arrow) - view + 4) % 4;
}
