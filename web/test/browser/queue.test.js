/** Guests who meet in the queue and take their time to say that they are ready. */

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { launch, visitor } from './browser.js';

/** How long a person takes to read the question and find the button: longer than the queue is silent. */
const THINKING = 8_000;
const ROUNDS = Number(process.env.KINGSCROSS_QUEUE_ROUNDS ?? 1);

/** @type {import('./browser.js').Browser} */
let browser;
before(async () => {
  browser = await launch();
});
after(() => browser.close());

for (let round = 1; round <= ROUNDS; round += 1) {
  test(`four people who each take eight seconds to say that they are ready play (round ${round})`, async () => {
    const people = [];
    for (let index = 0; index < 4; index += 1) people.push(await visitor(browser, { path: '/queue' }));
    for (const { page } of people) {
      await page.getByRole('checkbox', { name: 'Crossfire', exact: true }).check();
      await page.getByRole('checkbox', { name: /Bots may fill/ }).uncheck();
      await page.getByRole('button', { name: 'Look for opponents' }).click();
    }
    const games = await Promise.all(
      people.map(async ({ page }) => {
        const ready = page.getByRole('button', { name: 'I am ready' });
        await ready.waitFor();
        // A person reads; the queue goes on talking meanwhile.
        await new Promise((resolve) => setTimeout(resolve, THINKING));
        assert.ok(await ready.isVisible(), 'the question still stands');
        await ready.click();
        await page.waitForURL(/\/game\//);
        await page.getByRole('grid').waitFor();
        return new URL(page.url()).pathname;
      }),
    );
    assert.equal(new Set(games).size, 1, games.join());
    for (const { context, faults } of people) {
      assert.deepEqual(faults, []);
      await context.close();
    }
  });
}

test('whoever loads the page again in the middle of a ready check is asked again', async () => {
  const people = [await visitor(browser, { path: '/queue' }), await visitor(browser, { path: '/queue' })];
  for (const { page } of people) {
    // Any game was ticked: of two people it is one for two.
    await page.getByRole('checkbox', { name: /Bots may fill/ }).uncheck();
    await page.getByRole('button', { name: 'Look for opponents' }).click();
  }
  for (const { page } of people) await page.getByRole('button', { name: 'I am ready' }).waitFor();
  await people[0]?.page.reload();
  for (const { page } of people) await page.getByRole('button', { name: 'I am ready' }).click();
  for (const { page } of people) await page.waitForURL(/\/game\//);
  for (const { context, faults } of people) {
    assert.deepEqual(faults, []);
    await context.close();
  }
});

test('how many wait for what is shown before and while one waits', async () => {
  const one = await visitor(browser, { path: '/queue' });
  assert.ok(await one.page.getByRole('checkbox', { name: 'Any game' }).isChecked());
  await one.page.getByRole('checkbox', { name: 'Quaternity', exact: true }).check();
  await one.page.getByRole('checkbox', { name: 'Four Kingdoms', exact: true }).check();
  await one.page.getByRole('button', { name: 'Look for opponents' }).click();
  const waiting = one.page.getByRole('list', { name: 'Waiting now' });
  await waiting.getByText('Quaternity · 10+5: 1 of 4').waitFor();
  await waiting.getByText('Four Kingdoms · 10+5: 1 of 4').waitFor();
  const two = await visitor(browser, { path: '/queue' });
  await two.page.getByRole('list', { name: 'Waiting now' }).getByText('Quaternity · 10+5: 1 of 4').waitFor();
  await one.page.getByRole('button', { name: 'Stop looking' }).click();
  await two.page.getByRole('list', { name: 'Waiting now' }).waitFor({ state: 'detached' });
  for (const { context, faults } of [one, two]) {
    assert.deepEqual(faults, []);
    await context.close();
  }
});
