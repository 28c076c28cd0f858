/** The catalogues are complete and equal in their keys and places, and the client asks for nothing that they do not have. */

import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { catalogue as en } from '../js/i18n/en.js';
import { translator } from '../js/i18n/translate.js';

const root = new URL('../js/', import.meta.url);
const modules = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((name) =>
  name.endsWith('.js'),
);
const sources = modules.filter((name) => !name.startsWith('i18n/'));

/** The other languages, and their catalogues. */
const languages = modules
  .flatMap((name) => /^i18n\/([a-z]{2})\.js$/.exec(name)?.[1] ?? [])
  .filter((language) => language !== 'en');
/** @type {[string, Record<string, string>][]} */
const translations = await Promise.all(
  languages.map(async (language) => [
    language,
    (await import(new URL(`i18n/${language}.js`, root).href)).catalogue,
  ]),
);

test('the catalogues are found', () => {
  assert.ok(languages.includes('de'), String(languages));
});

test('all catalogues have the same keys', () => {
  for (const [language, catalogue] of translations)
    assert.deepEqual(Object.keys(catalogue).sort(), Object.keys(en).sort(), language);
});

/** The texts that are the same in English, by language. @type {Record<string, string[]>} */
const COMMON = {
  de: [
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
    'filter.status',
    'settings.language.en',
    'settings.language.de',
  ],
};

test('nothing is left untranslated: what reads as in English is known to', () => {
  for (const [language, catalogue] of translations) {
    const alike = Object.keys(en).filter(
      (key) => en[key] === catalogue[key] && /[A-Za-z]{2}/.test((en[key] ?? '').replace(/\{\w+\}/g, '')),
    );
    assert.deepEqual(
      alike.filter((key) => !COMMON[language]?.includes(key)),
      [],
      language,
    );
  }
  for (const catalogue of [en, ...translations.map(([, other]) => other)])
    for (const [key, text] of Object.entries(catalogue)) assert.ok(text.trim(), key);
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

test('a text has the same places in all languages', () => {
  const places = (/** @type {string | undefined} */ text) => [...new Set(text?.match(/\{\w+\}/g))].sort();
  for (const [language, catalogue] of translations)
    for (const key of Object.keys(en))
      assert.deepEqual(places(catalogue[key]), places(en[key]), `${language}: ${key}`);
});

test('every key that the client names exists', () => {
  const missing = sources.flatMap((name) => {
    const source = readFileSync(new URL(name, root), 'utf8');
    return [...source.matchAll(/\bt\(\s*'([\w.+-]+)'/g)]
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
