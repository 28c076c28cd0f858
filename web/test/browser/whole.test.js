/** Whole games of each kind, played by moves to the end that the rules give them: nobody resigns. */

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { gather, launch, myTurn, typeMove } from './browser.js';
import { lineOf } from './lines.js';

/** @type {import('./browser.js').Browser} */
let browser;
before(async () => {
  browser = await launch();
});
after(() => browser.close());

/** Name, letters in turn order, the result in words, places in the order in which they are shown, and a line of the ledger. @type {[string, string, RegExp, string[], RegExp][]} */
const GAMES = [
  [
    'Crossfire',
    'swne',
    /^South wins/,
    ['1 South', '2 West', '2 East', '4 North'],
    /North fell: mated; by South’s move; South’s queen on k11 gave the check/,
  ],
  [
    'Four Kingdoms',
    'rbyg',
    /^Red wins/,
    ['1 Red', '2 Green', '3 Blue', '4 Yellow'],
    /Blue fell: mated; by Red’s move; .*\+20/,
  ],
  [
    'Quaternity',
    'wrbg',
    /^White wins/,
    ['1 White', '2 Green', '3 Black', '4 Red'],
    /The army Red passes from Black to White/,
  ],
  ['Cross Chess A', 'wb', /^Red wins: checkmate/, ['1 Red', '2 Black'], /checkmate/],
  ['Cross Chess B', 'wb', /^White wins: checkmate/, ['1 White', '2 Black'], /checkmate/],
];

for (const [game, letters, heading, placements, told] of GAMES) {
  test(`a whole game of ${game} is played by moves to its end, and everyone sees the places`, async () => {
    const people = await gather(browser, game, letters.length);
    for (const [seat, mv] of lineOf(game)) {
      const mover = people[letters.indexOf(seat)];
      assert.ok(mover);
      await myTurn(mover.page);
      await typeMove(mover.page, mv);
    }
    for (const { page, context, faults } of people) {
      const result = page.getByRole('region', { name: 'Result' });
      await result.getByRole('heading', { name: heading }).waitFor();
      const rows = await result
        .locator('.placements li')
        .evaluateAll((items) =>
          items.map(
            (item) => `${item.querySelector('.place')?.textContent} ${item.querySelector('b')?.textContent}`,
          ),
        );
      assert.deepEqual(rows, placements);
      await page.getByRole('tab', { name: 'Ledger' }).click();
      await page
        .getByRole('list', { name: /What happened/ })
        .getByText(told)
        .first()
        .waitFor();
      assert.deepEqual(faults, []);
      await context.close();
    }
  });
}
