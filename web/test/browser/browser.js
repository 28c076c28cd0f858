/** Chromium for the tests, and people who use it. The server is the one at KINGSCROSS_URL. */

import { chromium } from 'playwright-core';

const URL_OF_SERVER = process.env.KINGSCROSS_URL ?? '';

/** @typedef {import('playwright-core').Page} Page */
/** @typedef {import('playwright-core').Browser} Browser */

const QUIET = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** @param {string[]} more Further arguments of Chromium. @returns {Promise<Browser>} */
export function launch(more = []) {
  return chromium.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    args: [...QUIET, ...more],
  });
}

/**
 * A visitor in a browser of their own; faults of the page fail the test by `faults`.
 * @param {Browser} browser
 * @param {{width?: number, height?: number, path?: string, server?: string, settings?: Record<string, string>}} options
 */
export async function visitor(
  browser,
  { width = 1280, height = 860, path = '/', server = URL_OF_SERVER, settings = {} } = {},
) {
  if (!server) throw new Error('KINGSCROSS_URL must name a running server, such as http://127.0.0.1:8080.');
  const context = await browser.newContext({
    viewport: { width, height },
    locale: 'en-GB',
    permissions: ['clipboard-read', 'clipboard-write'],
  });
  await context.addInitScript(
    (stored) => localStorage.setItem('kingscross.settings', stored),
    JSON.stringify({ language: 'en', confirm: 'off', ...settings }),
  );
  // Many browsers and a server share what may be one slow core.
  context.setDefaultTimeout(60_000);
  const page = await context.newPage();
  /** @type {string[]} */
  const faults = [];
  page.on('pageerror', (error) => faults.push(error.message));
  page.on('console', (message) => {
    // Being offline is part of what is tested; nothing else may be refused or broken.
    // Nor is a page that is not there: its address answers so, and it is shown.
    if (message.location().url === page.url() && /status of 404/.test(message.text())) return;
    if (
      message.type() === 'error' &&
      !/ERR_INTERNET_DISCONNECTED|ERR_CONNECTION|WebSocket connection/.test(message.text())
    )
      faults.push(message.text());
  });
  await page.goto(server + path);
  await page.getByRole('link', { name: /^Kingscross/ }).waitFor();
  return { context, page, faults };
}

/** @param {Page} page Waits until it is this player's turn. */
export async function myTurn(page) {
  await page.locator('.ring[aria-label="Your turn"]').waitFor();
  await page.locator('.board.playable').waitFor();
}

/**
 * Plays one legal move by two clicks: the first own piece that can go anywhere.
 * @param {Page} page
 * @returns {Promise<string>} The squares, as they were clicked.
 */
export async function playSomething(page) {
  const ply = await movesPlayed(page);
  const from = await pickMovable(page);
  const target = page
    .locator(
      '[role="gridcell"][aria-label*="can go here"], [role="gridcell"][aria-label*="can capture here"]',
    )
    .first();
  const to = (await target.getAttribute('data-square')) ?? '';
  await page.locator(`[data-square="${to}"]`).click();
  const chooser = page.getByRole('dialog', { name: 'Promote to' });
  if (await chooser.isVisible()) await chooser.getByRole('button').first().click();
  await page.waitForFunction((before) => document.querySelectorAll('.move').length > before, ply);
  return `${from}-${to}`;
}

/** @param {Page} page @param {string} mv Types a move instead of clicking it. */
export async function typeMove(page, mv) {
  const field = page.getByRole('textbox', { name: 'Type a move' });
  await field.fill(mv);
  await field.press('Enter');
}

/** @param {Page} page */
export function movesPlayed(page) {
  return page.locator('.move').count();
}

/** @param {Page} page Clicks own pieces until one can move. */
async function pickMovable(page) {
  const squares = await page.evaluate(() =>
    [...document.querySelectorAll('[role="gridcell"]')]
      .map((cell) => ({
        square: cell.getAttribute('data-square') ?? '',
        label: cell.getAttribute('aria-label') ?? '',
      }))
      .filter(({ label }) => !label.includes('empty')),
  );
  for (const { square } of squares) {
    await page.locator(`[data-square="${square}"]`).click();
    const cell = page.locator(`[data-square="${square}"]`);
    if ((await cell.getAttribute('aria-selected')) !== 'true') continue;
    if (
      (await page
        .locator(
          '[role="gridcell"][aria-label*="can go here"], [role="gridcell"][aria-label*="can capture here"]',
        )
        .count()) > 0
    )
      return square;
  }
  throw new Error('No piece can move.');
}

/** @param {Page} page Starts a game against bots from the home page. */
export async function playNow(page) {
  await page.getByRole('button', { name: 'Play now' }).click();
  await page.waitForURL(/\/game\//);
  await page.getByRole('grid').waitFor();
}

/**
 * Opens a lobby of a game by link, lets guests in, and starts.
 * @param {Browser} browser
 * @param {string} game Its name.
 * @param {number} seats
 */
export async function gather(browser, game, seats) {
  /** @type {Awaited<ReturnType<typeof visitor>>[]} */
  const people = [];
  for (let index = 0; index < seats; index += 1) people.push(await visitor(browser));
  const [host, ...guests] = people;
  if (!host) throw new Error('A lobby needs a host.');
  await host.page.getByRole('button', { name: 'Open a lobby' }).first().click();
  const dialog = host.page.getByRole('dialog');
  await dialog.getByRole('radio', { name: game }).check();
  await dialog.getByRole('radio', { name: 'by link only' }).check();
  await dialog.getByRole('button', { name: 'Open the lobby' }).click();
  await host.page.waitForURL(/\/lobby\//);
  const link = await host.page.getByRole('textbox', { name: 'Link for friends' }).inputValue();
  for (const guest of guests) {
    await guest.page.goto(link);
    await guest.page.getByRole('list', { name: 'Seats' }).waitFor();
  }
  await host.page.getByRole('button', { name: 'Start the game' }).click();
  for (const { page } of people) await page.waitForURL(/\/game\//);
  return people;
}

/**
 * Makes an account of a guest.
 * @param {Page} page
 * @returns {Promise<string>} Its name, which nobody else has.
 */
export async function register(page) {
  const name = `P${crypto.randomUUID().replaceAll('-', '').slice(0, 15)}`;
  await page.goto(new URL('/account', page.url()).href);
  await page.getByLabel('Name', { exact: true }).fill(name);
  await page.getByLabel('Password', { exact: true }).fill('correct horse battery staple');
  await page.locator('form').getByRole('button', { name: 'Create an account' }).click();
  await page.getByRole('link', { name }).waitFor();
  return name;
}

/**
 * Looks for opponents and says that one is ready.
 * @param {Page[]} pages
 * @param {string} game
 */
export async function meetInQueue(pages, game) {
  for (const page of pages) {
    await page.goto(new URL('/queue', page.url()).href);
    await page.getByRole('checkbox', { name: game, exact: true }).check();
    await page.getByRole('checkbox', { name: /Bots may fill/ }).uncheck();
    await page.getByRole('button', { name: 'Look for opponents' }).click();
  }
  for (const page of pages) await page.getByRole('button', { name: 'I am ready' }).click();
  for (const page of pages) await page.waitForURL(/\/game\//);
}

/** @param {Page} page The name of the own army. */
export async function ownArmy(page) {
  return (await page.locator('.plate.you .army').textContent()) ?? '';
}

/** @param {Page} page */
export async function resign(page) {
  await page.getByRole('button', { name: 'Resign', exact: true }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Resign', exact: true }).click();
}
