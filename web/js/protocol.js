/**
 * What crosses the wire, as types, with the few pure functions that read and write it.
 *
 * The words are those of `crates/protocol`; its examples are read by the tests of both sides.
 */

export const PROTOCOL_VERSION = 1;

/**
 * @typedef {string} Seat The letter of an army.
 * @typedef {[Seat, number][]} BySeat
 * @typedef {{initial: number, increment?: number, delay?: number}} TimeControl Milliseconds.
 *
 * @typedef {{mv: string, captures?: string, rook?: [string, string]}} Choice
 * @typedef {{army: Seat, status: string, controller: Seat, points?: number, result_points?: number, target?: Seat}} ArmyView
 * @typedef {{pieces: Record<string, string>, armies: ArmyView[], turn: Seat | null, ply: number, checks: string[], phase?: string}} BoardView
 *
 * @typedef {{kind: 'captured', by: Seat, army: Seat, piece: string, square: string, points?: number}
 *   | {kind: 'castled', army: Seat}
 *   | {kind: 'promoted', army: Seat, piece: string, square: string}
 *   | {kind: 'fell', army: Seat, cause: string, credited?: Seat, checkers?: string[], points?: number}
 *   | {kind: 'left', seat: Seat, how: string, status: string}
 *   | {kind: 'transferred', army: Seat, from: Seat, to: Seat}
 *   | {kind: 'eliminated', seat: Seat}
 *   | {kind: 'ultimatum'}
 *   | {kind: 'passed', seat: Seat}
 *   | {kind: 'points', seat: Seat, amount: number, why: string}} Effect
 *
 * @typedef {{moved?: [string, string][], set?: Record<string, string | null>, armies?: ArmyView[], turn: Seat | null, ply: number, checks?: string[], phase?: string, effects?: Effect[]}} BoardChange
 *
 * @typedef {{seat: Seat, user: string, name: string, bot?: string, rating?: number, provisional?: boolean}} Player
 * @typedef {{variant: string, rules: number, time: TimeControl, rated: boolean, players: Player[], free_chat?: boolean, spectator_delay?: number, rematch_of?: string, other_game?: string, other_game_follows?: boolean}} Setup
 * @typedef {{reason: string, winners: Seat[], placements: Seat[][], points?: BySeat}} Ending
 * @typedef {'draw' | 'abort' | 'rematch'} ProposalKind
 *
 * @typedef {{seat: Seat, action: string, ply: number, by_server?: boolean, spent?: number, refund?: number, clock: number}} Played
 * @typedef {({kind: 'created'} & Setup)
 *   | ({kind: 'played'} & Played)
 *   | {kind: 'proposed', proposal: string, what: ProposalKind, by: Seat, electorate: Seat[]}
 *   | {kind: 'voted', proposal: string, by: Seat, accept: boolean}
 *   | {kind: 'lapsed', proposal: string}
 *   | {kind: 'gift', by: Seat, to: Seat, millis: number, clock: number}
 *   | {kind: 'outage', millis: number, cause: string}
 *   | {kind: 'departed', seat: Seat}
 *   | {kind: 'returned', seat: Seat}
 *   | {kind: 'aborted', cause: string}
 *   | ({kind: 'finished'} & Ending)
 *   | {kind: 'rematch', game: string}
 *   | {kind: 'match_ended', gone: Seat[]}} GameEvent
 *
 * @typedef {{seq: number, at: number, hash: string, event: GameEvent, change?: BoardChange}} HistoryEntry
 * @typedef {{remaining: BySeat, running?: Seat, delay?: number, first_move?: number}} Clocks
 * @typedef {{seat: Seat, present: boolean, judged_in?: number}} Presence
 * @typedef {{proposal: string, what: ProposalKind, by: Seat, seq: number, electorate: Seat[], accepted: Seat[]}} ProposalView
 * @typedef {{game: string, user: string, name: string, seat?: Seat, at: number, phrase?: string, text?: string}} ChatLine
 *
 * @typedef {{game: string, seq: number, hash: string, setup: Setup, board: BoardView, clocks: Clocks, you: Seat | null, legal?: Choice[],
 *   history: HistoryEntry[], proposal?: ProposalView, presence: Presence[], spectators: number, chat: ChatLine[], frozen?: string,
 *   ending?: Ending, aborted?: boolean, rematch?: string}} Snapshot
 *
 * @typedef {{id: string, name: string, kind: 'guest' | 'account' | 'bot'}} UserView
 * @typedef {{lobby: string, variant: string, time: TimeControl, rated: boolean, both_boards?: boolean, host: string, taken: number, seats: number}} LobbySummary
 * @typedef {{seat: Seat, user?: string, name?: string, bot?: string, present: boolean}} LobbySeat
 * @typedef {{lobby: string, variant: string, time: TimeControl, rated: boolean, casual?: 'guest' | 'bot', public: boolean, both_boards?: boolean, in_turn?: boolean, free_chat?: boolean, spectator_delay?: number, key: string, host: string, seats: LobbySeat[]}} LobbyView
 * @typedef {{game: string, variant: string, status: 'running' | 'finished' | 'aborted', time: TimeControl, rated: boolean, players: Player[],
 *   created: number, ended?: number, plies?: number, ending?: Ending}} GameSummary
 * @typedef {GameSummary & {setup: Setup, events: HistoryEntry[], rating_changes?: import('./ui/rating-graph.js').RatingChange[]}} GameRecord
 *
 * @typedef {{letter: Seat, name: string, side: string}} ArmyInfo
 * @typedef {{letter: string, name: string}} PieceInfo
 * @typedef {{variant: string, name: string, width: number, height: number, holes: string[], armies: ArmyInfo[], pieces: PieceInfo[],
 *   marks: {on_lines: boolean, river?: number, palaces: [string, string][]}, points: boolean, targets: boolean, levels: string[], max_spectator_delay: number, pool: string}} VariantInfo
 *
 * @typedef {{pool: string, players: number, needed: number, estimate: number | null}} PoolWait
 * @typedef {{pools: PoolWait[], waited: number, bots: boolean, match?: MatchView | null}} QueueView
 * @typedef {{match: string, pool: string, millis: number, players: number, confirmed: number, you_confirmed: boolean}} MatchView
 * @typedef {{code: string, message: string, retryable: boolean, retry_after?: number}} ErrorBody
 *
 * @typedef {{type: 'hello', version: number, build: string, boot: string, now: number, user: UserView}
 *   | {type: 'ok', id: string, seq?: number, game?: string, lobby?: string, now?: number}
 *   | ({type: 'error', id: string | null, seq?: number, hash?: string} & ErrorBody)
 *   | ({type: 'snapshot'} & Snapshot)
 *   | ({type: 'event', game: string, clocks: Clocks, legal?: Choice[]} & HistoryEntry)
 *   | {type: 'presence', game: string, seats: Presence[]}
 *   | {type: 'spectators', game: string, count: number}
 *   | {type: 'table', game: string, frozen: string | null}
 *   | ({type: 'chat'} & ChatLine)
 *   | {type: 'lobbies', lobbies: LobbySummary[], games: GameSummary[]}
 *   | ({type: 'lobby_listed'} & LobbySummary)
 *   | {type: 'lobby_unlisted', lobby: string}
 *   | ({type: 'game_listed'} & GameSummary)
 *   | {type: 'game_unlisted', game: string}
 *   | ({type: 'lobby'} & LobbyView)
 *   | {type: 'lobby_closed', lobby: string, why: string, game?: string, other_game?: string}
 *   | ({type: 'queue'} & QueueView)
 *   | {type: 'unqueued', why: string}
 *   | ({type: 'match'} & MatchView)
 *   | {type: 'game_start', game: string, seat: Seat}
 *   | {type: 'your_turn', game: string, seat: Seat, ply: number, legal: Choice[]}
 *   | {type: 'game_end', game: string, ending: Ending | null}
 *   | {type: 'stopping'}} ServerMessage
 *
 * @typedef {{type: 'hello', version: number, client: string}
 *   | {type: 'ping'}
 *   | {type: 'watch', game: string, after?: number}
 *   | {type: 'unwatch', game: string}
 *   | {type: 'stream'}
 *   | {type: 'move', game: string, ply: number, mv: string}
 *   | {type: 'resign', game: string}
 *   | {type: 'propose', game: string, what: ProposalKind}
 *   | {type: 'vote', game: string, proposal: string, accept: boolean}
 *   | {type: 'give_time', game: string, to: Seat}
 *   | {type: 'depart', game: string}
 *   | {type: 'say', game: string, phrase: string}
 *   | {type: 'say', game: string, text: string}
 *   | {type: 'watch_lobbies'}
 *   | {type: 'unwatch_lobbies'}
 *   | {type: 'create_lobby', variant: string, time: TimeControl, rated?: boolean, public?: boolean, seat?: Seat, bots?: [Seat, string][], both_boards?: boolean, in_turn?: boolean, free_chat?: boolean, spectator_delay?: number}
 *   | {type: 'join_lobby', lobby: string, key?: string, seat?: Seat}
 *   | {type: 'take_seat', lobby: string, seat: Seat}
 *   | {type: 'seat_bot', lobby: string, seat: Seat, level: string | null}
 *   | {type: 'unseat', lobby: string, seat: Seat}
 *   | {type: 'start_lobby', lobby: string}
 *   | {type: 'leave_lobby', lobby: string}
 *   | {type: 'play_now', variant: string, time?: TimeControl, level?: string}
 *   | {type: 'join_queue', pools: string[], bots: boolean}
 *   | {type: 'leave_queue'}
 *   | {type: 'confirm', match: string}
 *   | {type: 'mute', user: string, muted: boolean}} Request
 */

/** The closing codes of the server that mean something to a client. */
export const CLOSE = Object.freeze({
  restart: 1012,
  flood: 1008,
  version: 4000,
  slow: 4001,
  revoked: 4002,
  silent: 4003,
  tooMany: 4004,
});

/**
 * What becomes of a request that was sent, when its connection is lost before the answer. `always`: its game remembers its id
 * for good. `remembered`: the same start of the server answers it again for a minute. `never`: it is about the connection.
 * @type {Record<Request['type'], 'always' | 'remembered' | 'never'>}
 */
const REPEATS = {
  hello: 'never',
  ping: 'never',
  watch: 'never',
  unwatch: 'never',
  stream: 'never',
  watch_lobbies: 'never',
  unwatch_lobbies: 'never',
  move: 'always',
  resign: 'always',
  propose: 'always',
  vote: 'always',
  give_time: 'always',
  depart: 'always',
  say: 'remembered',
  create_lobby: 'remembered',
  join_lobby: 'remembered',
  take_seat: 'remembered',
  seat_bot: 'remembered',
  unseat: 'remembered',
  start_lobby: 'remembered',
  leave_lobby: 'remembered',
  play_now: 'remembered',
  join_queue: 'remembered',
  leave_queue: 'remembered',
  confirm: 'remembered',
  mute: 'remembered',
};

/** The server remembers for a minute; what is sent again arrives later still. */
const REMEMBERED_FOR = 45_000;

/**
 * Whether a request that was sent but not answered may be sent again, with its id, on another connection.
 * @param {Request} request
 * @param {{boot: string | null, at: number}} sent To which start of the server it was sent, and when, in milliseconds.
 * @param {{boot: string | null, at: number}} now Which start of the server it would be sent to; null where there is none yet.
 */
export function isRepeatable(request, sent, now) {
  switch (REPEATS[request.type]) {
    case 'always':
      return true;
    case 'remembered':
      return (now.boot === null || now.boot === sent.boot) && now.at - sent.at < REMEMBERED_FOR;
    default:
      return false;
  }
}

/**
 * The frame for a request.
 * @param {string} id A UUID of our making.
 * @param {Request} request
 */
export function frame(id, request) {
  return JSON.stringify({ id, ...request });
}

/**
 * Reads a frame of the server; null when it is none that this client knows how to read.
 * @param {string} text
 * @returns {ServerMessage | null}
 */
export function readMessage(text) {
  try {
    /** @type {unknown} */
    const value = JSON.parse(text);
    return typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string'
      ? /** @type {ServerMessage} */ (value)
      : null;
  } catch {
    return null;
  }
}

/**
 * A time control as text: `5+3`, `10d5`.
 * @param {TimeControl} time
 */
export function timeText(time) {
  const minutes = String(time.initial / 60_000);
  return time.delay ? `${minutes}d${time.delay / 1000}` : `${minutes}+${(time.increment ?? 0) / 1000}`;
}

/**
 * Reads `5+3` or `10d5`; null when it is neither.
 * @param {string} text
 * @returns {TimeControl | null}
 */
export function parseTime(text) {
  const parts = /^(\d+(?:\.\d+)?)([+d])(\d+(?:\.\d+)?)$/.exec(text.trim());
  if (!parts) return null;
  const initial = Math.round(Number(parts[1]) * 60_000);
  const extra = Math.round(Number(parts[3]) * 1000);
  return parts[2] === 'd' ? { initial, delay: extra } : { initial, increment: extra };
}

/**
 * The board after a change.
 * @param {BoardView} board
 * @param {BoardChange} change
 * @returns {BoardView}
 */
export function applyChange(board, change) {
  const pieces = { ...board.pieces };
  for (const [square, piece] of Object.entries(change.set ?? {})) {
    if (piece === null) delete pieces[square];
    else pieces[square] = piece;
  }
  return {
    pieces,
    armies: change.armies ?? board.armies,
    turn: change.turn,
    ply: change.ply,
    checks: change.checks ?? [],
    phase: change.phase ?? board.phase,
  };
}
