/** A server under a path of its site: every address that the client makes or reads begins with it. */

import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';

import { launch, myTurn, playNow, playSomething, visitor } from './browser.js';
import { startServer } from './server.js';

/** @type {import('./browser.js').Browser} */
let browser;
/** @type {Awaited<ReturnType<typeof startServer>>} */
let running;
let folder = '';
let site = '';

/** @returns {Promise<number>} A port that nothing listens on. */
function freePort() {
  return new Promise((found) => {
    const probe = createServer().listen(0, '127.0.0.1', () => {
      const address = probe.address();
      probe.close(() => found(address && typeof address === 'object' ? address.port : 0));
    });
  });
}

before(async () => {
  browser = await launch();
  folder = await mkdtemp(join(tmpdir(), 'kingscross-path-'));
  const listen = `127.0.0.1:${await freePort()}`;
  site = `http://${listen}/chess`;
  running = await startServer(join(folder, 'games.db'), listen, {
    KINGSCROSS__SERVER__PUBLIC_URL: site,
    KINGSCROSS__BOTS__LEVEL: 'random',
    KINGSCROSS__BOTS__DELAY_MS: '100',
  });
});

after(async () => {
  await browser?.close();
  running?.server.kill();
  if (folder) await rm(folder, { recursive: true, force: true });
});

test('everything is under the path: the game, its link, the lobby and its link, the account', async () => {
  const { page, faults } = await visitor(browser, { server: site });
  /** @type {string[]} */
  const strays = [];
  page.on('request', (request) => {
    if (!request.url().startsWith(`${site}/`)) strays.push(request.url());
  });
  page.on('websocket', (socket) => {
    if (!socket.url().startsWith(`${site.replace('http', 'ws')}/`)) strays.push(socket.url());
  });

  await playNow(page);
  assert.ok(page.url().startsWith(`${site}/game/`), page.url());
  await myTurn(page);
  await playSomething(page);
  // The address opens the same game again.
  await page.reload();
  await page.getByRole('grid').waitFor();

  // Links within the client lead on without loading it again.
  await page.evaluate(() => Object.assign(window, { kept: true }));
  await page.getByRole('link', { name: 'Leaderboards' }).click();
  await page.waitForURL(`${site}/leaderboards`);
  assert.equal(await page.getByRole('link', { name: 'Leaderboards' }).getAttribute('aria-current'), 'page');
  await page.goBack();
  await page.getByRole('grid').waitFor();
  await page.getByRole('link', { name: /^Kingscross/ }).click();
  await page.waitForURL(`${site}/`);
  assert.equal(await page.evaluate(() => 'kept' in window), true);

  await page.getByRole('button', { name: 'Open a lobby' }).first().click();
  await page.getByRole('dialog').getByRole('button', { name: 'Open the lobby' }).click();
  await page.waitForURL(`${site}/lobby/*`);
  const link = await page.getByRole('textbox', { name: 'Link for friends' }).inputValue();
  assert.ok(link.startsWith(`${site}/lobby/`), link);
  const friend = await visitor(browser, { server: site, path: link.slice(site.length) });
  await friend.page.getByRole('list', { name: 'Seats' }).waitFor();

  const guest = await visitor(browser, { server: site, path: '/account' });
  await guest.page.getByRole('link', { name: /^Kingscross/ }).waitFor();
  assert.deepEqual([strays, faults, friend.faults, guest.faults], [[], [], [], []]);
  for (const each of [page, friend.page, guest.page]) await each.context().close();
});
