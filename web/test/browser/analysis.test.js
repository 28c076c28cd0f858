/** The analysis board: positions set up by hand or pasted, and games walked through. */

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { launch, visitor } from './browser.js';

/** @type {import('./browser.js').Browser} */
let browser;
before(async () => {
  browser = await launch();
});
after(() => browser.close());

/** South has stepped with one pawn. */
const FEN4 =
  'R-0,0,0,0-1,1,1,1-1,1,1,1-0,0,0,0-0-x,x,x,yR,yN,yB,yQ,yK,yB,yN,yR,x,x,x/x,x,x,yP,yP,yP,yP,yP,yP,yP,yP,x,x,x/x,x,x,8,x,x,x/bR,bP,10,gP,gR/bN,bP,10,gP,gN/' +
  'bB,bP,10,gP,gB/bQ,bP,10,gP,gQ/bK,bP,10,gP,gK/bB,bP,10,gP,gB/bN,bP,10,gP,gN/bR,bP,10,gP,gR/x,x,x,4,rP,3,x,x,x/x,x,x,rP,rP,rP,rP,1,rP,rP,rP,x,x,x/x,x,x,rR,rN,rB,rQ,rK,rB,rN,rR,x,x,x';
const PGN4 = '1. h2-h3 .. b11-c11 .. i13-i12 .. m11-l11\n2. Qg1-k5 .. c11-d11';

/** @param {import('./browser.js').Page} page @param {string} square @param {RegExp} words */
async function holds(page, square, words) {
  await page.waitForFunction(
    ([name = '', source = '']) =>
      new RegExp(source).test(
        document.querySelector(`[data-square="${name}"]`)?.getAttribute('aria-label') ?? '',
      ),
    [square, words.source],
  );
}

test('a position is set up by hand, judged by the server, and played on', async () => {
  const { context, page, faults } = await visitor(browser, { path: '/analysis?variant=cross-b' });
  await page.getByRole('button', { name: 'Set up by hand' }).click();
  await page.getByRole('button', { name: 'Clear the board' }).click();
  const put = async (/** @type {string} */ piece, /** @type {string} */ square) => {
    await page.getByRole('button', { name: piece, exact: true }).click();
    await page.locator(`[data-square="${square}"]`).click();
  };
  await page.getByRole('button', { name: 'White', exact: true }).click();
  await put('king', 'e1');
  await put('rook', 'a1');
  await put('rook', 'b5');
  await put('pawn', 'i9');
  // A brush put down twice takes its piece away again; the eraser takes any.
  await put('pawn', 'g4');
  await page.locator('[data-square="g4"]').click();
  await holds(page, 'g4', /empty/);
  await page.getByRole('button', { name: 'Play from here' }).click();
  await page.getByRole('alert').getByText('That is not a position of a game on this server.').waitFor();
  await page.getByRole('button', { name: 'Black', exact: true }).click();
  await put('king', 'e9');
  // With the hand a piece is moved: by two taps, or by keys.
  await page.getByRole('button', { name: 'Hand: move pieces' }).click();
  await page.locator('[data-square="e9"]').click();
  await page.locator('[data-square="e10"]').click();
  await holds(page, 'e10', /Black king/);
  await page.locator('[data-square="b5"]').focus();
  await page.keyboard.press('Enter');
  for (let step = 0; step < 4; step += 1) await page.keyboard.press('ArrowUp');
  await page.keyboard.press('Enter');
  await holds(page, 'b9', /White rook/);
  await page.getByRole('combobox', { name: 'Who moves' }).selectOption('White');
  await page.getByRole('button', { name: 'Play from here' }).click();
  await page.getByRole('status').getByText('White to move').waitFor();
  await page.locator('[data-square="i9"]').click();
  await page.locator('[data-square="i10"]').click();
  const chooser = page.getByRole('dialog', { name: 'Promote to' });
  assert.equal(await chooser.getByRole('button').count(), 4, 'rook, bishop, knight, and not after all');
  await chooser.getByRole('button', { name: 'knight' }).click();
  await holds(page, 'i10', /White knight/);
  await page.getByRole('button', { name: 'One move back' }).click();
  await holds(page, 'i9', /White pawn/);
  await page.locator('[data-square="a1"]').click();
  await page.locator('[data-square="a10"]').click();
  await page.getByRole('status').getByText('White wins: checkmate').waitFor();
  assert.equal(faults.filter((fault) => !fault.includes('422')).length, 0, faults.join());
  await context.close();
});

test('what one board copies another loads; FEN4 and PGN4 of a game are read back', async () => {
  const { context, page, faults } = await visitor(browser, {
    path: '/analysis?variant=crossfire&actions=h2-h3,b11-c11,i13-i12,m11-l11,g1-k5',
  });
  await page.getByRole('status').getByText('West to move').waitFor();
  const texts = await page.evaluate(async () => {
    /** @param {object} body */
    const ask = async (body) =>
      (
        await fetch('/api/v1/positions', {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify(body),
        })
      ).json();
    const { position } = await ask({
      variant: 'crossfire',
      actions: ['h2-h3', 'b11-c11', 'i13-i12', 'm11-l11', 'g1-k5'],
    });
    return { json: JSON.stringify(position) };
  });
  await page.getByRole('button', { name: 'Copy the position' }).click();
  await page.getByText('Position copied.').waitFor();
  assert.deepEqual(
    JSON.parse(await page.evaluate(() => navigator.clipboard.readText())),
    JSON.parse(texts.json),
  );

  const load = async (/** @type {string} */ text) => {
    await page.getByRole('button', { name: 'Load a position' }).click();
    const dialog = page.getByRole('dialog', { name: 'Load a position' });
    await dialog.getByRole('textbox').fill(text);
    await dialog.getByRole('button', { name: 'Load a position' }).click();
    await dialog.waitFor({ state: 'detached' });
  };
  await load(texts.json);
  await holds(page, 'k5', /Bone queen/);
  await load(FEN4);
  await holds(page, 'k5', /empty/);
  await holds(page, 'h3', /Bone pawn/);
  await load(PGN4);
  await page.getByRole('button', { name: '6. c11-d11' }).waitFor();
  await page.getByRole('button', { name: 'One move back' }).click();
  await holds(page, 'c11', /Iron pawn/);
  await page.getByRole('button', { name: 'One move forward' }).click();
  await holds(page, 'd11', /Iron pawn/);
  assert.deepEqual(faults, []);
  await context.close();
});

/** A free-for-all game of other rules: another array, and a king that walks after its player has resigned. */
const OTHER_RULES =
  '[Variant "FFA"]\n[StartFen4 "4PC"]\n\n1. h2-h3 .. b7-c7 .. g13-g12 .. m8-l8\n2. Qg1-i3 .. Qa8-c6 .. Kg14-g13R .. Qn7-m8';

test('a game of other rules is shown as moves on a board, and the page says that nobody judges it', async () => {
  const { context, page, faults } = await visitor(browser, { path: '/analysis?variant=crossfire' });
  await page.getByRole('status').getByText('South to move').waitFor();
  await page.getByRole('button', { name: 'Load a position' }).click();
  const dialog = page.getByRole('dialog', { name: 'Load a position' });
  await dialog.getByRole('textbox').fill(OTHER_RULES);
  await dialog.getByRole('button', { name: 'Load a position' }).click();
  await dialog.waitFor({ state: 'detached' });
  await page.getByRole('status').getByText('Nobody judges this: these are moves on a board.').waitFor();
  await page.getByText('`4PC` is another start').waitFor();
  await holds(page, 'h14', /Yellow queen/);
  await page.getByRole('button', { name: 'One move forward' }).click();
  await holds(page, 'h3', /Red pawn/);
  await holds(page, 'h2', /empty/);
  await page.getByRole('button', { name: '7. Kg14-g13R' }).click();
  await holds(page, 'g13', /Yellow king/);
  await page.getByRole('button', { name: 'One move back' }).click();
  await holds(page, 'g14', /Yellow king/);
  await page.getByRole('button', { name: 'Back to the analysis board' }).click();
  await page.getByRole('status').getByText('South to move').waitFor();
  // What cannot be shown either is refused by the rules' own reason.
  await page.getByRole('button', { name: 'Load a position' }).click();
  await dialog.getByRole('textbox').fill('1. Kd2-d4');
  await dialog.getByRole('button', { name: 'Load a position' }).click();
  await page.getByRole('alert').getByText('d2 has a red pawn').waitFor();
  assert.equal(faults.filter((fault) => !fault.includes('422')).length, 0, faults.join());
  await context.close();
});
