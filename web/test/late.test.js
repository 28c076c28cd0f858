/** What is told of games that spectators see late. */

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { catalogue as de } from '../js/i18n/de.js';
import { catalogue as en } from '../js/i18n/en.js';
import { translator } from '../js/i18n/translate.js';
import { delaysUpTo, lateText } from '../js/names.js';

const [english, german] = [translator('en', en), translator('de', de)];

test('spectators are told how late they see a game, and players how late others do', () => {
  assert.equal(lateText(english, 15_000, false), 'Shown 15 seconds late');
  assert.equal(lateText(english, 60_000, false), 'Shown 1 minute late');
  assert.equal(lateText(english, 90_000, true), 'Shown to spectators 90 seconds late');
  assert.equal(lateText(german, 300_000, false), 'Um 5 Minuten verzögert');
  assert.equal(lateText(german, 1_000, true), 'Für Zuschauer um 1 Sekunde verzögert');
});

test('nothing is told of a game that all see at once', () => {
  assert.equal(lateText(english, 0, false), '');
  assert.equal(lateText(english, 0, true), '');
});

test('only delays that the server allows can be chosen, its greatest among them', () => {
  assert.deepEqual(delaysUpTo(300_000), [0, 15_000, 60_000, 300_000]);
  assert.deepEqual(delaysUpTo(3_600_000), [0, 15_000, 60_000, 300_000]);
  assert.deepEqual(delaysUpTo(120_000), [0, 15_000, 60_000, 120_000]);
  assert.deepEqual(delaysUpTo(60_000), [0, 15_000, 60_000]);
  assert.deepEqual(delaysUpTo(1_000), [0, 1_000]);
  assert.deepEqual(delaysUpTo(0), [0]);
});
