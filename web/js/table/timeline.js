/** A game as a row of positions, to walk through. Pure. */

import { applyChange } from '../protocol.js';
import { seatsInTurn } from '../standing.js';

/** @typedef {import('../protocol.js').BoardView} BoardView */
/** @typedef {import('../protocol.js').HistoryEntry} HistoryEntry */
/** @typedef {{kind: 'played'} & import('../protocol.js').Played} PlayedEvent */
/** @typedef {{seq: number, at: number, event: PlayedEvent, change: import('../protocol.js').BoardChange | undefined, before: BoardView, after: BoardView}} Step */

/**
 * Every action of a game with the board before and after it.
 * @param {BoardView} start
 * @param {HistoryEntry[]} history
 * @returns {Step[]}
 */
export function timeline(start, history) {
  /** @type {Step[]} */
  const steps = [];
  let board = start;
  for (const { seq, at, event, change } of history) {
    const before = board;
    if (change) board = applyChange(board, change);
    if (event.kind === 'played') steps.push({ seq, at, event, change, before, after: board });
  }
  return steps;
}

/**
 * The moves to be marked on the board at a place of the timeline: the latest of each player, newest first.
 * @param {Step[]} steps
 * @param {number} count How many steps have been taken.
 * @param {number} most
 */
export function latestMoves(steps, count, most) {
  /** @type {{from: string, to: string, seat: string}[]} */
  const found = [];
  for (let index = count - 1; index >= 0 && found.length < most && index >= count - most - 2; index -= 1) {
    const step = steps[index];
    const travelled = step?.change?.moved?.[0];
    if (step && travelled) found.push({ from: travelled[0], to: travelled[1], seat: step.event.seat });
  }
  return found;
}

/**
 * What every clock showed after some steps.
 * @param {Step[]} steps
 * @param {number} count
 * @param {string[]} seats
 * @param {number} initial
 * @returns {import('../protocol.js').BySeat}
 */
export function clocksAfter(steps, count, seats, initial) {
  return seats.map((seat) => {
    const last = steps.slice(0, count).findLast((step) => step.event.seat === seat);
    return [seat, last ? last.event.clock : initial];
  });
}

/**
 * Steps as rounds: one row per round, one cell per seat; a seat that acts twice before its turn comes round begins a new row.
 * @param {Step[]} steps
 * @param {string[]} seats In turn order.
 * @returns {(number | null)[][]} Indexes into the steps.
 */
export function rounds(steps, seats) {
  /** @type {(number | null)[][]} */
  const rows = [];
  let lastColumn = seats.length;
  steps.forEach((step, index) => {
    const column = seats.indexOf(step.event.seat);
    const out = step.event.action.includes(':') && !step.event.action.startsWith('random:');
    const row = rows.at(-1);
    if (!row || (!out && column <= lastColumn) || row[column] !== null) rows.push(seats.map(() => null));
    const current = rows.at(-1);
    if (current) current[column] = index;
    if (!out) lastColumn = column;
  });
  return rows;
}

/**
 * How many turns until a seat is on turn: 0 when it is; null when it takes no turns.
 * @param {BoardView} board
 * @param {string} seat
 */
export function turnsUntil(board, seat) {
  if (!board.turn) return null;
  const order = seatsInTurn(board);
  const from = order.indexOf(board.turn);
  const to = order.indexOf(seat);
  return from < 0 || to < 0 ? null : (to - from + order.length) % order.length;
}
