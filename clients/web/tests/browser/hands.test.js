// Moving without a mouse, and what those hear who do not look.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { fromView, nameOf } from '../../app/position/squares.js';
import { dragMove, heard, movesShown, pieceAt, pointOf, tapMove, visit, yourTurn } from './browsers.js';
import { Platform } from './platform.js';
import { HttpPlayer, SEATS, Table } from './players.js';
import { CASTLING, CHECKING } from './positions.js';
import { browser, platform } from './stage.js';

/** @typedef {import('playwright-core').Page} Page */
/** @typedef {import('./players.js').Seat} Seat */

/** Walks the keyboard's square. @param {Page} page @param {number} dx @param {number} dy */
async function walk(page, dx, dy) {
  for (let i = 0; i < Math.abs(dx); i++) await page.keyboard.press(dx > 0 ? 'ArrowRight' : 'ArrowLeft');
  for (let i = 0; i < Math.abs(dy); i++) await page.keyboard.press(dy > 0 ? 'ArrowDown' : 'ArrowUp');
}

/** Tab, until the focus is there. @param {Page} page @param {string} selector */
async function tabTo(page, selector) {
  for (let i = 0; i < 120; i++) {
    if (await page.evaluate((wanted) => document.activeElement?.matches(wanted), selector)) return;
    await page.keyboard.press('Tab');
  }
  assert.fail(`Tab does not reach ${selector}`);
}

test('a whole game by keyboard alone: found, played on the board and by text, premoved, won, saved', async () => {
  const page = await visit(browser, platform.url);
  await page.waitForSelector('[data-time-control="10+5"]');
  await tabTo(page, 'input[id^=guest-name]');
  await page.keyboard.type('Keys');
  await tabTo(page, '[data-time-control="10+5"]');
  await page.keyboard.press('Enter');
  await page.waitForSelector('.seek-panel .facts');
  const others = await Promise.all(['Ben', 'Cleo', 'Dan'].map((name) => HttpPlayer.guest(platform.url, name)));
  const table = await Table.rated(others, '10+5');
  await page.waitForSelector('.corner.mine');
  const mine = /** @type {Seat} */ (SEATS.find((seat) => !table.players[seat]));
  const at = (/** @type {Seat} */ seat, /** @type {number} */ x, /** @type {number} */ y) => nameOf(/** @type {number} */ (fromView(x, y, seat)));
  /** Everyone else moves the same pawn, as they see it. @param {readonly Seat[]} seats @param {number} x */
  const othersMove = async (seats, x) => {
    for (const seat of seats) await table.move(`${at(seat, x, 12)}-${at(seat, x, 10)}`);
  };
  const [before, after] = [SEATS.slice(0, SEATS.indexOf(mine)), SEATS.slice(SEATS.indexOf(mine) + 1)];

  await othersMove(before, 4);
  await yourTurn(page);
  await tabTo(page, '.board');
  await page.keyboard.press('ArrowUp');
  await heard(page, `${at(mine, 7, 12)}, ${mine[0].toUpperCase()}${mine.slice(1)}, pawn`);
  await page.keyboard.press('Enter');
  await walk(page, 0, -2);
  await heard(page, `${at(mine, 7, 10)}, empty`);
  await page.keyboard.press('Enter');
  await pieceAt(page, at(mine, 7, 10), mine);
  await othersMove(after, 4);
  await othersMove(before, 5);

  await yourTurn(page);
  await tabTo(page, '#move-entry');
  await page.keyboard.type('nonsense');
  await page.keyboard.press('Enter');
  await page.waitForFunction(() => document.getElementById('move-problem')?.textContent?.includes('no move'));
  await page.keyboard.press('Control+A');
  await page.keyboard.type(`N${at(mine, 9, 13)}${at(mine, 8, 11)}`);
  await page.keyboard.press('Enter');
  await pieceAt(page, at(mine, 8, 11), mine);
  await movesShown(page, 5 + before.length);

  // While the others think, what to play next.
  await page.keyboard.down('Shift');
  await tabTo(page, '.board');
  await page.keyboard.up('Shift');
  await page.keyboard.press('Enter');
  await walk(page, 0, -2);
  await page.keyboard.press('Enter');
  await walk(page, 0, -1);
  await page.keyboard.press('Enter');
  await heard(page, `Premove ${at(mine, 7, 10)}-${at(mine, 7, 9)}`);
  await othersMove(after, 5);
  await othersMove(before, 6);
  await pieceAt(page, at(mine, 7, 9), mine);

  for (const seat of [...after, ...before]) await table.resign(seat);
  await page.waitForSelector('.end:not([hidden]) .standing .change');
  assert.match(await page.locator('.standing .winner').innerText(), /Keys\s+60 points/);
  await tabTo(page, '.end-buttons button:last-child');
  const download = page.waitForEvent('download');
  await page.keyboard.press('Enter');
  const record = JSON.parse(readFileSync(await (await download).path(), 'utf8'));
  assert.ok(JSON.stringify(record).includes(`${at(mine, 7, 10)}-${at(mine, 7, 9)}`), 'the premove is in the record');
  await page.keyboard.down('Shift');
  await tabTo(page, '.end-buttons a');
  await page.keyboard.up('Shift');
  await page.keyboard.press('Enter');
  await page.waitForSelector('.find-card');
  await page.context().close();
});

test('resigning by keyboard asks first', async () => {
  const table = await Table.start(platform.url);
  const page = await visit(browser, platform.url, { as: table.players.red, path: `/game/${table.id}` });
  await yourTurn(page);
  await tabTo(page, '#resign');
  await page.keyboard.press('Enter');
  await page.waitForSelector('dialog[open]');
  await page.keyboard.press('Escape');
  await page.waitForSelector('dialog', { state: 'detached' });
  assert.equal((await table.state()).seats.red.army, 'playing');
  await tabTo(page, '#resign');
  await page.keyboard.press('Enter');
  await page.waitForSelector('dialog[open]');
  await tabTo(page, 'dialog .danger');
  await page.keyboard.press('Enter');
  await page.waitForSelector('.corner.red.roaming');
  await heard(page, 'Red resigned');
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
  await heard(page, 'Yellow is in check.');
  await page.context().close();
});

test('low time is told and shown with tenths', async () => {
  const table = await Table.start(platform.url, { control: '0.25+0' });
  const page = await visit(browser, platform.url, { as: table.players.red, path: `/game/${table.id}` });
  await yourTurn(page);
  await page.fill('#move-entry', 'h2-h4');
  await page.press('#move-entry', 'Enter');
  await movesShown(page, 1);
  assert.equal(await page.locator('.corner.mine .card-clock').innerText(), '0:15', 'no tenths above ten seconds');
  await table.moves(['m9-l9', 'g13-g11', 'b6-d6']);
  await page.waitForFunction(() => /^\d\.\d$/.test(document.querySelector('.corner.mine .card-clock.low')?.textContent ?? ''));
  await page.waitForFunction(() => /\d+ seconds? left/.test(document.getElementById('live-assertive')?.textContent ?? ''));
  // The flag falls: the army roams, and its card says so.
  await page.waitForSelector('.corner.red.roaming');
  await page.waitForFunction(() => document.querySelector('.corner.red .card-state')?.textContent?.includes('Out of time'));
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

  // On its side the phone shows the whole board, with the rest beside it.
  await page.setViewportSize({ width: 640, height: 360 });
  await page.waitForFunction(() => {
    const board = document.querySelector('.board-box .board')?.getBoundingClientRect();
    const side = document.querySelector('.table-side')?.getBoundingClientRect();
    return board && side && board.bottom <= innerHeight && board.width > 280 && side.left >= board.right;
  });
  await page.context().close();
});

test('who makes no first move in time is warned, and the game ends without a result', async () => {
  const quick = await Platform.start({ FK_FIRST_MOVE_MS: '12000' });
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
