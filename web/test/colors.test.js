/** The armies are told apart by everyone: distances of the palette's colours, computed from the CSS itself. */

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { SIGHTS, ciede2000, simulate, toLab } from './color.js';

const css = readFileSync(new URL('../css/tokens.css', import.meta.url), 'utf8');
const ARMIES = ['bone', 'iron', 'idol', 'circuit'];

/** @param {string} selector @param {string} name */
function color(selector, name) {
  const block = css.slice(css.indexOf(selector)).split('}')[0] ?? '';
  const found = new RegExp(`--${name}: (#[0-9A-Fa-f]{6});`).exec(block);
  assert.ok(found?.[1], `${selector} --${name}`);
  return found[1];
}

for (const [palette, selector] of /** @type {const} */ ([
  ['standard', ':root {'],
  ['contrast', ':root[data-palette="contrast"] {'],
])) {
  test(`armies differ from each other and from the dead in the ${palette} palette, however one sees`, () => {
    for (const sight of SIGHTS) {
      const lab = (/** @type {string} */ name) => toLab(simulate(color(selector, name), sight));
      for (const [index, one] of ARMIES.entries()) {
        for (const other of ARMIES.slice(index + 1)) {
          const distance = ciede2000(lab(one), lab(other));
          assert.ok(distance >= 15, `${one} and ${other} seen ${sight}: ${distance.toFixed(1)}`);
        }
        const distance = ciede2000(lab(one), lab('dead'));
        assert.ok(distance >= 12, `${one} and the dead seen ${sight}: ${distance.toFixed(1)}`);
      }
    }
  });
}

test('the standard palette keeps a distance above 25 between armies', () => {
  let smallest = Infinity;
  for (const sight of SIGHTS) {
    const labs = ARMIES.map((name) => toLab(simulate(color(':root {', name), sight)));
    const distances = labs.flatMap((one, index) =>
      labs.slice(index + 1).map((other) => ciede2000(one, other)),
    );
    smallest = Math.min(smallest, ...distances);
  }
  assert.ok(smallest > 25, smallest.toFixed(2));
});

test('the distance formula gives the published values', () => {
  // Two pairs of the test data published with the formula (Sharma, Wu, Dalal 2005).
  assert.ok(Math.abs(ciede2000([50, 2.6772, -79.7751], [50, 0, -82.7485]) - 2.0425) < 1e-4);
  assert.ok(Math.abs(ciede2000([22.7233, 20.0904, -46.694], [23.0331, 14.973, -42.5619]) - 2.0373) < 1e-4);
});
