import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ERASER, Setup, brushes, documentOf } from '../js/ui/setup.js';
import { CROSS } from './shapes.js';

/** @returns {import('../js/ui/setup.js').PositionDocument} */
const base = () => ({
  variant: 'crossfire',
  ply: 7,
  turn: 'w',
  pieces: { h1: 'sK', d1: 'sR', k1: 'sR', a7: 'wK', h14: 'nK', n8: 'eK' },
  armies: {
    s: { status: 'active', castling: 'KQ' },
    w: { status: 'active', castling: '' },
    n: { status: 'active', castling: '' },
    e: { status: 'active', castling: '' },
  },
  en_passant: [{ army: 's' }],
  quiet_plies: 3,
  offer: { by: 's' },
  passes: 1,
  left: [],
  outcome: null,
});

test('what a hand cannot show begins anew; a right to castle stays while king and rooks stand', () => {
  const same = documentOf(base(), base().pieces, 'n');
  assert.deepEqual(
    [same.en_passant, same.quiet_plies, same.offer, same.passes, same.turn],
    [[], 0, null, 0, 'n'],
  );
  assert.ok(!('left' in same), 'who left when is not known');
  assert.equal(same.armies.s?.castling, 'KQ');
  const { d1: _, ...without } = base().pieces;
  assert.equal(documentOf(base(), without, 'n').armies.s?.castling, '');
});

test('an army whose king is not on the board has fallen; the one on turn is left to the server', () => {
  const { a7: _a, n8: _b, ...pieces } = base().pieces;
  const made = documentOf(base(), pieces, 's');
  assert.deepEqual(
    ['s', 'w', 'n', 'e'].map((army) => made.armies[army]?.status),
    ['active', 'fallen', 'active', 'fallen'],
  );
  assert.equal(documentOf(base(), pieces, 'w').armies.w?.status, 'active');
});

test('a brush puts down and takes away, the eraser takes away, the hand moves', () => {
  let changes = 0;
  const setup = new Setup(base(), () => {
    changes += 1;
  });
  assert.equal(setup.place('d1'), false, 'with the hand nothing is put down');
  setup.move('d1', 'e5');
  setup.brush = 'wQ';
  setup.place('f6');
  setup.place('g7');
  setup.place('g7');
  setup.brush = ERASER;
  setup.place('k1');
  assert.deepEqual(
    [setup.pieces.d1, setup.pieces.e5, setup.pieces.f6, setup.pieces.g7, setup.pieces.k1],
    [undefined, 'sR', 'wQ', undefined, undefined],
  );
  assert.equal(changes, 5);
  assert.equal(setup.turn, 'w');
});

test('the brushes of an army are its letters in every form that the start knows', () => {
  assert.deepEqual(brushes(CROSS, { a1: 'sK', b1: 'sP^', c1: 'wP*', d1: 'nP^' }, 'e'), ['eK', 'eP^', 'eP*']);
});
