/** The examples of the protocol are the contract: the client reads every message of the server and writes every message of clients. */

import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { test } from 'node:test';
import { frame, readMessage } from '../js/protocol.js';
import { EMPTY, reduce } from '../js/reduce.js';

const folder = new URL('../../crates/protocol/examples/', import.meta.url);
const files = readdirSync(folder).filter((name) => name.endsWith('.json'));

/** @param {string} name @returns {Record<string, unknown>[]} */
function examples(name) {
  const value = JSON.parse(readFileSync(new URL(name, folder), 'utf8'));
  return Array.isArray(value) ? value : [value];
}

/** @param {string} name @returns {import('../js/protocol.js').ServerMessage[]} */
function messages(name) {
  return examples(name).map((example) => {
    const message = readMessage(JSON.stringify(example));
    assert.ok(message, name);
    return message;
  });
}

/** @param {import('../js/reduce.js').State} state @param {import('../js/protocol.js').ServerMessage} message */
const hear = (state, message) => reduce(state, { kind: 'message', message, now: 1 });

test('every message of the server is read, and changes the state of one who follows everything', () => {
  const [snapshot] = messages('server.snapshot.json');
  /** @type {import('../js/protocol.js').ServerMessage} */
  const lobbies = { type: 'lobbies', lobbies: [], games: [] };
  assert.ok(snapshot?.type === 'snapshot');
  const silent = new Set([
    'event',
    'presence',
    'spectators',
    'table',
    'chat',
    'your_turn',
    'ok',
    'lobby_unlisted',
    'game_unlisted',
    'lobby_closed',
    'game_end',
    'unqueued',
    'lobbies',
  ]);
  for (const name of files.filter((file) => file.startsWith('server.'))) {
    for (const message of messages(name)) {
      assert.equal(message.type, name.split('.')[1]);
      const followed =
        'game' in message && typeof message.game === 'string'
          ? {
              ...snapshot,
              game: message.game,
              seq: 'seq' in message ? Number(message.seq) - 1 : snapshot.seq,
            }
          : snapshot;
      const before = [lobbies, followed].reduce(hear, EMPTY);
      const after = hear(before, message);
      if (!silent.has(message.type)) assert.notDeepEqual(after, before, name);
      if (message.type === 'event') assert.equal(after.games[message.game]?.seq, message.seq, name);
      if (message.type === 'lobbies') assert.deepEqual(after.listing?.games, message.games);
      if (message.type === 'chat') assert.equal(after.games[message.game]?.chat.at(-1)?.name, message.name);
    }
  }
});

test('every message of clients is one that this client can write', () => {
  for (const name of files.filter((file) => file.startsWith('client.'))) {
    for (const example of examples(name)) {
      const { id, ...request } = example;
      const written = JSON.parse(
        frame(
          String(id),
          /** @type {import('../js/protocol.js').Request} */ (/** @type {unknown} */ (request)),
        ),
      );
      assert.deepEqual(written, example, name);
    }
  }
});
