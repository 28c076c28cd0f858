/**
 * One followed game, as the client knows it: a snapshot, and the events since.
 *
 * Pure: every function gives a new state. Times are milliseconds of the local monotonic clock unless said otherwise.
 */

import { applyChange } from './protocol.js';

/** @typedef {import('./protocol.js').Snapshot} Snapshot */
/** @typedef {import('./protocol.js').HistoryEntry} HistoryEntry */
/** @typedef {import('./protocol.js').ServerMessage} ServerMessage */
/** @typedef {import('./protocol.js').ProposalView} ProposalView */
/**
 * @typedef {Snapshot & {clocksAt: number, presenceAt: number, gap: boolean, fresh: HistoryEntry | null}} GameState
 * `clocksAt` and `presenceAt` say when the durations in them were heard; `gap` that events are missing and the tail must be asked
 * for; `fresh` is the entry that came last by itself, to be animated and told, null after a snapshot.
 */

const CHAT_KEPT = 200;

/**
 * @param {Snapshot} snapshot
 * @param {number} now
 * @returns {GameState}
 */
export function fromSnapshot(snapshot, now) {
  return {
    ...snapshot,
    board: snapshot.aborted ? atRest(snapshot.board) : snapshot.board,
    clocksAt: now,
    presenceAt: now,
    gap: false,
    fresh: null,
  };
}

/**
 * A board on which nobody moves any more: what is aborted ends without the board's knowledge, and somebody would still be on turn.
 * @param {import('./protocol.js').BoardView} board
 */
export function atRest(board) {
  return { ...board, turn: null };
}

/**
 * @param {GameState} game
 * @param {Extract<ServerMessage, {type: 'event'}>} message
 * @param {number} now
 * @returns {GameState}
 */
export function withEvent(game, message, now) {
  if (message.seq <= game.seq) return game;
  if (message.seq !== game.seq + 1) return game.gap ? game : { ...game, gap: true };
  const entry = {
    seq: message.seq,
    at: message.at,
    hash: message.hash,
    event: message.event,
    change: message.change,
  };
  return {
    ...game,
    seq: message.seq,
    hash: message.hash,
    board: message.change ? applyChange(game.board, message.change) : game.board,
    clocks: message.clocks,
    clocksAt: now,
    legal: message.legal,
    history: [...game.history, entry],
    fresh: entry,
    gap: false,
    ...consequences(game, message.event, message.seq),
  };
}

/**
 * What an event changes beside board, clocks and history.
 * @param {GameState} game
 * @param {import('./protocol.js').GameEvent} event
 * @param {number} seq
 * @returns {Partial<GameState>}
 */
function consequences(game, event, seq) {
  switch (event.kind) {
    case 'proposed':
      return {
        proposal: {
          proposal: event.proposal,
          what: event.what,
          by: event.by,
          seq,
          electorate: event.electorate,
          accepted: [],
        },
      };
    case 'voted':
      return { proposal: withVote(game.proposal, event) };
    case 'lapsed':
      return { proposal: undefined };
    case 'played':
      return game.proposal && game.proposal.what !== 'rematch' ? { proposal: undefined } : {};
    case 'finished': {
      const { kind, ...ending } = event;
      return { ending, proposal: undefined };
    }
    case 'aborted':
      return { aborted: true, board: atRest(game.board), proposal: undefined };
    case 'rematch':
      return { rematch: event.game, proposal: undefined };
    case 'outage':
      return { frozen: undefined };
    default:
      return {};
  }
}

/**
 * @param {ProposalView | undefined} proposal
 * @param {{proposal: string, by: string, accept: boolean}} vote
 */
function withVote(proposal, vote) {
  if (!proposal || proposal.proposal !== vote.proposal) return proposal;
  if (!vote.accept) return undefined;
  const accepted = [...proposal.accepted, vote.by];
  return proposal.electorate.every((seat) => accepted.includes(seat)) ? undefined : { ...proposal, accepted };
}

/**
 * Messages about a game that are no events.
 * @param {GameState} game
 * @param {ServerMessage} message
 * @param {number} now
 * @returns {GameState}
 */
export function withMessage(game, message, now) {
  switch (message.type) {
    case 'event':
      return withEvent(game, message, now);
    case 'presence':
      return { ...game, presence: message.seats, presenceAt: now };
    case 'spectators':
      return { ...game, spectators: message.count };
    case 'table':
      return { ...game, frozen: message.frozen ?? undefined };
    case 'your_turn':
      return game.legal || game.board.ply !== message.ply ? game : { ...game, legal: message.legal };
    case 'chat': {
      const { type, ...line } = message;
      return { ...game, chat: [...game.chat, line].slice(-CHAT_KEPT) };
    }
    default:
      return game;
  }
}

/**
 * The entries of a history that were played on the board: moves, passes, random moves and leaves.
 * @param {HistoryEntry[]} history
 * @returns {(HistoryEntry & {event: {kind: 'played'} & import('./protocol.js').Played})[]}
 */
export function playedEntries(history) {
  /** @type {(HistoryEntry & {event: {kind: 'played'} & import('./protocol.js').Played})[]} */
  const found = [];
  for (const entry of history) {
    const { event } = entry;
    if (event.kind === 'played') found.push({ ...entry, event });
  }
  return found;
}

/**
 * The board after each entry of a history, from the board before the first one.
 * @param {import('./protocol.js').BoardView} start
 * @param {HistoryEntry[]} history
 */
export function boardsOf(start, history) {
  let board = start;
  return history.map((entry) => {
    if (entry.change) board = applyChange(board, entry.change);
    return board;
  });
}

/**
 * What was played since the given seat last acted by itself: nothing when it has not acted yet and nobody else has.
 * @param {HistoryEntry[]} history
 * @param {string | null} you
 */
export function sinceOwnMove(history, you) {
  const played = playedEntries(history);
  const last = played.findLastIndex((entry) => entry.event.seat === you && !entry.event.by_server);
  return played.slice(last + 1);
}
