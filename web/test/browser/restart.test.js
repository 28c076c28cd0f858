import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { launch, myTurn, playNow, playSomething, visitor } from './browser.js';
import { startServer } from './server.js';

/** @type {import('./browser.js').Browser} */
let browser;
const folder = mkdtempSync(join(tmpdir(), 'kingscross-'));
const database = join(folder, 'games.db');
before(async () => {
  browser = await launch();
});
after(async () => {
  await browser.close();
  rmSync(folder, { recursive: true });
});

test('a game goes on in the open page after the server was killed and started again', async () => {
  const first = await startServer(database);
  const { context, page, faults } = await visitor(browser, { server: first.url });
  await playNow(page);
  await myTurn(page);
  await playSomething(page);
  await myTurn(page);
  const board = () =>
    page.evaluate(() =>
      [...document.querySelectorAll('[role="gridcell"]')]
        .map((cell) => cell.getAttribute('aria-label'))
        .sort(),
    );
  const before = await board();
  first.server.kill('SIGKILL');
  await once(first.server, 'exit');
  await page.getByRole('status', { name: /Offline|Connecting/ }).waitFor();
  const second = await startServer(database, first.url.slice('http://'.length));
  await page.getByRole('status', { name: 'Connected' }).waitFor();
  await myTurn(page);
  assert.deepEqual(await board(), before);
  await playSomething(page);
  await page.getByRole('tab', { name: 'Ledger' }).click();
  await page.getByText(/The server was away/).waitFor();
  assert.deepEqual(faults, []);
  await context.close();
  second.server.kill('SIGTERM');
  await once(second.server, 'exit');
});
