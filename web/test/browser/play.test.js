import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { isOver, launch, movesPlayed, myTurn, playNow, playSomething, visitor } from './browser.js';

/** @type {import('./browser.js').Browser} */
let browser;
before(async () => { browser = await launch(); });
after(() => browser.close());

test('one visitor clicks play and plays ten moves against bots', async () => {
  const { context, page, faults } = await visitor(browser);
  await playNow(page);
  for (let move = 0; move < 10; move += 1) {
    await myTurn(page);
    await playSomething(page);
  }
  assert.ok((await movesPlayed(page)) >= 10);
  assert.deepEqual(faults, []);
  await context.close();
});

test('four people enter one lobby by its link and play until one resigns', async () => {
  const people = [];
  for (let index = 0; index < 4; index += 1) people.push(await visitor(browser));
  const [host, ...guests] = people;
  assert.ok(host);
  await host.page.getByRole('button', { name: 'Open a lobby' }).first().click();
  await host.page.getByRole('radio', { name: 'by link only' }).check();
  await host.page.getByRole('dialog').getByRole('button', { name: 'Open the lobby' }).click();
  await host.page.waitForURL(/\/lobby\//);
  const link = await host.page.getByRole('textbox', { name: 'Link for friends' }).inputValue();
  for (const guest of guests) {
    await guest.page.goto(link);
    await guest.page.getByRole('heading', { name: 'Crossfire' }).waitFor();
  }
  await host.page.getByRole('button', { name: 'Start the game' }).click();
  for (const { page } of people) await page.waitForURL(/\/game\//);
  for (let turn = 0; turn < 8; turn += 1) {
    const mover = people[turn % 4];
    assert.ok(mover);
    await myTurn(mover.page);
    await playSomething(mover.page);
  }
  const last = people[3];
  assert.ok(last);
  await last.page.getByRole('button', { name: 'Resign' }).click();
  await last.page.getByRole('dialog').getByRole('button', { name: 'Resign' }).click();
  for (const { page } of people) {
    await page.getByRole('tab', { name: 'Ledger' }).click();
    await page.getByText('East resigned.').waitFor();
    assert.equal(await isOver(page), false);
  }
  for (const { context, faults } of people) {
    assert.deepEqual(faults, []);
    await context.close();
  }
});

test('a reload in mid-game brings back the same position and the turn', async () => {
  const { context, page, faults } = await visitor(browser);
  await playNow(page);
  await myTurn(page);
  const first = await playSomething(page);
  await myTurn(page);
  const board = () => page.evaluate(() => [...document.querySelectorAll('[role="gridcell"]')].map((cell) => cell.getAttribute('aria-label')).sort());
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
  assert.match((await page.locator('[data-square="e2"]').getAttribute('aria-label')) ?? '', /pawn/, 'nothing is shown as played');
  assert.equal(await page.locator('.pending').count(), 2);
  await context.setOffline(false);
  await page.getByRole('status', { name: 'Connected' }).waitFor();
  await page.getByRole('button', { name: 'e2–e4' }).waitFor();
  assert.match((await page.locator('[data-square="e4"]').getAttribute('aria-label')) ?? '', /pawn/);
  await myTurn(page);
  assert.deepEqual(faults, []);
  await context.close();
});
