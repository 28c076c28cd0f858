/** Mouse, pen and finger on a board: tap-tap, drag and drop, and arrows with the right button. */

import { UNIT, viewBox } from './field.js';
import { fromScreen, squareName } from './geometry.js';

/** @typedef {import('./board.js').Board} Board */

/** How far, in CSS pixels, a pointer travels before a press becomes a drag. */
const SLACK = 5;

/**
 * @param {Board} board
 * @returns {() => void} Stops listening.
 */
export function listenToPointer(board) {
  const { root } = board;
  const pointer = new Pointer(board);
  /** @type {[string, (event: any) => void][]} */
  const listeners = [
    ['pointerdown', (event) => pointer.down(event)],
    ['pointermove', (event) => pointer.move(event)],
    ['pointerup', (event) => pointer.up(event)],
    ['pointercancel', () => pointer.cancel()],
    ['contextmenu', (event) => event.preventDefault()],
  ];
  for (const [type, listener] of listeners) root.addEventListener(type, listener);
  return () => {
    for (const [type, listener] of listeners) root.removeEventListener(type, listener);
  };
}

class Pointer {
  /** @type {{square: string, x: number, y: number, pointer: number, dragging: boolean, drawing: boolean, wasSelected: boolean} | null} */
  #press = null;

  /** @param {Board} board */
  constructor(board) {
    this.board = board;
  }

  /** @param {PointerEvent} event */
  down(event) {
    const { board } = this;
    const square = squareAt(board, event);
    if (!square || (event.button !== 0 && event.button !== 2)) return;
    board.focusable(square);
    const drawing = event.button === 2;
    const wasSelected = board.selected === square;
    this.#press = {
      square,
      x: event.clientX,
      y: event.clientY,
      pointer: event.pointerId,
      dragging: false,
      drawing,
      wasSelected,
    };
    if (!drawing && board.maySelect(square) && !wasSelected && !isTarget(board, square)) board.select(square);
  }

  /** @param {PointerEvent} event */
  move(event) {
    const press = this.#press;
    const { board } = this;
    if (!press || press.pointer !== event.pointerId || press.drawing) return;
    if (!press.dragging) {
      const way = Math.hypot(event.clientX - press.x, event.clientY - press.y);
      if (way < SLACK || board.selected !== press.square) return;
      press.dragging = true;
      board.root.setPointerCapture(event.pointerId);
    }
    board.pieces.lift(press.square, locate(board, event), board.corner);
  }

  /** @param {PointerEvent} event */
  up(event) {
    const { board } = this;
    if (!this.#press || this.#press.pointer !== event.pointerId) return;
    const { square, dragging, drawing, wasSelected } = this.#press;
    this.#press = null;
    const to = squareAt(board, event);
    if (drawing) {
      if (to) board.draw(square, to);
    } else if (dragging) {
      board.pieces.lift(square, null, board.corner);
      board.drop(square, to);
    } else if (to === square && (wasSelected || board.selected !== square)) {
      board.tap(square);
    }
  }

  cancel() {
    const { board } = this;
    if (this.#press?.dragging) board.pieces.lift(this.#press.square, null, board.corner);
    this.#press = null;
  }
}

/** @param {Board} board @param {PointerEvent} event The point in drawing units. */
function locate(board, event) {
  const rect = board.root.getBoundingClientRect();
  const box = viewBox(board.shape, board.props.view);
  return {
    x: box.x + ((event.clientX - rect.left) / rect.width) * box.width,
    y: box.y + ((event.clientY - rect.top) / rect.height) * box.height,
  };
}

/** @param {Board} board @param {PointerEvent} event @returns {string | null} */
function squareAt(board, event) {
  const { x, y } = locate(board, event);
  const { file, rank } = fromScreen(board.shape, board.props.view, {
    column: Math.floor(x / UNIT),
    row: Math.floor(y / UNIT),
  });
  const name = squareName(file, rank);
  return board.shape.byName.has(name) ? name : null;
}

/** @param {Board} board @param {string} square Whether the selected piece could go there (castling by the rook). */
function isTarget(board, square) {
  return (
    board.selected !== null &&
    (board.targets.get(board.selected)?.some((target) => target.to === square) ?? false)
  );
}
