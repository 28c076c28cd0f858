import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import {
  gather,
  launch,
  movesPlayed,
  myTurn,
  playNow,
  playSomething,
  resign,
  typeMove,
  visitor,
} from './browser.js';

/** @type {import('./browser.js').Browser} */
let browser;
before(async () => {
  browser = await launch();
});
after(() => browser.close());

test('one visitor clicks play and plays ten moves against bots', async () => {
  const { context, page, faults } = await visitor(browser);
  await playNow(page);
  await page.getByText(/^Make your first move within \d+ s, or the game is aborted\.$/).waitFor();
  for (let move = 0; move < 10; move += 1) {
    await myTurn(page);
    await playSomething(page);
  }
  assert.ok((await movesPlayed(page)) >= 10);
  assert.equal(await page.locator('.first-move').count(), 0);
  assert.ok(
    await page.evaluate(() =>
      document
        .getAnimations()
        .every((animation) => animation.effect?.getComputedTiming().iterations !== Infinity),
    ),
    'nothing on a table moves for ever',
  );
  assert.deepEqual(faults, []);
  await context.close();
});

const GAMES = /** @type {const} */ ([
  ['Crossfire', 'East', ['South', 'West', 'North', 'East']],
  ['Four Kingdoms', 'Green', ['Red', 'Blue', 'Yellow', 'Green']],
  ['Quaternity', 'Green', ['White', 'Red', 'Black', 'Green']],
  ['Cross Chess A', 'Black', ['Red', 'Black']],
  ['Cross Chess B', 'Black', ['White', 'Black']],
]);

for (const [game, last, armies] of GAMES) {
  test(`people enter one lobby of ${game} by its link and play until all but the last have resigned`, async () => {
    const people = await gather(browser, game, armies.length);
    for (let turn = 0; turn < 2 * armies.length; turn += 1) {
      const mover = people[turn % armies.length];
      assert.ok(mover);
      await myTurn(mover.page);
      await playSomething(mover.page);
    }
    for (const [index, army] of armies.slice(0, -1).entries()) {
      const leaver = people[index];
      const winner = people.at(-1);
      assert.ok(leaver && winner);
      await resign(leaver.page);
      if (index < armies.length - 2) {
        // Out of a game that goes on: nothing to play with, no game of one's own to go back to, and a way onward.
        const out = leaver.page.getByRole('status').filter({ hasText: 'You are out of this game' });
        await out.getByRole('link', { name: 'Home' }).waitFor();
        await leaver.page.getByRole('textbox', { name: 'Type a move' }).waitFor({ state: 'detached' });
        await leaver.page.goto(new URL('/leaderboards', leaver.page.url()).href);
        await leaver.page.locator('.connection.open').waitFor();
        assert.equal(await leaver.page.getByRole('link', { name: 'Your game' }).count(), 0);
        await leaver.page.goBack();
      }
      await winner.page.getByRole('tab', { name: 'Ledger' }).click();
      await winner.page
        .getByText(armies.length > 2 ? `${army} resigned.` : 'resignation')
        .first()
        .waitFor();
    }
    for (const { page, context, faults } of people) {
      await page.getByRole('region', { name: 'Result' }).waitFor();
      if (game !== 'Four Kingdoms')
        await page.getByRole('heading', { name: new RegExp(`^${last} wins`) }).waitFor();
      assert.equal(
        await page.getByRole('region', { name: 'Result' }).locator('.placements li').count(),
        armies.length,
      );
      assert.deepEqual(faults, []);
      await context.close();
    }
  });
}

test('a reload in mid-game brings back the same position and the turn', async () => {
  const { context, page, faults } = await visitor(browser);
  await playNow(page);
  await myTurn(page);
  const first = await playSomething(page);
  await myTurn(page);
  const board = () =>
    page.evaluate(() =>
      [...document.querySelectorAll('[role="gridcell"]')]
        .map((cell) => cell.getAttribute('aria-label'))
        .sort(),
    );
  const before = await board();
  await page.reload();
  await myTurn(page);
  assert.deepEqual(await board(), before);
  await page.locator('.move').first().waitFor();
  const [from = ''] = first.split('-');
  assert.match((await page.locator('.move').first().textContent()) ?? '', new RegExp(from));
  assert.deepEqual(faults, []);
  await context.close();
});

test('a move made offline is shown as unsent, and is played when the connection is back', async () => {
  const { context, page, faults } = await visitor(browser);
  await playNow(page);
  await myTurn(page);
  await context.setOffline(true);
  await page.getByRole('status', { name: /Offline/ }).waitFor();
  await page.getByRole('textbox', { name: 'Type a move' }).fill('e2-e4');
  await page.getByRole('textbox', { name: 'Type a move' }).press('Enter');
  await page.getByRole('status', { name: 'Offline – 1 message not sent' }).waitFor();
  assert.match(
    (await page.locator('[data-square="e2"]').getAttribute('aria-label')) ?? '',
    /pawn/,
    'nothing is shown as played',
  );
  assert.equal(await page.locator('.pending').count(), 2);
  await context.setOffline(false);
  await page.getByRole('status', { name: 'Connected' }).waitFor();
  await page.getByRole('button', { name: 'e2–e4' }).waitFor();
  assert.match((await page.locator('[data-square="e4"]').getAttribute('aria-label')) ?? '', /pawn/);
  await myTurn(page);
  assert.deepEqual(faults, []);
  await context.close();
});

test('who is offline for ten seconds is shown as away meanwhile, and plays on without a reload', async () => {
  const people = await gather(browser, 'Cross Chess A', 2);
  const [here, gone] = people;
  assert.ok(here && gone);
  await myTurn(here.page);
  await gone.page.evaluate(() => Reflect.set(window, 'loaded', 'once'));
  await gone.context.setOffline(true);
  await gone.page.getByRole('status', { name: /Offline/ }).waitFor();
  await typeMove(here.page, 'b2-b3');
  // The server tells of an absence after five seconds and counts down from there: five of the countdown make ten.
  const chip = here.page.locator('.plate .away');
  await chip.waitFor();
  const left = async () => Number(/\d+/.exec((await chip.textContent()) ?? '')?.[0]);
  const first = await left();
  await here.page.waitForFunction(
    (most) => Number(/\d+/.exec(document.querySelector('.plate .away')?.textContent ?? '')?.[0]) <= most,
    first - 5,
  );
  await gone.context.setOffline(false);
  await gone.page.getByRole('status', { name: 'Connected' }).waitFor();
  await myTurn(gone.page);
  await here.page.locator('.plate .away').waitFor({ state: 'detached' });
  await typeMove(gone.page, 'f7-f6');
  await myTurn(here.page);
  assert.equal(await gone.page.evaluate(() => Reflect.get(window, 'loaded')), 'once');
  for (const { context, faults } of people) {
    assert.deepEqual(faults, []);
    await context.close();
  }
});
