import assert from 'node:assert/strict';
import { test } from 'node:test';

import { seatsInTurn, standing, stillPlays } from '../js/standing.js';
import { turnsUntil } from '../js/table/timeline.js';

/** @param {string} turn @param {string[]} statuses */
const board = (turn, statuses) =>
  /** @type {import('../js/protocol.js').BoardView} */ (
    /** @type {unknown} */ ({
      turn,
      armies: ['s', 'w', 'n', 'e'].map((army, index) => ({
        army,
        status: statuses[index],
        controller: army,
      })),
    })
  );

test('who has left takes no turns and is promised none', () => {
  for (const status of ['abandoned', 'fallen', 'frozen', 'eliminated']) {
    const now = board('w', [status, 'active', 'active', 'active']);
    assert.deepEqual(seatsInTurn(now), ['w', 'n', 'e']);
    assert.equal(turnsUntil(now, 's'), null, status);
    assert.equal(turnsUntil(now, 'e'), 2);
  }
});

test('a surrendered army still takes its turns', () => {
  const now = board('w', ['surrendered', 'active', 'active', 'active']);
  assert.equal(turnsUntil(now, 's'), 3);
  assert.equal(turnsUntil(now, 'w'), 0);
});

test('who is out of play decides nothing any more, and only a lost army is shown as one', () => {
  const game = (/** @type {string} */ status, more = {}) =>
    /** @type {import('../js/game.js').GameState} */ (
      /** @type {unknown} */ ({
        you: 's',
        board: board('w', [status, 'active', 'active', 'active']),
        ...more,
      })
    );
  assert.equal(stillPlays(game('active')), true);
  for (const status of ['surrendered', 'abandoned', 'frozen', 'fallen', 'eliminated', 'of a later server'])
    assert.equal(stillPlays(game(status)), false, status);
  for (const over of [{ aborted: true }, { ending: {} }, { you: null }])
    assert.equal(stillPlays(game('active', over)), false);
  assert.deepEqual(
    ['active', 'surrendered', 'abandoned', 'frozen', 'fallen', 'eliminated'].filter(
      (status) => standing(status).isLost,
    ),
    ['fallen', 'eliminated'],
  );
});
