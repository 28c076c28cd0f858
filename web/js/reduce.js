/**
 * The whole state of the client and the one function that changes it. Pure.
 */

import { fromSnapshot, withMessage } from './game.js';
import { stillPlays } from './standing.js';

/** @typedef {import('./protocol.js').ServerMessage} ServerMessage */
/** @typedef {import('./protocol.js').Request} Request */
/** @typedef {'connecting' | 'open' | 'waiting' | 'stopping' | 'refused'} ConnectionStatus */
/**
 * @typedef {{status: ConnectionStatus, retryAt: number | null, code: number | null, build: string | null, boot: string | null}} Connection
 * @typedef {{id: string, request: Request, sent: boolean}} Outgoing A request that has no answer yet.
 * @typedef {{id: string, code: string, message: string, request: Request | null}} Refusal
 */
/**
 * @typedef {object} State
 * @property {Connection} connection
 * @property {import('./protocol.js').UserView | null} me
 * @property {{lobbies: import('./protocol.js').LobbySummary[], games: import('./protocol.js').GameSummary[]} | null} listing
 * @property {Record<string, import('./protocol.js').LobbyView>} lobbies Those one sits in; several tabs may show several.
 * @property {{lobby: string, why: string, game?: string, other_game?: string} | null} lobbyClosed
 * @property {(import('./protocol.js').QueueView & {heardAt: number}) | null} queue
 * @property {string | null} unqueued Why the last wait ended.
 * @property {(import('./protocol.js').MatchView & {heardAt: number}) | null} match
 * @property {Record<string, import('./game.js').GameState>} games
 * @property {Record<string, string>} mine Own running games, with the seat.
 * @property {{game: string, seat: string} | null} started The game that began last.
 * @property {{mine: Record<string, string>, waited: boolean}} before What held on earlier connections: own running games, and whether
 *   one waited for a game when the last connection was lost.
 * @property {Outgoing[]} outgoing
 * @property {Refusal | null} refusal The last refusal that nobody has seen yet.
 */
/**
 * @typedef {{kind: 'message', message: ServerMessage, now: number}
 *   | {kind: 'connection', connection: Partial<Connection>}
 *   | {kind: 'asked', id: string, request: Request}
 *   | {kind: 'sent', id: string}
 *   | {kind: 'dropped', id: string, code: string, message: string}
 *   | {kind: 'me', user: import('./protocol.js').UserView}
 *   | {kind: 'forget_game', game: string}
 *   | {kind: 'match_over', match: string}
 *   | {kind: 'seen', what: 'refusal' | 'started' | 'lobbyClosed' | 'unqueued'}} Action
 */

/** @type {State} */
export const EMPTY = {
  connection: { status: 'connecting', retryAt: null, code: null, build: null, boot: null },
  me: null,
  listing: null,
  lobbies: {},
  lobbyClosed: null,
  queue: null,
  unqueued: null,
  match: null,
  games: {},
  mine: {},
  started: null,
  before: { mine: {}, waited: false },
  outgoing: [],
  refusal: null,
};

/**
 * @param {State} state
 * @param {Action} action
 * @returns {State}
 */
export function reduce(state, action) {
  switch (action.kind) {
    case 'message':
      return withServerMessage(state, action.message, action.now);
    case 'connection':
      return { ...state, connection: { ...state.connection, ...action.connection } };
    case 'asked':
      return {
        ...state,
        outgoing: [...state.outgoing, { id: action.id, request: action.request, sent: false }],
      };
    case 'sent':
      return {
        ...state,
        outgoing: state.outgoing.map((out) => (out.id === action.id ? { ...out, sent: true } : out)),
      };
    case 'dropped':
      return refused(state, action.id, action.code, action.message);
    case 'me':
      return { ...state, me: action.user };
    case 'forget_game':
      return { ...state, games: without(state.games, action.game) };
    case 'match_over':
      return state.match?.match === action.match ? { ...state, match: null } : state;
    case 'seen':
      return { ...state, [action.what]: null };
  }
}

/**
 * @param {State} state
 * @param {ServerMessage} message
 * @param {number} now
 * @returns {State}
 */
function withServerMessage(state, message, now) {
  switch (message.type) {
    case 'hello':
      return greeted(state, message);
    case 'ok':
      return { ...state, outgoing: state.outgoing.filter((out) => out.id !== message.id) };
    case 'error':
      return refused(state, message.id, message.code, message.message);
    case 'snapshot':
    case 'event':
    case 'presence':
    case 'spectators':
    case 'table':
    case 'chat':
    case 'your_turn':
      return withGameMessage(state, message, now);
    case 'lobbies':
      return { ...state, listing: { lobbies: message.lobbies, games: message.games } };
    case 'lobby_listed':
    case 'lobby_unlisted':
    case 'game_listed':
    case 'game_unlisted':
      return state.listing ? { ...state, listing: withListed(state.listing, message) } : state;
    case 'lobby':
    case 'lobby_closed':
      return withLobbyMessage(state, message);
    case 'queue':
    case 'unqueued':
    case 'match':
      return withQueueMessage(state, message, now);
    case 'game_start':
      return withStart(state, message.game, message.seat);
    case 'game_end':
      return {
        ...state,
        mine: without(state.mine, message.game),
        before: { ...state.before, mine: without(state.before.mine, message.game) },
      };
    case 'stopping':
      return { ...state, connection: { ...state.connection, status: 'stopping' } };
    default:
      return state;
  }
}

/**
 * The greeting is followed by what the server still knows of us: queue, ready check and running games. A lobby is
 * entered again by the view that shows it.
 * @param {State} state
 * @param {Extract<ServerMessage, {type: 'hello'}>} message
 * @returns {State}
 */
function greeted(state, message) {
  return {
    ...state,
    me: message.user,
    queue: null,
    match: null,
    lobbies: {},
    mine: {},
    before: {
      mine: { ...state.before.mine, ...state.mine },
      waited: state.before.waited || isWaiting(state),
    },
    connection: { status: 'open', retryAt: null, code: null, build: message.build, boot: message.boot },
  };
}

/**
 * @param {State} state
 * @param {Extract<ServerMessage, {type: 'snapshot' | 'event' | 'presence' | 'spectators' | 'table' | 'chat' | 'your_turn'}>} message
 * @param {number} now
 * @returns {State}
 */
function withGameMessage(state, message, now) {
  const { game: id } = message;
  if (message.type === 'snapshot') {
    const { type, ...snapshot } = message;
    return withoutLost({ ...state, games: { ...state.games, [id]: fromSnapshot(snapshot, now) } }, id);
  }
  const game = state.games[id];
  if (!game) return state;
  return withoutLost({ ...state, games: { ...state.games, [id]: withMessage(game, message, now) } }, id);
}

/**
 * @param {State} state
 * @param {Extract<ServerMessage, {type: 'lobby' | 'lobby_closed'}>} message
 * @returns {State}
 */
function withLobbyMessage(state, message) {
  if (message.type === 'lobby_closed') {
    const { type, ...closed } = message;
    return { ...state, lobbies: without(state.lobbies, message.lobby), lobbyClosed: closed };
  }
  const { type, ...lobby } = message;
  return {
    ...state,
    lobbies: { ...state.lobbies, [lobby.lobby]: lobby },
    lobbyClosed: state.lobbyClosed?.lobby === lobby.lobby ? null : state.lobbyClosed,
  };
}

/**
 * @param {State} state
 * @param {Extract<ServerMessage, {type: 'queue' | 'unqueued' | 'match'}>} message
 * @param {number} now
 * @returns {State}
 */
function withQueueMessage(state, message, now) {
  switch (message.type) {
    case 'queue': {
      const { type, match, ...queue } = message;
      // Only an explicit word ends a ready check: null says that it was voided.
      const found = match === undefined ? state.match : match && { ...match, heardAt: now };
      return { ...state, queue: { ...queue, heardAt: now }, unqueued: null, match: found };
    }
    case 'unqueued':
      return {
        ...state,
        queue: null,
        match: null,
        unqueued: message.why,
        before: { ...state.before, waited: message.why === 'matched' && state.before.waited },
      };
    case 'match': {
      const { type, ...match } = message;
      return { ...state, match: { ...match, heardAt: now } };
    }
  }
}

/** @param {State} state Whether a game that begins is one that was waited for. */
function isWaiting(state) {
  return (
    Boolean(state.queue || state.match) ||
    Object.keys(state.lobbies).length > 0 ||
    state.unqueued === 'matched'
  );
}

/**
 * A game of ours begins, or is told again on a new connection.
 * @param {State} state @param {string} game @param {string} seat
 * @returns {State}
 */
function withStart(state, game, seat) {
  const mine = { ...state.mine, [game]: seat };
  // A game that was running already ends no wait for another one, and takes nobody along.
  if (game in state.before.mine || game in state.mine) return { ...state, mine };
  const started = isWaiting(state) || state.before.waited ? { game, seat } : state.started;
  return {
    ...state,
    mine,
    before: { ...state.before, waited: false },
    started,
    queue: null,
    match: null,
    unqueued: null,
  };
}

/**
 * A game in which the own army is out is no game of ours to go back to, though it goes on.
 * @param {State} state @param {string} game
 */
function withoutLost(state, game) {
  const known = state.games[game];
  return known && state.mine[game] !== undefined && !stillPlays(known)
    ? { ...state, mine: without(state.mine, game) }
    : state;
}

/**
 * @param {NonNullable<State['listing']>} listing
 * @param {Extract<ServerMessage, {type: 'lobby_listed' | 'lobby_unlisted' | 'game_listed' | 'game_unlisted'}>} message
 * @returns {NonNullable<State['listing']>}
 */
function withListed(listing, message) {
  switch (message.type) {
    case 'lobby_listed': {
      const { type, ...lobby } = message;
      const known = listing.lobbies.some((other) => other.lobby === lobby.lobby);
      const lobbies = known
        ? listing.lobbies.map((other) => (other.lobby === lobby.lobby ? lobby : other))
        : [lobby, ...listing.lobbies];
      return { ...listing, lobbies };
    }
    case 'lobby_unlisted':
      return { ...listing, lobbies: listing.lobbies.filter((lobby) => lobby.lobby !== message.lobby) };
    case 'game_listed': {
      const { type, ...game } = message;
      return { ...listing, games: [game, ...listing.games.filter((other) => other.game !== game.game)] };
    }
    case 'game_unlisted':
      return { ...listing, games: listing.games.filter((game) => game.game !== message.game) };
  }
}

/**
 * @param {State} state
 * @param {string | null} id
 * @param {string} code
 * @param {string} message
 * @returns {State}
 */
function refused(state, id, code, message) {
  const request = state.outgoing.find((out) => out.id === id)?.request ?? null;
  const games =
    request?.type === 'watch' && code === 'unknown_game' ? without(state.games, request.game) : state.games;
  return {
    ...state,
    games,
    outgoing: state.outgoing.filter((out) => out.id !== id),
    refusal: { id: id ?? '', code, message, request },
  };
}

/**
 * @template T
 * @param {Record<string, T>} record
 * @param {string} key
 */
function without(record, key) {
  const { [key]: _, ...rest } = record;
  return rest;
}

/**
 * The move of a game that is on its way and not answered yet.
 * @param {State} state
 * @param {string} game
 */
export function moveOnItsWay(state, game) {
  for (const out of state.outgoing) {
    if (out.request.type === 'move' && out.request.game === game)
      return { mv: out.request.mv, ply: out.request.ply, sent: out.sent };
  }
  return null;
}
