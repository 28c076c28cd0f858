/** What becomes of requests whose connection is lost before the answer: sent again under their ids where the server still knows them. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isRepeatable } from '../js/protocol.js';
import { EMPTY, reduce } from '../js/reduce.js';
import { Socket } from '../js/socket.js';

/** @typedef {import('../js/protocol.js').Request} Request */

/** A line to a server that does what the test says. */
class Line {
  /** @type {Line[]} */ static all = [];
  /** @type {any[]} */ sent = [];
  /** @type {() => void} */ onopen = () => undefined;
  /** @type {(event: {data: string}) => void} */ onmessage = () => undefined;
  /** @type {(event: {code: number}) => void} */ onclose = () => undefined;
  constructor() {
    Line.all.push(this);
  }
  /** @param {string} text */
  send(text) {
    this.sent.push(JSON.parse(text));
  }
  close() {}
  /** @param {string} boot */
  greet(boot) {
    this.onopen();
    this.say({
      type: 'hello',
      version: 1,
      build: 'test',
      boot,
      now: 0,
      user: { id: 'u', name: 'Ada', kind: 'guest' },
    });
  }
  /** @param {object} message */
  say(message) {
    this.onmessage({ data: JSON.stringify(message) });
  }
  /** @param {string} type */
  ids(type) {
    return this.sent.filter((message) => message.type === type).map((message) => message.id);
  }
}

/** @type {(() => void)[]} */
const timers = [];
Object.assign(globalThis, {
  WebSocket: Line,
  addEventListener: () => undefined,
  document: { addEventListener: () => undefined, visibilityState: 'visible' },
  window: { setInterval: () => 0, setTimeout: (/** @type {() => void} */ call) => timers.push(call) },
});

/** A socket that has been greeted, and its line. */
async function connected(boot = 'one') {
  let state = EMPTY;
  const store = {
    state: () => state,
    dispatch: (/** @type {any} */ action) => {
      state = reduce(state, action);
    },
  };
  const socket = new Socket(/** @type {any} */ (store), {
    url: 'ws://test',
    identify: async () => undefined,
  });
  await socket.open();
  const line = /** @type {Line} */ (Line.all.at(-1));
  line.greet(boot);
  return { socket, store, line };
}

/** The next line, after the last one was lost. */
async function back(boot = 'one') {
  const count = Line.all.length;
  timers.pop()?.();
  while (Line.all.length === count) await Promise.resolve();
  const line = /** @type {Line} */ (Line.all.at(-1));
  line.greet(boot);
  return line;
}

/** @type {Request} */
const playNow = { type: 'play_now', variant: 'crossfire' };
/** @type {Request} */
const move = { type: 'move', game: 'g', ply: 0, mv: 'd2-d4' };

test('the same start of the server is asked again under the same id, and answers once', async () => {
  const { socket, line } = await connected();
  const asked = socket.ask(playNow);
  const [id] = line.ids('play_now');
  line.onclose({ code: 1006 });
  const again = await back();
  assert.deepEqual(again.ids('play_now'), [id]);
  again.say({ type: 'ok', id, game: 'g' });
  assert.equal((await asked).game, 'g');
});

test('a restarted server is sent the moves again, and nothing that it has forgotten', async () => {
  const { socket, store, line } = await connected();
  const asked = socket.ask(playNow);
  const moved = socket.ask(move);
  line.onclose({ code: 1012 });
  const again = await back('two');
  await assert.rejects(asked, { code: 'connection_lost' });
  assert.deepEqual(again.ids('play_now'), []);
  assert.deepEqual(again.ids('move'), line.ids('move'));
  assert.deepEqual(
    store.state().outgoing.map((out) => out.request.type),
    ['move'],
  );
  again.say({ type: 'ok', id: again.ids('move')[0], seq: 2 });
  assert.equal((await moved).seq, 2);
});

test('what was asked for while there was no connection is sent to any server', async () => {
  const { socket, line } = await connected();
  line.onclose({ code: 1012 });
  const asked = socket.ask(playNow);
  const again = await back('two');
  again.say({ type: 'ok', id: again.ids('play_now')[0], game: 'g' });
  assert.equal((await asked).game, 'g');
});

test('another user does not send what the first one sent', async () => {
  const { socket, line } = await connected();
  const asked = socket.ask(playNow);
  const count = Line.all.length;
  socket.restart();
  await assert.rejects(asked, { code: 'connection_lost' });
  while (Line.all.length === count) await Promise.resolve();
  const again = /** @type {Line} */ (Line.all.at(-1));
  again.greet('one');
  assert.equal(line.ids('play_now').length, 1);
  assert.deepEqual(again.ids('play_now'), []);
});

test('what the server remembers for a minute is sent again for less than that', () => {
  const sent = { boot: 'one', at: 1_000 };
  for (const request of /** @type {Request[]} */ ([
    playNow,
    { type: 'say', game: 'g', phrase: 'good_luck' },
    { type: 'leave_queue' },
  ])) {
    assert.equal(isRepeatable(request, sent, { boot: null, at: 45_999 }), true, request.type);
    assert.equal(isRepeatable(request, sent, { boot: 'one', at: 45_999 }), true, request.type);
    assert.equal(isRepeatable(request, sent, { boot: 'one', at: 46_000 }), false, request.type);
    assert.equal(isRepeatable(request, sent, { boot: 'two', at: 1_001 }), false, request.type);
  }
  assert.equal(isRepeatable(move, sent, { boot: 'two', at: 1e9 }), true);
  assert.equal(isRepeatable({ type: 'watch', game: 'g' }, sent, { boot: 'one', at: 1_001 }), false);
});
