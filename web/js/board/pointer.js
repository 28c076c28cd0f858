/** Mouse, pen and finger on a board: tap-tap, drag and drop, and arrows with the right button. */

import { UNIT, viewBox } from './field.js';
import { fromScreen, squareName } from './geometry.js';

/** How far, in CSS pixels, a pointer travels before a press becomes a drag. */
const SLACK = 5;

/**
 * @param {import('./board.js').Board} board
 * @returns {() => void} Stops listening.
 */
export function listenToPointer(board) {
  /** @type {{square: string, x: number, y: number, pointer: number, dragging: boolean, drawing: boolean, wasSelected: boolean} | null} */
  let press = null;

  /** @param {PointerEvent} event The point in drawing units. */
  const locate = (event) => {
    const rect = board.root.getBoundingClientRect();
    const box = viewBox(board.shape, board.props.view);
    return {
      x: box.x + ((event.clientX - rect.left) / rect.width) * box.width,
      y: box.y + ((event.clientY - rect.top) / rect.height) * box.height,
    };
  };
  /** @param {PointerEvent} event @returns {string | null} */
  const squareAt = (event) => {
    const { x, y } = locate(event);
    const { file, rank } = fromScreen(board.shape, board.props.view, {
      column: Math.floor(x / UNIT),
      row: Math.floor(y / UNIT),
    });
    const name = squareName(file, rank);
    return board.shape.byName.has(name) ? name : null;
  };

  /** @param {PointerEvent} event */
  const down = (event) => {
    const square = squareAt(event);
    if (!square || (event.button !== 0 && event.button !== 2)) return;
    board.focusable(square);
    const drawing = event.button === 2;
    press = {
      square,
      x: event.clientX,
      y: event.clientY,
      pointer: event.pointerId,
      dragging: false,
      drawing,
      wasSelected: board.selected === square,
    };
    if (!drawing && board.maySelect(square) && !press.wasSelected && !isTarget(board, square))
      board.select(square);
  };

  /** @param {PointerEvent} event */
  const move = (event) => {
    if (!press || press.pointer !== event.pointerId || press.drawing) return;
    if (!press.dragging) {
      if (
        Math.hypot(event.clientX - press.x, event.clientY - press.y) < SLACK ||
        board.selected !== press.square
      )
        return;
      press.dragging = true;
      board.root.setPointerCapture(event.pointerId);
    }
    board.pieces.lift(press.square, locate(event), board.corner);
  };

  /** @param {PointerEvent} event */
  const up = (event) => {
    if (!press || press.pointer !== event.pointerId) return;
    const { square, dragging, drawing, wasSelected } = press;
    press = null;
    const to = squareAt(event);
    if (drawing) {
      if (to) board.draw(square, to);
    } else if (dragging) {
      board.pieces.lift(square, null, board.corner);
      board.drop(square, to);
    } else if (to === square && (wasSelected || board.selected !== square)) {
      board.tap(square);
    }
  };

  const cancel = () => {
    if (press?.dragging) board.pieces.lift(press.square, null, board.corner);
    press = null;
  };
  const noMenu = (/** @type {Event} */ event) => event.preventDefault();

  const { root } = board;
  root.addEventListener('pointerdown', down);
  root.addEventListener('pointermove', move);
  root.addEventListener('pointerup', up);
  root.addEventListener('pointercancel', cancel);
  root.addEventListener('contextmenu', noMenu);
  return () => {
    root.removeEventListener('pointerdown', down);
    root.removeEventListener('pointermove', move);
    root.removeEventListener('pointerup', up);
    root.removeEventListener('pointercancel', cancel);
    root.removeEventListener('contextmenu', noMenu);
  };
}

/** @param {import('./board.js').Board} board @param {string} square Whether the selected piece could go there (castling by the rook). */
function isTarget(board, square) {
  return (
    board.selected !== null &&
    (board.targets.get(board.selected)?.some((target) => target.to === square) ?? false)
  );
}
