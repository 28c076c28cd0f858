import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  cornerGap,
  edgeLabels,
  fromScreen,
  placeOfSide,
  shapeOf,
  squareName,
  step,
  toScreen,
  turnOfArrow,
  viewOf,
} from '../js/board/geometry.js';
import { CROSS, POINTS } from './shapes.js';

const views = /** @type {const} */ ([0, 1, 2, 3]);

test('every square comes back from the screen in every view', () => {
  for (const info of [CROSS, POINTS]) {
    const shape = shapeOf(info);
    for (const view of views) {
      const places = new Set();
      for (const cell of shape.cells) {
        const at = toScreen(shape, view, cell);
        const back = fromScreen(shape, view, at);
        assert.equal(squareName(back.file, back.rank), cell.name);
        places.add(`${at.column},${at.row}`);
      }
      assert.equal(places.size, shape.cells.length);
    }
  }
});

test('the cross has 160 squares and empty corners of three', () => {
  assert.equal(shapeOf(CROSS).cells.length, 160);
  assert.equal(cornerGap(shapeOf(CROSS)), 3);
  assert.equal(cornerGap(shapeOf(POINTS)), 0);
});

test('each side is at the bottom in its own view', () => {
  const shape = shapeOf(CROSS);
  const homes = { south: 'g1', west: 'a8', north: 'g14', east: 'n8' };
  for (const [side, square] of Object.entries(homes)) {
    const cell = shape.byName.get(square);
    assert.ok(cell);
    assert.equal(toScreen(shape, viewOf(side), cell).row, 13, side);
    assert.equal(placeOfSide(side, viewOf(side)), 0);
  }
});

test('the west player has north on its left', () => {
  assert.equal(placeOfSide('north', viewOf('west')), 1);
  const shape = shapeOf(CROSS);
  const north = shape.byName.get('d14');
  assert.ok(north);
  assert.equal(toScreen(shape, viewOf('west'), north).column, 0);
});

test('a step follows the screen, jumps over holes and ends at the edge', () => {
  const shape = shapeOf(CROSS);
  assert.equal(step(shape, 0, 'd4', 0, -1), 'd5');
  assert.equal(step(shape, 2, 'd4', 0, -1), 'd3');
  assert.equal(step(shape, 1, 'd4', 0, -1), 'e4');
  assert.equal(step(shape, 0, 'd3', -1, 0), null);
  assert.equal(step(shape, 0, 'a4', 0, 1), null);
});

test('labels stand below the lowest and beside the leftmost square and turn with the board', () => {
  const shape = shapeOf(CROSS);
  const { below, beside } = edgeLabels(shape, 0);
  assert.deepEqual(
    below.find((label) => label.text === 'a'),
    { column: 0, row: 10, text: 'a' },
  );
  assert.deepEqual(
    below.find((label) => label.text === 'd'),
    { column: 3, row: 13, text: 'd' },
  );
  assert.deepEqual(
    beside.find((label) => label.text === '1'),
    { column: 3, row: 13, text: '1' },
  );
  const turned = edgeLabels(shape, 1);
  assert.ok(turned.below.some((label) => label.text === '14'));
  assert.ok(turned.beside.some((label) => label.text === 'n'));
});

test('an arrow of a pawn turns with the board', () => {
  assert.equal(turnOfArrow('^', 0), 0);
  assert.equal(turnOfArrow('>', 1), 0);
  assert.equal(turnOfArrow('<', 2), 1);
  assert.equal(turnOfArrow('^', 1), 3);
  // Seen from the west, the right of the board is ahead.
  const shape = shapeOf(POINTS);
  const from = toScreen(shape, 1, { file: 2, rank: 2 });
  const to = toScreen(shape, 1, { file: 3, rank: 2 });
  assert.deepEqual([to.column - from.column, to.row - from.row], [0, -1]);
});
