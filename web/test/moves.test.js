import assert from 'node:assert/strict';
import { test } from 'node:test';
import { choicesFor, duePremove, parseMove, readTyped, targetsByOrigin } from '../js/moves.js';

/** @type {import('../js/protocol.js').Choice[]} */
const choices = [
  { mv: 'e2-e4' },
  { mv: 'e2-e3' },
  { mv: 'd4-e5', captures: 'e4' },
  { mv: 'h1-j1', rook: ['k1', 'i1'] },
  { mv: 'h1-f1', rook: ['d1', 'g1'] },
  { mv: 'e13-e14=Q' },
  { mv: 'e13-e14=N' },
  { mv: 'b1-c3' },
  { mv: 'e4-c3' },
];
const pieces = { e2: 'sP', d4: 'sP', h1: 'sK', k1: 'sR', d1: 'sR', e13: 'sP', b1: 'sN', e4: 'sN' };

test('a move is read into squares and promotion, a pass is none', () => {
  assert.deepEqual(parseMove('e13-e14=Q'), { from: 'e13', to: 'e14', promotion: 'Q' });
  assert.deepEqual(parseMove('random:b4-b5'), { from: 'b4', to: 'b5', promotion: null });
  assert.equal(parseMove('pass'), null);
  assert.equal(parseMove('resign:w'), null);
});

test('castling can be asked for by the king’s square, or king and rook in either order', () => {
  for (const [from, to] of /** @type {const} */ ([
    ['h1', 'j1'],
    ['h1', 'k1'],
    ['k1', 'h1'],
  ])) {
    assert.deepEqual(
      choicesFor(choices, from, to).map((choice) => choice.mv),
      ['h1-j1'],
      `${from} ${to}`,
    );
  }
});

test('en passant shows as a capture on the square entered', () => {
  const target = targetsByOrigin(choices)
    .get('d4')
    ?.find((other) => other.to === 'e5');
  assert.equal(target?.captures, true);
});

test('a promotion is one target with several choices', () => {
  assert.equal(choicesFor(choices, 'e13', 'e14').length, 2);
});

test('a premove that is due becomes a choice, the best promotion, or nothing', () => {
  assert.equal(duePremove(choices, { from: 'e2', to: 'e4' })?.mv, 'e2-e4');
  assert.equal(duePremove(choices, { from: 'e13', to: 'e14' })?.mv, 'e13-e14=Q');
  assert.equal(duePremove(choices, { from: 'e2', to: 'e5' }), null);
});

test('typed moves are read in the ways people write them', () => {
  const read = (/** @type {string} */ text) => readTyped(text, choices, pieces);
  for (const text of ['e2-e4', 'e2e4', ' E2 e4 '])
    assert.deepEqual(read(text), { choice: { mv: 'e2-e4' } }, text);
  assert.deepEqual(read('e3'), { choice: { mv: 'e2-e3' } });
  assert.deepEqual(read('e13e14=n'), { choice: { mv: 'e13-e14=N' } });
  assert.deepEqual(read('e13e14'), { problem: 'promotion' });
  assert.deepEqual(read('Nc3'), { problem: 'ambiguous' });
  assert.deepEqual(read('o-o'), { choice: choices[3] });
  assert.deepEqual(read('O-O-O'), { choice: choices[4] });
  assert.deepEqual(read('e2-e5'), { problem: 'illegal' });
  assert.deepEqual(read('pass'), { problem: 'illegal' });
  assert.deepEqual(read('hello'), { problem: 'unreadable' });
});
