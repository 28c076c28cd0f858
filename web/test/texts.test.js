/** The catalogues are complete and equal in their keys and places, and the client asks for nothing that they do not have. */

import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { test } from 'node:test';
import { catalogue as de } from '../js/i18n/de.js';
import { catalogue as en } from '../js/i18n/en.js';
import { translator } from '../js/i18n/translate.js';

const root = new URL('../js/', import.meta.url);
const sources = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter(
  (name) => name.endsWith('.js') && !name.startsWith('i18n/'),
);

test('both catalogues have the same keys', () => {
  assert.deepEqual(Object.keys(de).sort(), Object.keys(en).sort());
});

/** Words that are the same in both languages. */
const COMMON = new Set([
  'variant.crossfire',
  'variant.quaternity',
  'army.crossfire.w',
  'faction.crossfire.n',
  'game.running',
  'level.page',
  'tab.chat',
  'chat.label',
  'kind.bot',
  'account.name',
  'settings.language.en',
  'settings.language.de',
]);

test('nothing is left untranslated: what reads alike in both languages is known to', () => {
  const alike = Object.keys(en).filter(
    (key) => en[key] === de[key] && /[A-Za-z]{2}/.test((en[key] ?? '').replace(/\{\w+\}/g, '')),
  );
  assert.deepEqual(
    alike.filter((key) => !COMMON.has(key)),
    [],
  );
  for (const [key, text] of [...Object.entries(en), ...Object.entries(de)]) assert.ok(text.trim(), key);
});

test('every text is asked for somewhere', () => {
  const all = sources.map((name) => readFileSync(new URL(name, root), 'utf8')).join('\n');
  // A key is named whole, or by a beginning that something is added to.
  const beginnings = new Set(
    [...all.matchAll(/[`']([a-z_]+(?:\.[a-z_]+)*\.)\$\{/g)].map((found) => found[1] ?? ''),
  );
  const unused = Object.keys(en).filter((key) => {
    const plain = key.replace(/_(one|other)$/, '');
    return !all.includes(`'${plain}'`) && ![...beginnings].some((start) => key.startsWith(start));
  });
  assert.deepEqual(unused, []);
});

test('a text has the same places in both languages', () => {
  const places = (/** @type {string | undefined} */ text) => [...new Set(text?.match(/\{\w+\}/g))].sort();
  for (const key of Object.keys(en)) assert.deepEqual(places(de[key]), places(en[key]), key);
});

test('every key that the client names exists', () => {
  const missing = sources.flatMap((name) => {
    const source = readFileSync(new URL(name, root), 'utf8');
    return [...source.matchAll(/\bt\('([\w.+-]+)'/g)]
      .map((found) => found[1] ?? '')
      .filter((key) => !(key in en) && !(`${key}_other` in en))
      .map((key) => `${name}: ${key}`);
  });
  assert.deepEqual(missing, []);
});

test('numbers choose their form, places are filled, an unknown key shows itself', () => {
  const t = translator('en', { a_one: '{n} point', a_other: '{n} points', b: 'to {x}' });
  assert.equal(t('a', { n: 1 }), '1 point');
  assert.equal(t('a', { n: 1200 }), '1,200 points');
  assert.equal(t('b', { x: 'y' }), 'to y');
  assert.equal(t('c'), 'c');
});
