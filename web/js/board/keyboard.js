/** Playing by keys: arrows walk the squares as they lie on the screen, Enter picks and drops, letters jump between own pieces. */

import { letterOf } from '../moves.js';
import { step, toScreen } from './geometry.js';

/** @type {Record<string, [number, number]>} */
const ARROWS = { ArrowUp: [0, -1], ArrowDown: [0, 1], ArrowLeft: [-1, 0], ArrowRight: [1, 0] };

/**
 * @param {import('./board.js').Board} board
 * @returns {() => void} Stops listening.
 */
export function listenToKeys(board) {
  /** @param {KeyboardEvent} event */
  const key = (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (!act(board, event)) return;
    event.preventDefault();
    event.stopPropagation();
  };
  /** @param {FocusEvent} event */
  const focus = (event) => {
    const square = event.target instanceof Element ? event.target.getAttribute('data-square') : null;
    if (square) board.focusable(square);
  };
  board.grid.addEventListener('keydown', key);
  board.grid.addEventListener('focusin', focus);
  return () => {
    board.grid.removeEventListener('keydown', key);
    board.grid.removeEventListener('focusin', focus);
  };
}

/** @param {import('./board.js').Board} board @param {KeyboardEvent} event */
function act(board, event) {
  const direction = ARROWS[event.key];
  if (direction) {
    walk(board, step(board.shape, board.props.view, board.focused, direction[0], direction[1]));
    return true;
  }
  if (event.key === 'Enter' || event.key === ' ') {
    board.tap(board.focused);
    return true;
  }
  if (event.key === 'Escape' && (board.selected || board.props.premove)) {
    board.select(null);
    return true;
  }
  if (/^[a-z]$/i.test(event.key)) return jump(board, event.key.toUpperCase(), event.shiftKey);
  return false;
}

/** @param {import('./board.js').Board} board @param {string | null} square */
function walk(board, square) {
  if (!square) return;
  board.focusable(square);
  board.cells.get(square)?.focus();
}

/**
 * To the next own piece of a letter, in reading order.
 * @param {import('./board.js').Board} board
 * @param {string} letter
 * @param {boolean} back
 */
function jump(board, letter, back) {
  const { props, shape } = board;
  const order = (/** @type {string} */ square) => {
    const cell = shape.byName.get(square);
    if (!cell) return 0;
    const at = toScreen(shape, props.view, cell);
    return at.row * 100 + at.column;
  };
  const own = Object.entries(props.pieces)
    .filter(([square, piece]) => letterOf(piece) === letter && props.owns(square))
    .map(([square]) => square)
    .sort((a, b) => order(a) - order(b));
  if (own.length === 0) return false;
  const index = own.indexOf(board.focused);
  const next = index < 0 ? 0 : (index + (back ? own.length - 1 : 1)) % own.length;
  walk(board, own[next] ?? null);
  return true;
}
