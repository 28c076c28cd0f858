/** A stored game as the state of a table. Pure. */

import { atRest } from '../game.js';
import { applyChange } from '../protocol.js';

/**
 * @param {import('../protocol.js').GameRecord} record
 * @param {import('../protocol.js').BoardView} start
 * @param {string | null} me
 * @returns {import('../game.js').GameState}
 */
export function fromRecord(record, start, me) {
  let board = start;
  for (const { change } of record.events) if (change) board = applyChange(board, change);
  const last = record.events.at(-1);
  const aborted = record.status === 'aborted';
  return {
    game: record.game,
    seq: last?.seq ?? 0,
    hash: last?.hash ?? '',
    setup: record.setup,
    board: aborted ? atRest(board) : board,
    clocks: { remaining: [] },
    you: record.players.find((player) => player.user === me)?.seat ?? null,
    history: record.events,
    presence: [],
    spectators: 0,
    chat: [],
    ending: record.ending,
    aborted,
    clocksAt: 0,
    presenceAt: 0,
    gap: false,
    fresh: null,
  };
}
