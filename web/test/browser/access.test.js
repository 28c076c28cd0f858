import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { after, before, test } from 'node:test';
import { launch, myTurn, playNow, visitor } from './browser.js';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const PAGES = ['/', '/games', '/leaderboards', '/queue', '/analysis', '/rules/crossfire', '/rules/kingdoms', '/rules/quaternity', '/rules/cross-a', '/rules/cross-b', '/settings', '/account', '/nowhere'];

/** @type {import('./browser.js').Browser} */
let browser;
before(async () => { browser = await launch(); });
after(() => browser.close());

/** @param {import('./browser.js').Page} page @param {string} where */
async function noViolations(page, where) {
  await page.evaluate(axe);
  const found = await page.evaluate(async () => {
    /** @type {{violations: {id: string, nodes: {html: string}[]}[]}} */
    const result = await Reflect.get(window, 'axe').run(document, { resultTypes: ['violations'] });
    return result.violations.map((violation) => `${violation.id}: ${violation.nodes.slice(0, 3).map((node) => node.html.slice(0, 160)).join(' | ')}`);
  });
  assert.deepEqual(found, [], where);
}

for (const palette of ['standard', 'contrast']) {
  test(`no page has violations that axe finds, in the ${palette} palette`, async () => {
    const { context, page } = await visitor(browser, { settings: { palette } });
    for (const path of PAGES) {
      await page.goto(new URL(path, page.url()).href);
      await page.locator('main .view > *').first().waitFor();
      await noViolations(page, path);
    }
    await page.goto(new URL('/', page.url()).href);
    await playNow(page);
    await myTurn(page);
    for (const tab of ['Moves', 'Ledger', 'Chat']) {
      await page.getByRole('tab', { name: tab }).click();
      await noViolations(page, `table, ${tab}`);
    }
    await page.goto(new URL('/', page.url()).href);
    await page.getByRole('button', { name: 'Open a lobby' }).first().click();
    await page.getByRole('dialog').waitFor();
    await noViolations(page, 'dialog of a lobby');
    await page.getByRole('dialog').getByRole('button', { name: 'Open the lobby' }).click();
    await page.waitForURL(/\/lobby\//);
    await page.getByRole('list', { name: 'Seats' }).waitFor();
    await noViolations(page, 'lobby');
    await context.close();
  });
}

test('a game is played with the keyboard alone', async () => {
  const { context, page, faults } = await visitor(browser);
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Play now' }).focus();
  await page.keyboard.press('Enter');
  await page.getByRole('grid').waitFor();
  await myTurn(page);
  await page.locator('[role="gridcell"][tabindex="0"]').focus();
  const focused = () => page.evaluate(() => document.activeElement?.getAttribute('data-square'));
  await page.keyboard.press('p');
  assert.equal(await focused(), 'd2', 'a letter jumps to the first own pawn');
  await page.keyboard.press('p');
  assert.equal(await focused(), 'e2');
  await page.keyboard.press('Enter');
  assert.match((await page.locator('[data-square="e4"]').getAttribute('aria-label')) ?? '', /echo 4, empty, can go here/);
  await page.keyboard.press('Escape');
  assert.equal(await page.locator('[role="gridcell"][aria-selected="true"]').count(), 0);
  await page.keyboard.press('Enter');
  await page.keyboard.press('ArrowUp');
  await page.keyboard.press('ArrowUp');
  assert.equal(await focused(), 'e4');
  await page.keyboard.press('Enter');
  await page.locator('.move', { hasText: 'e2–e4' }).waitFor();
  await myTurn(page);
  await page.getByRole('textbox', { name: 'Type a move' }).focus();
  await page.keyboard.type('h2h3');
  await page.keyboard.press('Enter');
  await page.locator('.move', { hasText: 'h2–h3' }).waitFor();
  // The others' moves were told in one sentence when the turn came round.
  await myTurn(page);
  await page.waitForFunction(() => /West .* North .* East /.test(document.querySelector('[aria-live="polite"].unseen')?.textContent ?? ''));
  assert.deepEqual(faults, []);
  await context.close();
});

test('nothing scrolls sideways on a phone of 360 by 640, nor at twice the text size', async () => {
  for (const scale of ['100%', '200%']) {
    const { context, page } = await visitor(browser, { width: 360, height: 640 });
    const fits = async (/** @type {string} */ where) => {
      await page.evaluate((size) => document.documentElement.style.setProperty('font-size', size), scale);
      const width = await page.evaluate(() => document.documentElement.scrollWidth);
      const wide = await page.evaluate(() => [...document.querySelectorAll('main *, header *')].filter((element) => element.getBoundingClientRect().right > 361).map((element) => element.outerHTML.slice(0, 80)).slice(0, 4));
      assert.ok(width <= 360, `${where} at ${scale}: ${width}: ${wide.join(' | ')}`);
    };
    for (const path of PAGES) {
      await page.goto(new URL(path, page.url()).href);
      await page.locator('main .view > *').first().waitFor();
      await fits(path);
    }
    await page.goto(new URL('/', page.url()).href);
    await playNow(page);
    await fits('table');
    await context.close();
  }
});

test('on a phone a move is confirmed before it is sent', async () => {
  const { context, page } = await visitor(browser, { width: 360, height: 640, settings: { confirm: 'auto' } });
  await playNow(page);
  await myTurn(page);
  await page.locator('[data-square="e2"]').click();
  await page.locator('[data-square="e4"]').click();
  const bar = page.getByRole('group', { name: 'Confirm the move' });
  await bar.waitFor();
  await bar.getByRole('button', { name: 'Take back' }).click();
  assert.match((await page.locator('[data-square="e2"]').getAttribute('aria-label')) ?? '', /pawn/);
  await page.locator('[data-square="e2"]').click();
  await page.locator('[data-square="e4"]').click();
  await bar.getByRole('button', { name: 'Play' }).click();
  await page.locator('.move', { hasText: 'e2–e4' }).waitFor({ state: 'attached' });
  await context.close();
});
