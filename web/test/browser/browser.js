/** Chromium for the tests, and people who use it. The server is the one at KINGSCROSS_URL. */

import { chromium } from 'playwright-core';

export const URL_OF_SERVER = process.env['KINGSCROSS_URL'] ?? '';
if (!URL_OF_SERVER) throw new Error('KINGSCROSS_URL must name a running server, such as http://127.0.0.1:8080.');

/** @typedef {import('playwright-core').Page} Page */
/** @typedef {import('playwright-core').Browser} Browser */

const QUIET = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--disable-background-networking', '--disable-component-update', '--disable-sync'];

/** @returns {Promise<Browser>} */
export function launch() {
  return chromium.launch({ executablePath: process.env['CHROMIUM'] ?? '/usr/bin/chromium', args: QUIET });
}

/**
 * A visitor in a browser of their own; faults of the page fail the test by `faults`.
 * @param {Browser} browser
 * @param {{width?: number, height?: number, path?: string, settings?: Record<string, string>}} options
 */
export async function visitor(browser, { width = 1280, height = 860, path = '/', settings = {} } = {}) {
  const context = await browser.newContext({ viewport: { width, height }, locale: 'en-GB', permissions: ['clipboard-read', 'clipboard-write'] });
  await context.addInitScript((stored) => localStorage.setItem('kingscross.settings', stored), JSON.stringify({ language: 'en', confirm: 'off', ...settings }));
  const page = await context.newPage();
  /** @type {string[]} */
  const faults = [];
  page.on('pageerror', (error) => faults.push(error.message));
  page.on('console', (message) => {
    // A first visit is answered 401 before it becomes a guest, and being offline is part of what is tested.
    if (message.type() === 'error' && !/401|ERR_INTERNET_DISCONNECTED|WebSocket connection/.test(message.text())) faults.push(message.text());
  });
  await page.goto(URL_OF_SERVER + path);
  await page.getByRole('link', { name: 'Kingscross, home' }).waitFor();
  return { context, page, faults };
}

/** @param {Page} page Waits until it is this player's turn. */
export async function myTurn(page) {
  await page.locator('.ring[aria-label="Your turn"]').waitFor({ timeout: 60_000 });
  await page.locator('.board.playable').waitFor();
}

/** @param {Page} page Whether the game is over. */
export async function isOver(page) {
  return (await page.getByRole('region', { name: 'Result' }).count()) > 0;
}

/**
 * Plays one legal move by two clicks: the first own piece that can go anywhere.
 * @param {Page} page
 * @returns {Promise<string>} The squares, as they were clicked.
 */
export async function playSomething(page) {
  const ply = await movesPlayed(page);
  const from = await pickMovable(page);
  const target = page.locator('[role="gridcell"][aria-label*="can go here"], [role="gridcell"][aria-label*="can capture here"]').first();
  const to = (await target.getAttribute('data-square')) ?? '';
  await page.locator(`[data-square="${to}"]`).click();
  const chooser = page.getByRole('dialog', { name: 'Promote to' });
  if (await chooser.isVisible()) await chooser.getByRole('button').first().click();
  await page.waitForFunction((before) => document.querySelectorAll('.move').length > before, ply);
  return `${from}-${to}`;
}

/** @param {Page} page */
export function movesPlayed(page) {
  return page.locator('.move').count();
}

/** @param {Page} page Clicks own pieces until one can move. */
async function pickMovable(page) {
  const squares = await page.evaluate(() => [...document.querySelectorAll('[role="gridcell"]')].map((cell) => ({ square: cell.getAttribute('data-square') ?? '', label: cell.getAttribute('aria-label') ?? '' })).filter(({ label }) => !label.includes('empty')));
  for (const { square } of squares) {
    await page.locator(`[data-square="${square}"]`).click();
    const cell = page.locator(`[data-square="${square}"]`);
    if ((await cell.getAttribute('aria-selected')) !== 'true') continue;
    if ((await page.locator('[role="gridcell"][aria-label*="can go here"], [role="gridcell"][aria-label*="can capture here"]').count()) > 0) return square;
  }
  throw new Error('No piece can move.');
}

/** @param {Page} page Starts a game against bots from the home page. */
export async function playNow(page) {
  await page.getByRole('button', { name: 'Play now' }).click();
  await page.waitForURL(/\/game\//);
  await page.getByRole('grid').waitFor();
}
