/**
 * Prints how fast the client is: the first board on the screen with the processor slowed four times, and what a frame costs
 * while one of 64 pieces travels, at normal speed. Nothing is asserted here; speed depends on the machine.
 *
 *     KINGSCROSS_BINARY=../target/release/kingscross npm run bench
 */

import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { launch, visitor } from '../browser/browser.js';
import { startServer } from '../browser/server.js';

const RUNS = 9;
const SLOWED = 4;
const LINE = 'h2-h3,b11-c11,i13-i12,m11-l11,g1-k5,c11-d11,j13-j11,m9-l9';

/** @param {number[]} values @param {number} share */
function quantile(values, share) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? NaN;
}

/** @param {string} what @param {number[]} values */
function print(what, values) {
  console.log(
    `${what}: median ${quantile(values, 0.5).toFixed(1)} ms, 90 % under ${quantile(values, 0.9).toFixed(1)} ms, most ${Math.max(...values).toFixed(1)} ms (${values.length} measured)`,
  );
}

/**
 * Milliseconds from the start of the navigation to the frame after which the first board with pieces stood.
 * @param {import('playwright-core').Browser} browser @param {string} path
 */
async function firstBoard(browser, path) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 860 } });
  await context.addInitScript(() => {
    Reflect.set(
      window,
      'firstBoard',
      new Promise((resolve) => {
        const look = () => {
          if (!document.querySelector('.board .piece use, .board .piece circle'))
            return void requestAnimationFrame(look);
          // The frame that draws it ends before the next one begins.
          requestAnimationFrame(() => resolve(performance.now()));
        };
        requestAnimationFrame(look);
      }),
    );
  });
  const page = await context.newPage();
  const devtools = await context.newCDPSession(page);
  await devtools.send('Emulation.setCPUThrottlingRate', { rate: SLOWED });
  await page.goto(path, { waitUntil: 'commit' });
  // Asked in one line: the library's own ways to wait put much code of theirs into the page, slowed as well.
  const { result } = await devtools.send('Runtime.evaluate', {
    expression: 'firstBoard',
    awaitPromise: true,
  });
  await context.close();
  return Number(result.value);
}

/**
 * Times between frames while a piece travels on a full board.
 * @param {import('playwright-core').Browser} browser @param {string} server
 */
async function travellingFrames(browser, server) {
  const { context, page } = await visitor(browser, {
    server,
    path: `/analysis?variant=crossfire&actions=${LINE}`,
  });
  await page.getByRole('button', { name: '8. m9-l9' }).waitFor();
  const toStart = async () => {
    await page.getByRole('button', { name: 'To the start' }).click();
    await page.waitForFunction(() => !document.querySelector('.move.now'));
  };
  await toStart();
  const pieces = await page.locator('.board .piece').count();
  await page.evaluate(() => {
    /** @type {number[]} */
    const frames = [];
    Reflect.set(window, 'frames', frames);
    let last = 0;
    const tick = (/** @type {number} */ now) => {
      const travels = document
        .getAnimations()
        .some((animation) => animation instanceof CSSTransition && animation.playState === 'running');
      if (travels && last > 0) frames.push(now - last);
      last = travels ? now : 0;
      requestAnimationFrame(tick);
    };
    requestAnimationFrame(tick);
  });
  for (let round = 0; round < 4; round += 1) {
    for (let step = 0; step < 8; step += 1) {
      await page.keyboard.press('ArrowRight');
      await page.waitForFunction(
        (count) => document.querySelector('.move.now')?.textContent?.startsWith(`${count}.`),
        step + 1,
      );
      await page.waitForFunction(() =>
        document.getAnimations().every((animation) => !(animation instanceof CSSTransition)),
      );
    }
    await toStart();
  }
  /** @type {number[]} */
  const frames = await page.evaluate(
    () => /** @type {number[]} */ (/** @type {unknown} */ (Reflect.get(window, 'frames'))),
  );
  await context.close();
  return { pieces, frames };
}

const folder = mkdtempSync(join(tmpdir(), 'kingscross-'));
const { server, url } = await startServer(join(folder, 'games.db'));
try {
  const browser = await launch();
  for (const path of ['/', '/analysis?variant=crossfire']) {
    /** @type {number[]} */
    const times = [];
    for (let run = 0; run < RUNS; run += 1) times.push(await firstBoard(browser, url + path));
    print(`first board at ${path}, processor slowed ${SLOWED} times, nothing cached`, times);
  }
  const atScreenPace = await travellingFrames(browser, url);
  print(
    `from frame to frame while one of ${atScreenPace.pieces} pieces travels, at the pace of a 60 Hz screen`,
    atScreenPace.frames,
  );
  await browser.close();

  const free = await launch(['--disable-frame-rate-limit', '--disable-gpu-vsync']);
  const unlimited = await travellingFrames(free, url);
  print('what such a frame costs, with no screen to wait for', unlimited.frames);
  await free.close();
} finally {
  server.kill('SIGTERM');
  await once(server, 'exit');
  rmSync(folder, { recursive: true });
}
