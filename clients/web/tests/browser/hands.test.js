// Moving without a mouse, and what those hear who do not look.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { complaints, dragMove, launch, movesShown, pieceAt, pointOf, tapMove, visit, yourTurn } from './browsers.js';
import { Platform } from './platform.js';
import { Table } from './players.js';

/** @type {Platform} */
let platform;
/** @type {import('playwright-core').Browser} */
let browser;

before(async () => {
  platform = await Platform.start();
  browser = await launch();
});
after(async () => {
  await browser?.close();
  await platform?.stop();
  assert.deepEqual(complaints, []);
});

/** Red may castle both ways; its pawn on h7 is one step from its line; Yellow and Green have little. */
const CASTLING = 'R-0,0,0,0-1,0,0,0-1,0,0,0-0,0,0,0-0-3,8,3/3,3,yK,4,3/14/14/14/14/gK,11,bP,bK/7,rP,6/14/14/14/14/'
  + '3,rP,6,rP,3/3,rR,3,rK,2,rR,3';

/** Red's queen is one move from a check on g14. */
const CHECKING = 'R-0,0,0,0-0,0,0,0-0,0,0,0-0,0,0,0-0-3,3,yK,4,3/14/14/14/14/14/12,bP,bK/gK,13/14/3,rQ,10/14/14/14/3,4,rK,3,3';

/** @param {import('playwright-core').Page} page */
const heard = (page) => page.locator('#live-polite').innerText();

/** Walks the keyboard's square from one place to another as Red sees them. @param {import('playwright-core').Page} page @param {number} dx @param {number} dy */
async function walk(page, dx, dy) {
  for (let i = 0; i < Math.abs(dx); i++) await page.keyboard.press(dx > 0 ? 'ArrowRight' : 'ArrowLeft');
  for (let i = 0; i < Math.abs(dy); i++) await page.keyboard.press(dy > 0 ? 'ArrowDown' : 'ArrowUp');
}

test('the keyboard alone makes moves, on the board and by text, and resigns', async () => {
  const table = await Table.start(platform.url);
  const page = await visit(browser, platform.url, { as: table.players.red, path: `/game/${table.id}` });
  await yourTurn(page);

  // To the board with Tab, as a person would.
  for (let i = 0; i < 40; i++) {
    await page.keyboard.press('Tab');
    if (await page.evaluate(() => document.activeElement?.classList.contains('board'))) break;
  }
  assert.ok(await page.evaluate(() => document.activeElement?.classList.contains('board')), 'Tab reaches the board');
  await page.keyboard.press('ArrowUp');
  assert.match(await heard(page), /h2, Red, pawn/, 'the first square is the pawn before the king');
  await page.keyboard.press('Enter');
  await walk(page, 0, -2);
  assert.match(await heard(page), /h4, empty/);
  await page.keyboard.press('Enter');
  await movesShown(page, 1);
  await page.waitForFunction(() => document.getElementById('live-polite')?.textContent?.includes('Red h2-h4.'));

  await table.moves(['m9-l9', 'g13-g11', 'b6-d6']);
  await yourTurn(page);
  await page.focus('#move-entry');
  await page.keyboard.type('nonsense');
  await page.keyboard.press('Enter');
  assert.match(await page.locator('#move-problem').innerText(), /no move/);
  await page.fill('#move-entry', '');
  await page.keyboard.type('Ne1f3');
  await page.keyboard.press('Enter');
  await movesShown(page, 5);

  await page.focus('#resign');
  await page.keyboard.press('Enter');
  await page.waitForSelector('dialog[open]');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await page.waitForSelector('.corner.red.roaming');
  await page.waitForFunction(() => document.getElementById('live-polite')?.textContent?.includes('Red resigned'));
  await page.context().close();
});

test('arrow keys leaf through the game when the board is not in hand', async () => {
  const table = await Table.start(platform.url);
  await table.moves(['h2-h4', 'm9-l9', 'g13-g11', 'b6-d6']);
  const page = await visit(browser, platform.url, { path: `/game/${table.id}` });
  await movesShown(page, 4);
  await page.keyboard.press('ArrowLeft');
  await page.keyboard.press('ArrowLeft');
  await pieceAt(page, 'g13', 'red');
  await page.waitForFunction(() => document.querySelector('.review-where')?.textContent === '2 / 4');
  await page.keyboard.press('Home');
  await pieceAt(page, 'h2', 'red');
  // A move that comes meanwhile does not tear the reader away.
  await table.move('e1-f3');
  await movesShown(page, 5);
  assert.equal(await page.locator('.review-where').innerText(), '0 / 5');
  await page.keyboard.press('End');
  await pieceAt(page, 'f3', 'red');
  await page.context().close();
});

test('castling by the king’s move and as O-O-O, and a pawn becomes a marked queen', async () => {
  for (const [how, king, rook] of /** @type {const} */ ([['king', 'j1', 'i1'], ['text', 'f1', 'g1']])) {
    const table = await Table.start(platform.url, { fen4: CASTLING });
    const page = await visit(browser, platform.url, { as: table.players.red, path: `/game/${table.id}` });
    await yourTurn(page);
    if (how === 'king') await dragMove(page, 'h1-j1', 'red');
    else {
      await page.fill('#move-entry', 'o-o-o');
      await page.press('#move-entry', 'Enter');
    }
    await movesShown(page, 1);
    await pieceAt(page, king, 'red');
    await pieceAt(page, rook, 'red');
    await page.context().close();
  }
  const table = await Table.start(platform.url, { fen4: CASTLING });
  const page = await visit(browser, platform.url, { as: table.players.red, path: `/game/${table.id}` });
  await yourTurn(page);
  await tapMove(page, 'h7-h8', 'red');
  await page.waitForSelector('.board-box .promoted-star');
  await page.context().close();
});

test('a check is marked and told, an illegal move is refused in words', async () => {
  const table = await Table.start(platform.url, { fen4: CHECKING });
  const page = await visit(browser, platform.url, { as: table.players.red, path: `/game/${table.id}` });
  await yourTurn(page);
  await page.fill('#move-entry', 'd5-f6');
  await page.press('#move-entry', 'Enter');
  await page.waitForSelector('.toast.problem');
  assert.match(await page.locator('.toast').innerText(), /not legal/);
  await page.fill('#move-entry', 'd5-g5');
  await page.press('#move-entry', 'Enter');
  await movesShown(page, 1);
  assert.equal(await page.locator('.mark.check-ring').count(), 1);
  await page.waitForFunction(() => document.getElementById('live-polite')?.textContent?.includes('Yellow is in check.'));
  await page.context().close();
});

test('low time is told and shown with tenths', async () => {
  const table = await Table.start(platform.url, { control: '0.2+0' });
  const page = await visit(browser, platform.url, { as: table.players.red, path: `/game/${table.id}` });
  await yourTurn(page);
  await page.fill('#move-entry', 'h2-h4');
  await page.press('#move-entry', 'Enter');
  await movesShown(page, 1);
  await table.moves(['m9-l9', 'g13-g11', 'b6-d6']);
  await page.waitForSelector('.corner.mine .card-clock.low', { timeout: 8000 });
  assert.match(await page.locator('.corner.mine .card-clock').innerText(), /^\d\.\d$/);
  await page.waitForFunction(() => /10 seconds|9 seconds/.test(document.getElementById('live-assertive')?.textContent ?? ''));
  // The flag falls: the army roams, and its card says so.
  await page.waitForSelector('.corner.red.roaming', { timeout: 20_000 });
  assert.match(await page.locator('.corner.red .card-state').innerText(), /Out of time/);
  await page.context().close();
});

test('on a phone two taps make a move, and the board takes the whole width', async () => {
  const table = await Table.start(platform.url);
  const page = await visit(browser, platform.url, { as: table.players.red, path: `/game/${table.id}`, width: 360, height: 640, touch: true });
  await yourTurn(page);
  const box = await page.locator('.board-box .board').boundingBox();
  assert.ok(box && box.width > 350, `${box?.width} px wide`);
  for (const square of ['h2', 'h4']) {
    const { x, y } = await pointOf(page, square, 'red');
    await page.touchscreen.tap(x, y);
  }
  await movesShown(page, 1);
  assert.equal((await table.state()).last_move.move, 'h2-h4');
  await page.context().close();
});

test('who makes no first move in time is warned, and the game ends without a result', async () => {
  const quick = await Platform.start({ FK_FIRST_MOVE_MS: '6000' });
  try {
    const table = await Table.start(quick.url);
    const page = await visit(browser, quick.url, { as: table.players.red, path: `/game/${table.id}` });
    await page.waitForSelector('.corner.mine.hurry');
    await page.waitForFunction(() => /seconds? left/.test(document.getElementById('live-assertive')?.textContent ?? ''));
    await page.waitForSelector('.end:not([hidden])');
    assert.match(await page.locator('.end').innerText(), /aborted/);
    assert.equal(await page.locator('.standing').count(), 0);
    await page.context().close();
  } finally {
    await quick.stop();
  }
});
