import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { after, before, test } from 'node:test';
import { gather, launch, myTurn, playNow, register, resign, visitor } from './browser.js';
import { lineOf } from './lines.js';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const PAGES = [
  '/',
  '/games',
  '/leaderboards',
  '/queue',
  '/analysis',
  '/rules/crossfire',
  '/rules/kingdoms',
  '/rules/quaternity',
  '/rules/cross-a',
  '/rules/cross-b',
  '/settings',
  '/account',
  '/nowhere',
];

/** @type {import('./browser.js').Browser} */
let browser;
before(async () => {
  browser = await launch();
});
after(() => browser.close());

/** @param {import('./browser.js').Page} page @param {string} where @param {Record<string, {enabled: boolean}>} [rules] */
async function noViolations(page, where, rules = {}) {
  await page.evaluate(axe);
  const found = await page.evaluate(async (options) => {
    /** @type {{violations: {id: string, nodes: {html: string}[]}[]}} */
    const result = await Reflect.get(window, 'axe').run(document, {
      resultTypes: ['violations'],
      rules: options,
    });
    return result.violations.map(
      (violation) =>
        `${violation.id}: ${violation.nodes
          .slice(0, 3)
          .map((node) => node.html.slice(0, 160))
          .join(' | ')}`,
    );
  }, rules);
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
    await register(page);
    await page.goto(new URL('/account', page.url()).href);
    await page.getByRole('button', { name: 'Create a token' }).waitFor();
    await noViolations(page, 'account');
    const other = await visitor(browser, { settings: { palette } });
    await other.page.goto(
      await page
        .getByRole('link', { name: 'Your profile' })
        .evaluate((link) => /** @type {HTMLAnchorElement} */ (link).href),
    );
    await other.page.getByRole('group', { name: /^About/ }).waitFor();
    await noViolations(other.page, 'profile');
    await other.page.getByRole('button', { name: 'Report' }).click();
    await noViolations(other.page, 'dialog of a report');
    await other.context.close();
    await page.goto(new URL('/analysis?variant=quaternity', page.url()).href);
    await page.getByRole('button', { name: 'Set up by hand' }).click();
    await page.getByRole('region', { name: 'Setting up' }).waitFor();
    await noViolations(page, 'setting up');
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
  assert.match(
    (await page.locator('[data-square="e4"]').getAttribute('aria-label')) ?? '',
    /echo 4, empty, can go here/,
  );
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
  await page.waitForFunction(() =>
    /West .* North .* East /.test(document.querySelector('[aria-live="polite"].unseen')?.textContent ?? ''),
  );
  assert.deepEqual(faults, []);
  await context.close();
});

/**
 * Plays a move on the board by keys alone: Tab to the board, arrows to the squares, Enter.
 * @param {import('./browser.js').Page} page @param {string} mv @param {boolean} turned Whether the board stands upside down.
 */
async function moveByKeys(page, mv, turned) {
  const focused = () => page.evaluate(() => document.activeElement?.getAttribute('data-square') ?? '');
  for (let tabs = 0; tabs < 40 && (await focused()) === ''; tabs += 1) await page.keyboard.press('Tab');
  for (const square of mv.split('-')) {
    const at = await focused();
    const files = square.charCodeAt(0) - at.charCodeAt(0);
    const ranks = Number(square.slice(1)) - Number(at.slice(1));
    for (let step = 0; step < Math.abs(files); step += 1)
      await page.keyboard.press(files > 0 !== turned ? 'ArrowRight' : 'ArrowLeft');
    for (let step = 0; step < Math.abs(ranks); step += 1)
      await page.keyboard.press(ranks > 0 !== turned ? 'ArrowUp' : 'ArrowDown');
    assert.equal(await focused(), square);
    await page.keyboard.press('Enter');
  }
}

test('a whole game is played by two people who use the keyboard alone, and a rematch asked for', async () => {
  const people = await gather(browser, 'Cross Chess A', 2);
  for (const [seat, mv] of lineOf('Cross Chess A')) {
    const mover = people['wb'.indexOf(seat)];
    assert.ok(mover);
    await myTurn(mover.page);
    await moveByKeys(mover.page, mv, seat === 'b');
  }
  const [red, black] = people;
  assert.ok(red && black);
  await red.page.getByRole('region', { name: 'Result' }).waitFor();
  for (
    let tabs = 0;
    tabs < 60 && (await red.page.evaluate(() => document.activeElement?.textContent)) !== 'Rematch';
    tabs += 1
  )
    await red.page.keyboard.press('Tab');
  await red.page.keyboard.press('Enter');
  await black.page.getByRole('group', { name: 'Proposal' }).getByText('Red wants a rematch.').waitFor();
  for (const { context, faults } of people) {
    assert.deepEqual(faults, []);
    await context.close();
  }
});

test('where the system chooses the colours, armies keep theirs on a ground of their own, and choices are told by lines', async () => {
  const { context, page, faults } = await visitor(browser);
  await page.emulateMedia({ forcedColors: 'active' });
  await playNow(page);
  await myTurn(page);
  const paint = await page.evaluate(() => {
    const style = (/** @type {string} */ selector) =>
      getComputedStyle(document.querySelector(selector) ?? document.body);
    return {
      ground: style('.board').backgroundColor,
      page: style('body').backgroundColor,
      square: style('.square.dark').fill,
      armies: ['bone', 'iron', 'idol', 'circuit'].map((tint) =>
        style(`.piece.tint-${tint}`).getPropertyValue('--tint'),
      ),
      tab: style('[role="tab"][aria-selected="true"]').outlineStyle,
      other: style('[role="tab"][aria-selected="false"]').outlineStyle,
      turn: style('.plate.turn').borderTopWidth,
      waits: style('.plate:not(.turn)').borderTopWidth,
    };
  });
  assert.equal(paint.ground, 'rgb(11, 15, 20)');
  assert.equal(paint.page, 'rgb(255, 255, 255)', 'the page itself follows the system');
  assert.equal(paint.square, 'rgb(22, 28, 36)');
  assert.equal(new Set(paint.armies).size, 4);
  assert.deepEqual([paint.tab, paint.other], ['solid', 'none']);
  assert.deepEqual([paint.turn, paint.waits], ['3px', '1px']);
  // The colours that axe computes are those of the page, not those that the system has put in their place.
  await noViolations(page, 'table in forced colours', { 'color-contrast': { enabled: false } });
  assert.deepEqual(faults, []);
  await context.close();
});

test('the client speaks German from the first word to the result', async () => {
  const { context, page, faults } = await visitor(browser, { settings: { language: 'de' } });
  const unspoken = async (/** @type {string} */ where) => {
    const found = await page.evaluate(() => {
      const words = [...document.querySelectorAll('[aria-label], [title], [placeholder]')].flatMap(
        (element) => ['aria-label', 'title', 'placeholder'].map((name) => element.getAttribute(name) ?? ''),
      );
      // biome-ignore lint/performance/useDomNodeTextContent: only what is shown counts.
      const shown = document.body.innerText;
      return [shown, ...words].join('\n').match(/\b[a-z_]+\.[a-z_]+(\.[a-z_]+)*\b|\{\w+\}/g) ?? [];
    });
    assert.deepEqual(found, [], where);
  };
  assert.equal(await page.locator('html').getAttribute('lang'), 'de');
  for (const path of PAGES) {
    await page.goto(new URL(path, page.url()).href);
    await page.locator('main .view > *').first().waitFor();
    await unspoken(path);
  }
  await page.goto(new URL('/', page.url()).href);
  await page.getByRole('button', { name: 'Jetzt spielen' }).click();
  await page.waitForURL(/\/game\//);
  await page.locator('.ring[aria-label="Du bist am Zug"]').waitFor();
  await unspoken('table');
  await page.getByRole('button', { name: 'Aufgeben', exact: true }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Aufgeben', exact: true }).click();
  await page.getByRole('tab', { name: 'Chronik' }).click();
  await page.getByText('Süd gab auf.').waitFor();
  await unspoken('after resigning');
  assert.deepEqual(faults, []);
  await context.close();
});

test('nothing scrolls sideways on a phone of 360 by 640, nor at twice the text size', async () => {
  for (const scale of ['100%', '200%']) {
    const { context, page } = await visitor(browser, { width: 360, height: 640 });
    const fits = async (/** @type {string} */ where) => {
      await page.evaluate((size) => document.documentElement.style.setProperty('font-size', size), scale);
      const width = await page.evaluate(() => document.documentElement.scrollWidth);
      const wide = await page.evaluate(() =>
        [...document.querySelectorAll('main *, header *')]
          .filter((element) => element.getBoundingClientRect().right > 361)
          .map((element) => element.outerHTML.slice(0, 80))
          .slice(0, 4),
      );
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
    await resign(page);
    await page.getByRole('tab', { name: 'Ledger' }).click();
    await page.getByText('South resigned.').waitFor();
    await fits('ledger');
    await page.goto(new URL('/analysis?variant=quaternity', page.url()).href);
    await page.getByRole('button', { name: 'Set up by hand' }).click();
    await page.getByRole('region', { name: 'Setting up' }).waitFor();
    await fits('setting up');
    await register(page);
    await page.goto(new URL('/account', page.url()).href);
    await page.getByRole('button', { name: 'Create a token' }).waitFor();
    await fits('account');
    await context.close();
  }
});

test('on a phone a move is confirmed before it is sent', async () => {
  const { context, page } = await visitor(browser, {
    width: 360,
    height: 640,
    settings: { confirm: 'auto' },
  });
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
