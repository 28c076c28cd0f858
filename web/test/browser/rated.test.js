/** Accounts that meet in the queue: a rated game with its arithmetic, and a match on two boards. */

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import {
  launch,
  meetInQueue,
  myTurn,
  ownArmy,
  playSomething,
  register,
  resign,
  typeMove,
  visitor,
} from './browser.js';
import { lineOf } from './lines.js';

/** @type {import('./browser.js').Browser} */
let browser;
before(async () => {
  browser = await launch();
});
after(() => browser.close());

test('a rated game shows its arithmetic, and the profile its rating with band and forming ring', async () => {
  const people = [await visitor(browser), await visitor(browser)];
  const names = [];
  for (const { page } of people) names.push(await register(page));
  const pages = people.map(({ page }) => page);
  await meetInQueue(pages, 'Cross Chess A');
  /** @type {Record<string, typeof pages[number]>} */
  const seats = {};
  for (const page of pages) seats[(await ownArmy(page)) === 'Red' ? 'w' : 'b'] = page;
  for (const [seat, mv] of lineOf('Cross Chess A')) {
    const mover = seats[seat];
    assert.ok(mover);
    await myTurn(mover);
    await typeMove(mover, mv);
  }
  const winner = seats.w;
  assert.ok(winner);
  const sums = winner.getByRole('region', { name: 'Result' }).locator('.delta summary');
  await sums.nth(1).waitFor();
  const [won = '', lost = ''] = await sums.allTextContents();
  const [, gain = '', rating = '', deviation = ''] = /^1500 \+ (\d+) = (\d+) ±(\d+)$/.exec(won) ?? [];
  assert.equal(1500 + Number(gain), Number(rating), won);
  assert.match(
    lost,
    new RegExp(`^1500 − ${gain} = ${1500 - Number(gain)} ±${deviation}$`),
    'two beginners move alike',
  );
  await sums.first().click();
  const cells = await winner.locator('.pairs').first().locator('tbody :is(th, td)').allTextContents();
  assert.deepEqual(cells.slice(0, 3), ['Black', '1', '0.50']);
  assert.equal(
    Math.round(Number(cells[4])),
    Number(gain),
    `what the opponent brought is the whole change: ${cells}`,
  );
  // The numbers stand beside each other, not one letter a line.
  assert.ok(((await winner.locator('.pairs').first().boundingBox())?.height ?? 999) < 90);
  await winner.getByText(`Deviation 350 → ${deviation}`).first().waitFor();

  const index = pages.indexOf(winner);
  await winner.goto(new URL('/account', winner.url()).href);
  await winner.getByRole('link', { name: 'Your profile' }).click();
  await winner.getByRole('heading', { name: names[index] ?? '', level: 1 }).waitFor();
  await winner
    .getByRole('img', {
      name: `Rating over 1 games, now ${Number(rating).toLocaleString('en')}, deviation ${deviation}`,
    })
    .waitFor();
  await winner.getByRole('img', { name: '1 of 30 forming games' }).waitFor();
  const shape = await winner
    .locator('.graph')
    .evaluate((graph) =>
      ['band', 'rating-line'].map(
        (name) => graph.querySelector(`.${name}`)?.getBoundingClientRect().height ?? 0,
      ),
    );
  const [band = 0, line = 0] = shape;
  assert.ok(band > line && line > 0, `the band is wider than the line: ${shape}`);
  assert.equal((await winner.locator('.rating .number b').textContent())?.trim(), `${rating}?`);
  await winner.getByRole('list').getByText('checkmate').first().waitFor();
  for (const { context, faults } of people) {
    assert.deepEqual(faults, []);
    await context.close();
  }
});

test('a match on two boards: each plays both sides, and is told when the other board waits', async () => {
  const people = [await visitor(browser), await visitor(browser)];
  const pages = people.map(({ page }) => page);
  await meetInQueue(pages, 'Cross Chess match');
  for (const page of pages) await page.getByRole('link', { name: /The other board/ }).waitFor();
  // Everyone begins on one of the boards; whoever is on turn there plays, and finds the other board by its link.
  const [first, second] = pages;
  assert.ok(first && second);
  const boardOf = async (/** @type {typeof first} */ page) =>
    (await page.getByRole('heading', { level: 1 }).textContent()) ?? '';
  if ((await boardOf(first)) !== (await boardOf(second)))
    await second.getByRole('link', { name: /The other board/ }).click();
  await second.getByRole('heading', { level: 1, name: await boardOf(first) }).waitFor();
  const here = new Set([await ownArmy(first), await ownArmy(second)]);
  assert.equal(here.size, 2, 'each has a side of its own');
  const firstBegins = (await ownArmy(first)) !== 'Black';
  const [beginner, follower] = firstBegins ? [first, second] : [second, first];
  await myTurn(beginner);
  await playSomething(beginner);
  await myTurn(follower);
  // Colours are swapped: who answers here begins there.
  await follower.getByRole('link', { name: 'The other board: your turn' }).click();
  await follower.waitForFunction(
    (title) => document.querySelector('h1')?.textContent !== title,
    await boardOf(beginner),
  );
  await myTurn(follower);
  await playSomething(follower);
  await beginner.getByRole('link', { name: 'The other board: your turn' }).waitFor();
  await follower.getByRole('link', { name: 'The other board: your turn' }).click();
  await myTurn(follower);
  await resign(follower);
  await beginner.getByRole('region', { name: 'Result' }).waitFor();
  await beginner.getByRole('link', { name: 'The other board: your turn' }).click();
  await myTurn(beginner);
  await resign(beginner);
  await beginner.getByRole('link', { name: 'The other board: over' }).waitFor();
  for (const { context, faults } of people) {
    assert.deepEqual(faults, []);
    await context.close();
  }
});
