/** What is told of a match that ends before its second game. */

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { catalogue as de } from '../js/i18n/de.js';
import { catalogue as en } from '../js/i18n/en.js';
import { translator } from '../js/i18n/translate.js';
import { ledgerLines } from '../js/table/sentences.js';
import { POINTS } from './shapes.js';

const board = { pieces: {}, armies: [], turn: null, ply: 0, checks: [] };
/** @param {import('../js/i18n/translate.js').Translate} t @param {string[]} gone */
const told = (t, gone) =>
  ledgerLines(t, POINTS, { kind: 'match_ended', gone }, [], board).map(({ text }) => text);

test('the ledger says why a match has no second game', () => {
  const [english, german] = [translator('en', en), translator('de', de)];
  assert.deepEqual(told(english, ['b']), [
    'The match ends here: Black has left. The second game is not played, and its point goes to the other side.',
  ]);
  assert.deepEqual(told(english, ['w', 'b']), [
    'The match ends here: nobody is left to play the second game.',
  ]);
  assert.deepEqual(told(english, []), ['The match ends with this game, since it was aborted.']);
  assert.match(told(german, ['b'])[0] ?? '', /^Das Match endet hier: Schwarz ist gegangen\./);
});
