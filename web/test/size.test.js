/** What a browser downloads stays small, and nothing in it comes from elsewhere or breaks the page's policy. */

import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';

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

test('the page names ahead all modules of home and table, so that none waits for another to be read', () => {
  const needed = new Set(['js/main.js', 'js/views/home.js', 'js/views/table.js'].flatMap((name) => [...reach(name, new Set())]));
  needed.delete('js/main.js');
  const named = [...text('index.html').matchAll(/rel="modulepreload" href="\/([^"]+)"/g)].map((found) => found[1]);
  assert.deepEqual(named, [...needed].sort());
});
