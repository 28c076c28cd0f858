import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EMPTY, moveOnItsWay, reduce } from '../js/reduce.js';
import { sinceOwnMove } from '../js/game.js';

/** @typedef {import('../js/protocol.js').ServerMessage} ServerMessage */
/** @typedef {import('../js/reduce.js').State} State */

/** @type {State} */
const empty = EMPTY;
const GAME = '018f2b7e-0000-7000-8000-000000000002';

/** @type {ServerMessage} */
const snapshot = {
  type: 'snapshot',
  game: GAME,
  seq: 3,
  hash: '0',
  you: 's',
  spectators: 0,
  chat: [],
  presence: [],
  history: [],
  setup: { variant: 'crossfire', rules: 1, time: { initial: 300_000 }, rated: false, players: [] },
  board: {
    pieces: { e2: 'sP', d7: 'wP' },
    armies: [
      { army: 's', controller: 's', status: 'active' },
      { army: 'w', controller: 'w', status: 'active' },
    ],
    turn: 's',
    ply: 0,
    checks: [],
  },
  clocks: { remaining: [['s', 300_000]], running: 's' },
  legal: [{ mv: 'e2-e4' }],
};

/** @param {number} seq @param {Partial<Extract<ServerMessage, {type: 'event'}>>} rest @returns {ServerMessage} */
const event = (seq, rest = {}) => ({
  type: 'event',
  game: GAME,
  seq,
  at: 0,
  hash: String(seq),
  clocks: { remaining: [] },
  event: { kind: 'played', seat: 's', action: 'e2-e4', ply: 0, clock: 1 },
  change: { moved: [['e2', 'e4']], set: { e2: null, e4: 'sP' }, turn: 'w', ply: 1 },
  ...rest,
});

/** @param {...ServerMessage} messages */
const after = (...messages) =>
  messages.reduce(
    (/** @type {State} */ state, message) => reduce(state, { kind: 'message', message, now: 5 }),
    empty,
  );

test('an event changes the board, ends the own choices and is remembered', () => {
  const game = after(snapshot, event(4)).games[GAME];
  assert.deepEqual(game?.board.pieces, { e4: 'sP', d7: 'wP' });
  assert.equal(game?.board.turn, 'w');
  assert.equal(game?.legal, undefined);
  assert.equal(game?.history.length, 1);
  assert.equal(game?.fresh?.seq, 4);
});

test('an event heard twice happens once', () => {
  const once = after(snapshot, event(4));
  assert.equal(reduce(once, { kind: 'message', message: event(4), now: 9 }).games[GAME], once.games[GAME]);
});

test('a missing event leaves the board alone and asks for the tail', () => {
  const game = after(snapshot, event(6)).games[GAME];
  assert.equal(game?.gap, true);
  assert.equal(game?.seq, 3);
  assert.deepEqual(game?.board.pieces, { e2: 'sP', d7: 'wP' });
  const healed = after(snapshot, event(6), event(4)).games[GAME];
  assert.equal(healed?.gap, false);
});

test('a move on its way is known as unsent or sent, and changes no board before the answer', () => {
  let state = after(snapshot);
  state = reduce(state, {
    kind: 'asked',
    id: '1',
    request: { type: 'move', game: GAME, ply: 0, mv: 'e2-e4' },
  });
  assert.deepEqual(moveOnItsWay(state, GAME), { mv: 'e2-e4', ply: 0, sent: false });
  state = reduce(state, { kind: 'sent', id: '1' });
  assert.equal(moveOnItsWay(state, GAME)?.sent, true);
  assert.deepEqual(state.games[GAME]?.board.pieces, { e2: 'sP', d7: 'wP' });
  state = reduce(state, { kind: 'message', message: { type: 'ok', id: '1', seq: 4 }, now: 0 });
  assert.equal(moveOnItsWay(state, GAME), null);
});

test('a refused request says what was refused', () => {
  let state = reduce(empty, {
    kind: 'asked',
    id: '7',
    request: { type: 'move', game: GAME, ply: 0, mv: 'e2-e5' },
  });
  state = reduce(state, {
    kind: 'message',
    message: { type: 'error', id: '7', code: 'illegal_move', message: 'No.', retryable: false },
    now: 0,
  });
  assert.equal(state.refusal?.code, 'illegal_move');
  assert.equal(state.refusal?.request?.type, 'move');
  assert.deepEqual(state.outgoing, []);
});

test('a proposal gathers votes, ends with the last one, with a refusal and with a move', () => {
  const proposed = event(4, {
    change: undefined,
    event: { kind: 'proposed', proposal: 'p', what: 'draw', by: 's', electorate: ['w', 'n'] },
  });
  const vote = (/** @type {number} */ seq, /** @type {string} */ by, /** @type {boolean} */ accept) =>
    event(seq, { change: undefined, event: { kind: 'voted', proposal: 'p', by, accept } });
  assert.deepEqual(after(snapshot, proposed, vote(5, 'w', true)).games[GAME]?.proposal?.accepted, ['w']);
  assert.equal(
    after(snapshot, proposed, vote(5, 'w', true), vote(6, 'n', true)).games[GAME]?.proposal,
    undefined,
  );
  assert.equal(after(snapshot, proposed, vote(5, 'w', false)).games[GAME]?.proposal, undefined);
  assert.equal(after(snapshot, proposed, event(5)).games[GAME]?.proposal, undefined);
});

test('the list of lobbies follows its changes', () => {
  const lobby = {
    lobby: 'l',
    variant: 'crossfire',
    time: { initial: 60_000 },
    rated: false,
    host: 'A',
    taken: 1,
    seats: 4,
  };
  const state = after(
    { type: 'lobbies', lobbies: [], games: [] },
    { type: 'lobby_listed', ...lobby },
    { type: 'lobby_listed', ...lobby, taken: 2 },
  );
  assert.deepEqual(
    state.listing?.lobbies.map((entry) => entry.taken),
    [2],
  );
  assert.deepEqual(
    after({ type: 'lobbies', lobbies: [lobby], games: [] }, { type: 'lobby_unlisted', lobby: 'l' }).listing
      ?.lobbies,
    [],
  );
});

/** @type {Extract<ServerMessage, {type: 'queue'}>} */
const QUEUE = {
  type: 'queue',
  pools: [{ pool: 'crossfire/10+5', players: 1, needed: 4, estimate: null }],
  waited: 0,
  bots: false,
  match: null,
};
/** @type {import('../js/protocol.js').MatchView} */
const FOUND = {
  match: 'm',
  pool: 'crossfire/10+5',
  millis: 12_000,
  players: 4,
  confirmed: 0,
  you_confirmed: false,
};
/** @type {ServerMessage} */
const HELLO = {
  type: 'hello',
  version: 1,
  build: 'x',
  boot: 'b',
  now: 0,
  user: { id: 'u', name: 'n', kind: 'guest' },
};
const START = /** @type {ServerMessage} */ ({ type: 'game_start', game: GAME, seat: 's' });

test('a ready check ends by game_start, unqueued, the word that it was voided, or its own end, and by nothing else', () => {
  const found = /** @type {ServerMessage} */ ({ type: 'match', ...FOUND });
  const { match: _, ...silent } = QUEUE;
  const lobby = /** @type {ServerMessage} */ ({
    type: 'lobby',
    lobby: 'l',
    variant: 'crossfire',
    time: { initial: 60_000 },
    rated: false,
    public: true,
    key: 'k',
    host: 'u',
    seats: [],
  });
  /** @type {ServerMessage[]} */
  const others = [
    silent,
    { ...QUEUE, match: FOUND },
    lobby,
    snapshot,
    { type: 'lobby_closed', lobby: 'l', why: 'left' },
    { type: 'lobbies', lobbies: [], games: [] },
    { type: 'ok', id: '1' },
    { type: 'error', id: '1', code: 'too_many', message: '', retryable: true },
    { type: 'game_end', game: GAME, ending: null },
    { type: 'stopping' },
  ];
  for (const other of others) assert.equal(after(QUEUE, found, other).match?.match, 'm', other.type);
  for (const end of /** @type {ServerMessage[]} */ ([QUEUE, { type: 'unqueued', why: 'unconfirmed' }, START]))
    assert.equal(after(QUEUE, found, end).match, null, end.type);
  assert.equal(reduce(after(found), { kind: 'match_over', match: 'm' }).match, null);
  assert.equal(reduce(after(found), { kind: 'match_over', match: 'another' }).match?.match, 'm');
});

test('a ready check is shown again after a new connection, with what is left of its time', () => {
  const again = after(QUEUE, { type: 'match', ...FOUND }, HELLO, {
    ...QUEUE,
    match: { ...FOUND, millis: 4_000 },
  });
  assert.equal(again.match?.millis, 4_000);
  assert.equal(after(QUEUE, { type: 'match', ...FOUND }, HELLO, QUEUE).match, null);
});

test('a game that begins while the connection is lost takes along whoever waited for it', () => {
  assert.deepEqual(after(QUEUE, HELLO, START).started, { game: GAME, seat: 's' });
  assert.equal(after(QUEUE, { type: 'unqueued', why: 'left' }, HELLO, START).started, null);
});

test('a game that is told again on a new connection neither ends a wait nor takes anybody along', () => {
  const lobby = /** @type {ServerMessage} */ ({
    type: 'lobby',
    lobby: 'l',
    variant: 'crossfire',
    time: { initial: 60_000 },
    rated: false,
    public: true,
    key: 'k',
    host: 'u',
    seats: [],
  });
  const again = after(START, lobby, HELLO, lobby, START);
  assert.deepEqual([again.started, again.mine], [null, { [GAME]: 's' }]);
  assert.ok(after(START, QUEUE, HELLO, QUEUE, START).queue, 'the queue is left by the word of the server');
});

test('a lobby does not hide another one, nor the word that another one was closed', () => {
  const lobby = (/** @type {string} */ id) =>
    /** @type {ServerMessage} */ ({
      type: 'lobby',
      lobby: id,
      variant: 'crossfire',
      time: { initial: 60_000 },
      rated: false,
      public: true,
      key: 'k',
      host: 'u',
      seats: [],
    });
  assert.deepEqual(Object.keys(after(lobby('a'), lobby('b')).lobbies), ['a', 'b']);
  const closed = after(
    lobby('a'),
    lobby('b'),
    { type: 'lobby_closed', lobby: 'a', why: 'removed' },
    lobby('b'),
  );
  assert.deepEqual([Object.keys(closed.lobbies), closed.lobbyClosed?.lobby], [['b'], 'a']);
  assert.equal(
    after({ type: 'lobby_closed', lobby: 'a', why: 'left' }, lobby('a')).lobbyClosed,
    null,
    'one is in it again',
  );
  assert.deepEqual(after(lobby('a'), HELLO).lobbies, {}, 'what has become of it is asked anew');
});

test('a new greeting forgets what only the old connection knew', () => {
  const queued = after(QUEUE);
  assert.ok(queued.queue);
  const greeted = reduce(queued, {
    kind: 'message',
    message: {
      type: 'hello',
      version: 1,
      build: 'x',
      boot: 'b',
      now: 0,
      user: { id: 'u', name: 'n', kind: 'guest' },
    },
    now: 0,
  });
  assert.equal(greeted.queue, null);
  assert.equal(greeted.connection.status, 'open');
});

test('what happened since the own move is what others and the server did', () => {
  const played = (/** @type {number} */ seq, /** @type {string} */ seat, by_server = false) => ({
    seq,
    at: 0,
    hash: '',
    event: { kind: /** @type {const} */ ('played'), seat, action: 'a1-a2', ply: 0, clock: 0, by_server },
  });
  assert.deepEqual(
    sinceOwnMove([played(1, 's'), played(2, 'w'), played(3, 'n'), played(4, 's', true)], 's').map(
      (entry) => entry.seq,
    ),
    [2, 3, 4],
  );
});

test('a game that was waited for takes its player along, one that still runs does not', () => {
  /** @type {ServerMessage} */
  const start = { type: 'game_start', game: GAME, seat: 's' };
  assert.equal(after(start).started, null);
  assert.deepEqual(after(start).mine, { [GAME]: 's' });
  const queued = after(QUEUE, start);
  assert.deepEqual(queued.started, { game: GAME, seat: 's' });
  assert.deepEqual(
    after({ type: 'unqueued', why: 'matched' }, start).started,
    { game: GAME, seat: 's' },
    'the queue is left before the game begins',
  );
});

test('an aborted game has nobody on turn, heard as it happens or found so', () => {
  const heard = after(
    snapshot,
    event(4, { event: { kind: 'aborted', cause: 'first_move' }, change: undefined }),
  ).games[GAME];
  assert.deepEqual([heard?.aborted, heard?.board.turn, heard?.board.ply], [true, null, 0]);
  const found = after({
    .../** @type {Extract<ServerMessage, {type: 'snapshot'}>} */ (snapshot),
    aborted: true,
  }).games[GAME];
  assert.deepEqual([found?.aborted, found?.board.turn], [true, null]);
});

test('a game in which the own army is out is not offered as one to go back to', () => {
  const start = /** @type {ServerMessage} */ ({ type: 'game_start', game: GAME, seat: 's' });
  assert.deepEqual(after(start, snapshot).mine, { [GAME]: 's' });
  const armies = [
    { army: 's', controller: 's', status: 'abandoned' },
    { army: 'w', controller: 'w', status: 'active' },
  ];
  const resigned = event(4, {
    event: { kind: 'played', seat: 's', action: 'resign:s', ply: 0, clock: 1 },
    change: { armies, turn: 'w', ply: 0 },
  });
  assert.deepEqual(after(start, snapshot, resigned).mine, {});
});
