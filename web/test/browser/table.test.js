/** What players do at a table beside moving: drag, draw arrows, premove, talk, look back, replay, export, play again. */

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { gather, launch, myTurn, typeMove, visitor } from './browser.js';

/** @type {import('./browser.js').Browser} */
let browser;
before(async () => {
  browser = await launch();
});
after(() => browser.close());

/** @param {import('./browser.js').Page} page @param {string} square Its middle on the screen. */
async function middle(page, square) {
  const box = await page.locator(`[data-square="${square}"]`).boundingBox();
  assert.ok(box);
  return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
}

/** @param {import('./browser.js').Page} page @param {string} from @param {string | null} to Null drops it beside the board. @param {'left' | 'right'} [button] */
async function drag(page, from, to, button = 'left') {
  const start = await middle(page, from);
  const end = to ? await middle(page, to) : { x: 5, y: 300 };
  await page.mouse.move(start.x, start.y);
  await page.mouse.down({ button });
  await page.mouse.move((start.x + end.x) / 2, (start.y + end.y) / 2, { steps: 3 });
  if (button === 'left')
    assert.equal(await page.locator('.piece.ghost').count(), 1, 'a ghost stays where the piece came from');
  await page.mouse.move(end.x, end.y);
  await page.mouse.up({ button });
  assert.equal(await page.locator('.piece.ghost').count(), 0);
}

test('pieces are dragged, dropped outside they go back; arrows are drawn; a premove is played when it is due', async () => {
  const people = await gather(browser, 'Cross Chess A', 2);
  const [red, black] = people;
  assert.ok(red && black);
  await myTurn(red.page);
  await drag(red.page, 'b2', null);
  assert.match(
    (await red.page.locator('[data-square="b2"]').getAttribute('aria-label')) ?? '',
    /Red soldier/,
  );
  await drag(red.page, 'c2', 'f5', 'right');
  await drag(red.page, 'd4', 'd4', 'right');
  assert.equal(await red.page.locator('.arrow.drawn').count(), 1);
  assert.equal(await red.page.locator('.circled').count(), 1);
  // Before its turn Black names a move ahead, takes it back, and names it again.
  await black.page.locator('.plate.turn').waitFor();
  await drag(black.page, 'f7', 'f6');
  await black.page.locator('.premove').first().waitFor();
  await black.page.keyboard.press('Escape');
  await black.page.locator('[data-square="f7"]').focus();
  await black.page.keyboard.press('Escape');
  await black.page.locator('.premove').first().waitFor({ state: 'detached' });
  await drag(black.page, 'f7', 'f6');
  await drag(red.page, 'b2', 'b3');
  await red.page.getByRole('button', { name: 'f7–f6' }).waitFor();
  assert.equal(await red.page.locator('.arrow.drawn').count(), 0, 'a move clears what was drawn');
  await black.page.locator('.premove').first().waitFor({ state: 'detached' });
  for (const { context, faults } of people) {
    assert.deepEqual(faults, []);
    await context.close();
  }
});

test('players talk, look back, agree on a draw, replay it with its clocks, take it along, and play again', async () => {
  const people = await gather(browser, 'Cross Chess B', 2);
  const [white, black] = people;
  assert.ok(white && black);
  /** @type {[typeof white, string][]} */
  const moves = [
    [white, 'i1-i2'],
    [black, 'b10-d9'],
    [white, 'i2-f2'],
    [black, 'f10-d8'],
  ];
  for (const [{ page }, mv] of moves) {
    await myTurn(page);
    await typeMove(page, mv);
  }
  await myTurn(white.page);
  // One key shows again what the other did, and the way back to the game.
  await white.page.locator('body').click({ position: { x: 2, y: 400 } });
  await white.page.keyboard.press('w');
  await white.page.getByRole('button', { name: 'Back to the game' }).waitFor();
  assert.equal(await white.page.getByRole('slider', { name: 'Move' }).inputValue(), '3');
  await white.page.waitForFunction(
    () => document.querySelector('input[type="range"]')?.getAttribute('aria-valuetext') === 'Black Qf10–d8',
  );

  await black.page.getByRole('tab', { name: 'Chat' }).click();
  await black.page.getByRole('button', { name: 'Good game!' }).click();
  await white.page.getByRole('tab', { name: 'Chat' }).click();
  await white.page.getByRole('list', { name: 'Chat' }).getByText('Good game!').waitFor();
  await white.page.getByRole('button', { name: 'Offer a draw' }).click();
  await black.page.getByRole('group', { name: 'Proposal' }).getByText('White offers a draw.').waitFor();
  await black.page.getByRole('button', { name: 'Accept' }).click();
  for (const { page } of people)
    await page
      .getByRole('region', { name: 'Result' })
      .getByRole('heading', { name: /agreement/ })
      .waitFor();
  assert.deepEqual(
    await white.page.locator('.placements .place').allTextContents(),
    ['1', '1'],
    'a drawn game has two first places',
  );

  const guest = await visitor(browser, { path: new URL(white.page.url()).pathname });
  const slider = guest.page.getByRole('slider', { name: 'Move' });
  await slider.waitFor();
  const words = () => slider.getAttribute('aria-valuetext');
  const clock = async () => (await guest.page.locator('.plate.bottom-left .clock').textContent()) ?? '';
  await guest.page.locator('body').click({ position: { x: 2, y: 400 } });
  await guest.page.keyboard.press('Home');
  assert.equal(await slider.inputValue(), '0');
  assert.equal(await clock(), '10:00', 'the clocks stand as they stood');
  assert.match(
    (await guest.page.locator('[data-square="i1"]').getAttribute('aria-label')) ?? '',
    /White rook/,
  );
  await guest.page.keyboard.press('ArrowRight');
  assert.equal(await words(), 'White Ri1–i2');
  assert.notEqual(await clock(), '10:00');
  await slider.fill('3');
  assert.equal(await words(), 'White Ri2–f2');
  await guest.page
    .getByRole('group', { name: 'Replay' })
    .getByRole('button', { name: 'Play', exact: true })
    .click();
  await guest.page.waitForFunction(
    () => document.querySelector('input[type="range"]')?.getAttribute('aria-valuetext') === 'Black Qf10–d8',
  );
  await guest.page
    .getByRole('group', { name: 'Replay' })
    .getByRole('button', { name: 'Play', exact: true })
    .waitFor();
  const [download] = await Promise.all([
    guest.page.waitForEvent('download'),
    guest.page.getByRole('link', { name: 'Record (JSON)' }).click(),
  ]);
  /** @type {import('../../js/protocol.js').GameRecord} */
  const record = JSON.parse(readFileSync(await download.path(), 'utf8'));
  assert.equal(record.ending?.reason, 'agreement');
  await guest.page.getByRole('link', { name: 'Analyse' }).click();
  await guest.page.getByRole('button', { name: '4. f10-d8' }).waitFor();
  assert.deepEqual(guest.faults, []);
  await guest.context.close();

  const first = white.page.url();
  await white.page.getByRole('button', { name: 'Rematch' }).click();
  await black.page.getByRole('group', { name: 'Proposal' }).getByText('White wants a rematch.').waitFor();
  await black.page.getByRole('button', { name: 'Accept' }).click();
  for (const { page } of people) await page.waitForURL((url) => url.href !== first);
  for (const { page, context, faults } of people) {
    await page.getByRole('grid').waitFor();
    assert.deepEqual(faults, []);
    await context.close();
  }
});

test('an aborted game says so and why, and leads on', async () => {
  const people = await gather(browser, 'Cross Chess A', 2);
  const [red, black] = people;
  assert.ok(red && black);
  await red.page.getByRole('button', { name: 'Abort', exact: true }).click();
  await black.page.getByRole('button', { name: 'Accept' }).click();
  for (const { page, context, faults } of people) {
    const result = page.getByRole('region', { name: 'Result' });
    await result.getByText('Aborted: all agreed.').waitFor();
    assert.equal(await page.locator('.ring').getAttribute('aria-label'), 'The game is over');
    assert.equal(await page.locator('.plate.turn').count(), 0, 'nobody is on turn');
    await result.getByRole('link', { name: 'Home' }).waitFor();
    // Found so later, it reads the same.
    await page.reload();
    await result.getByText('Aborted: all agreed.').waitFor();
    assert.equal(await page.locator('.ring').getAttribute('aria-label'), 'The game is over');
    assert.deepEqual(faults, []);
    await context.close();
  }
});

test('a match on both boards is opened to be played one after the other, with bots of the levels that the server has', async () => {
  const { context, page, faults } = await visitor(browser);
  await page.getByRole('button', { name: 'Open a lobby' }).first().click();
  const dialog = page.getByRole('dialog');
  const inTurn = dialog.getByRole('checkbox', { name: 'One after the other' });
  await dialog.getByText('Rated games need an account').waitFor();
  assert.ok(
    await dialog.getByRole('checkbox', { name: /^Rated/ }).isDisabled(),
    'a guest is not asked for what cannot be',
  );
  await dialog.getByRole('checkbox', { name: /^Free text/ }).check();
  await dialog.getByRole('radio', { name: 'Cross Chess A' }).check();
  assert.equal(await inTurn.count(), 0, 'that is asked of matches only');
  await dialog.getByRole('checkbox', { name: 'Match on both boards' }).check();
  await inTurn.check();
  await dialog.getByRole('button', { name: 'Open the lobby' }).click();
  await page
    .getByText(/ · casual · .*Match on both boards.* · One after the other · free text in the chat$/)
    .waitFor();
  /** @type {{levels: string[]}[]} */
  const [info] = await page.evaluate(() => fetch('/api/v1/variants').then((answer) => answer.json()));
  const offered = await page
    .getByRole('combobox')
    .locator('option')
    .evaluateAll((options) =>
      options.map((option) => /** @type {HTMLOptionElement} */ (option).value).filter(Boolean),
    );
  assert.ok(offered.length > 1);
  assert.deepEqual(offered, info?.levels);
  assert.deepEqual(faults, []);
  await context.close();
});

/** The game and the one move that solves its example. */
const EXAMPLES = {
  crossfire: ['k5', 'k14'],
  kingdoms: ['k5', 'k14'],
  quaternity: ['g5', 'g12'],
  'cross-a': ['b3', 'b8'],
  'cross-b': ['b4', 'b10'],
};

test('the example of each game is played on its page, wrongly and rightly', async () => {
  const { context, page, faults } = await visitor(browser);
  for (const [variant, [from = '', to = '']] of Object.entries(EXAMPLES)) {
    await page.goto(new URL(`/rules/${variant}`, page.url()).href);
    const board = page.getByRole('grid');
    await board
      .locator(`[data-square="${from}"][aria-label*="rook"], [data-square="${from}"][aria-label*="chariot"]`)
      .waitFor();
    await board.locator(`[data-square="${from}"]`).click();
    // The solutions lead up the board; the last target lies below.
    await board.locator('[aria-label*="empty, can go here"]').last().click();
    await page.getByText('Not yet – try again.').waitFor();
    await page.getByRole('button', { name: 'Again', exact: true }).click();
    await board
      .locator(`[data-square="${from}"][aria-label*="rook"], [data-square="${from}"][aria-label*="chariot"]`)
      .waitFor();
    await board.locator(`[data-square="${from}"]`).click();
    await board.locator(`[data-square="${to}"]`).click();
    await page.locator('.verdict.solved').waitFor();
  }
  assert.deepEqual(faults, []);
  await context.close();
});
