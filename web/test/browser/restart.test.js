import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, before, test } from 'node:test';
import { launch, myTurn, playNow, playSomething, visitor } from './browser.js';

const binary = process.env['KINGSCROSS_BINARY'] ?? '';
if (!binary) throw new Error('KINGSCROSS_BINARY must name the server program that this test starts and kills.');

/** @type {import('./browser.js').Browser} */
let browser;
const folder = mkdtempSync(join(tmpdir(), 'kingscross-'));
before(async () => { browser = await launch(); });
after(async () => {
  await browser.close();
  rmSync(folder, { recursive: true });
});

/** @param {string} listen Starts a server and waits for the address that it prints. */
async function start(listen) {
  const server = spawn(binary, ['serve', '--listen', listen, '--database', join(folder, 'games.db')], { stdio: ['ignore', 'pipe', 'ignore'] });
  for await (const line of createInterface({ input: server.stdout })) {
    const found = /http:\/\/127\.0\.0\.1:\d+/.exec(line);
    if (found) return { server, url: found[0] };
  }
  throw new Error('The server ended before it listened.');
}

test('a game goes on in the open page after the server was killed and started again', async () => {
  const first = await start('127.0.0.1:0');
  const { context, page, faults } = await visitor(browser, { server: first.url });
  await playNow(page);
  await myTurn(page);
  await playSomething(page);
  await myTurn(page);
  const board = () => page.evaluate(() => [...document.querySelectorAll('[role="gridcell"]')].map((cell) => cell.getAttribute('aria-label')).sort());
  const before = await board();
  first.server.kill('SIGKILL');
  await once(first.server, 'exit');
  await page.getByRole('status', { name: /Offline|Connecting/ }).waitFor();
  const second = await start(first.url.slice('http://'.length));
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
