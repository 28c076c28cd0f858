/** What a browser downloads stays small, and nothing in it comes from elsewhere or breaks the page's policy. */

import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';

const root = new URL('../', import.meta.url);
const served = [
  'index.html',
  'icon.svg',
  ...['js', 'css'].flatMap((folder) =>
    readdirSync(new URL(`${folder}/`, root), { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.(js|css)$/.test(name))
      .map((name) => `${folder}/${name}`),
  ),
];
const text = (/** @type {string} */ name) => readFileSync(new URL(name, root), 'utf8');

test('the whole client is under 150 kB gzipped', () => {
  // The server joins the modules to one file and the style sheets to another, without their comments.
  const of = (/** @type {string} */ folder) =>
    served
      .filter((name) => name.startsWith(folder))
      .map(text)
      .join('');
  const size = ['index.html', 'icon.svg', 'js/', 'css/'].reduce(
    (sum, part) => sum + gzipSync(of(part)).length,
    0,
  );
  assert.ok(served.length > 40, 'the files were found');
  assert.ok(size < 150_000, `${size} bytes`);
});

test('nothing is loaded from another site, written as markup, or styled inline', () => {
  for (const name of served) {
    const source = text(name).replaceAll('http://www.w3.org/2000/svg', '');
    assert.doesNotMatch(source, /https?:\/\//, name);
    assert.doesNotMatch(
      source,
      /innerHTML|outerHTML|insertAdjacentHTML|document\.write|setAttribute\('style'|\seval\(|new Function/,
      name,
    );
    assert.doesNotMatch(source, /<script>|\sstyle=|\son\w+="/, name);
  }
});
