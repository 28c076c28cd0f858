/** What a browser downloads stays small, and nothing in it comes from elsewhere or breaks the page's policy. */

import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { MODULES_AHEAD } from '../js/ahead.js';

const root = new URL('../', import.meta.url);
const served = ['index.html', 'icon.svg', ...['js', 'css'].flatMap((folder) => readdirSync(new URL(`${folder}/`, root), { recursive: true, encoding: 'utf8' })
  .filter((name) => /\.(js|css)$/.test(name)).map((name) => `${folder}/${name}`))];
const text = (/** @type {string} */ name) => readFileSync(new URL(name, root), 'utf8');

test('the whole client is under 150 kB gzipped', () => {
  const size = served.reduce((sum, name) => sum + gzipSync(text(name)).length, 0);
  assert.ok(served.length > 40, 'the files were found');
  assert.ok(size < 150_000, `${size} bytes`);
});

test('nothing is loaded from another site, written as markup, or styled inline', () => {
  for (const name of served) {
    const source = text(name).replaceAll('http://www.w3.org/2000/svg', '');
    assert.doesNotMatch(source, /https?:\/\//, name);
    assert.doesNotMatch(source, /innerHTML|outerHTML|insertAdjacentHTML|document\.write|setAttribute\('style'|\seval\(|new Function/, name);
    assert.doesNotMatch(source, /<script>|\sstyle=|\son\w+="/, name);
  }
});

/** @param {string} name @param {Set<string>} seen The modules that a module brings along. */
function reach(name, seen) {
  if (seen.has(name)) return seen;
  seen.add(name);
  for (const [, from = ''] of text(name).matchAll(/^(?:import|export|\})[^\n]*? from '(\.[^']+)';/gm)) reach(new URL(from, new URL(name, root)).href.slice(root.href.length), seen);
  return seen;
}

/** @param {string[]} names Everything that modules bring along, without the modules that the page itself starts. */
const reached = (...names) => [...new Set(names.flatMap((name) => [...reach(name, new Set())]))].filter((name) => name !== 'js/main.js').sort();

test('the page names ahead all modules of the home page and its words, so that none waits for another to be read', () => {
  const named = [...text('index.html').matchAll(/rel="modulepreload" href="\/([^"]+)"/g)].map((found) => found[1]);
  assert.deepEqual(named, [...reached('js/main.js', 'js/views/home.js'), 'js/i18n/en.js'].sort());
});

test('those of the table and of the lobby dialog are named when the first view stands', () => {
  const home = new Set(reached('js/main.js', 'js/views/home.js'));
  assert.deepEqual(MODULES_AHEAD.map((name) => `js/${name}.js`), reached('js/views/table.js', 'js/views/create.js').filter((name) => !home.has(name)));
});
