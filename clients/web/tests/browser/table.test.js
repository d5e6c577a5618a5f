// What the table shows besides moves: armies that roam or are out, points, captured pieces, who is there, sounds, motion.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fromView, nameOf } from '../../app/position/squares.js';
import { heard, movesShown, pieceAt, pointOf, tapMove, visit, yourTurn } from './browsers.js';
import { playOn } from './opening.js';
import { SEATS, Table } from './players.js';
import { MATING } from './positions.js';
import { browser, platform } from './stage.js';

/** @typedef {import('playwright-core').Page} Page */

/** A piece's inside and outline, and its whole look. @param {Page} page @param {string} selector */
const look = (page, selector) => page.locator(selector).first().evaluate((piece) => {
  const style = getComputedStyle(piece);
  return { inside: style.getPropertyValue('--army').trim(), outline: style.getPropertyValue('--army-dash').trim(), opacity: style.opacity };
});

/** @param {Page} page @param {string} seat */
const pieces = (page, seat) => page.locator(`.board-box .men > .${seat}`);

test('an army that is mated turns grey, one that roams pale in a broken outline, and their results are frozen', async () => {
  const table = await Table.start(platform.url, { fen4: MATING });
  const page = await visit(browser, platform.url, { as: table.players.red, path: `/game/${table.id}` });
  await yourTurn(page);
  const playing = await look(page, '.board-box .men > .yellow');
  assert.equal(await page.locator('.board-box .promoted-star').count(), 1, 'a queen that was a pawn carries a star');

  await tapMove(page, 'd5-d14', 'red');
  await page.waitForSelector('.corner.yellow.out');
  assert.equal(await pieces(page, 'yellow').count(), 2);
  assert.equal(await page.locator('.board-box .men > .yellow.out').count(), 2, 'every piece of the army is out');
  const out = await look(page, '.board-box .men > .yellow');
  assert.notEqual(out.inside, playing.inside, 'it lost its colour');
  const [, r, g, b] = /^#(..)(..)(..)$/.exec(out.inside)?.map((part) => parseInt(part, 16)) ?? [];
  assert.ok(Math.max(r, g, b) - Math.min(r, g, b) < 20, `${out.inside} is grey`);
  assert.match(await page.locator('.corner.yellow').innerText(), /0\s*result\s*Checkmated/);
  assert.equal(await page.locator('.corner.yellow .card-clock').innerText(), '–');

  // Mate counts at once, for whoever made it.
  assert.match(await page.locator('.corner.red').innerText(), /20\s*points/);
  assert.equal(await page.locator('.move[data-ply="1"] .gain').innerText(), '+20');
  assert.match(await page.locator('.moves').innerText(), /Yellow is checkmated by Red\. \+20/);
  await heard(page, 'Yellow is checkmated by Red.');

  await table.resign('blue');
  await page.waitForSelector('.corner.blue.roaming');
  await movesShown(page, 2);
  assert.equal(await page.locator('.board-box .men > .blue.roaming').count(), 3);
  const roaming = await look(page, '.board-box .men > .blue');
  assert.notEqual(roaming.inside, playing.inside);
  assert.notEqual(roaming.outline, playing.outline, 'not by colour alone');
  assert.match(await page.locator('.corner.blue').innerText(), /0\s*result\s*Resigned, roaming/);
  assert.equal(await page.locator('.move.blue.roaming').count(), 1, 'its moves are marked in the list');
  assert.equal(await page.locator('.board-box .promoted-star').count(), 1);

  // Whoever does not see the board is told all of it.
  await page.click('.words summary');
  await page.waitForFunction(() => /Yellow \(out\).*king g14/s.test(/** @type {HTMLElement} */ (document.querySelector('.words'))?.innerText.replace(/[\u2066-\u2069]/g, '')));
  const words = (await page.locator('.words').innerText()).replace(/[\u2066-\u2069]/g, '');
  assert.match(words, /Blue \(roaming\)/);
  assert.match(words, /promoted queen [a-n]\d+/);
  await page.context().close();
});

test('moves stand by rounds with the points they brought, captured pieces by who took them', async () => {
  const table = await Table.start(platform.url);
  await table.moves(['h2-h4', 'm9-l9', 'g13-g11', 'b6-d6', 'g1-m7', 'n7-m7', 'f13-f12', 'b7-c7', 'e1-f3']);
  const page = await visit(browser, platform.url, { path: `/game/${table.id}` });
  await movesShown(page, 9);
  assert.deepEqual(await page.locator('.moves-number').allInnerTexts(), ['1', '2', '3']);
  const columns = await page.locator('.moves-row').nth(1).locator('.move').evaluateAll((moves) => moves.map((move) => move.getAttribute('data-ply')));
  assert.deepEqual(columns, ['5', '6', '7', '8']);
  assert.equal(await page.locator('.move[data-ply="5"]').innerText().then((text) => text.replace(/\s+/g, ' ')), 'Qg1xm7+ +1');
  assert.equal(await page.locator('.move[data-ply="6"] .gain').innerText(), '+9');
  const taken = await page.locator('.captured').evaluateAll((rows) => rows.map((row) => row.getAttribute('aria-label')?.replace(/[\u2066-\u2069]/g, '')));
  assert.deepEqual(taken, ['Captured: queen (Red)', 'Captured: pawn (Blue)'], 'who leads comes first');
  assert.match(await page.locator('.score').innerText(), /Banyu_Adi\s+1500\?\s+\(provisional rating\)\s+9/);

  // A click shows the game as it was, points and captured pieces too.
  await page.click('.move[data-ply="5"]');
  await pieceAt(page, 'm7', 'red');
  await page.waitForFunction(() => document.querySelectorAll('.captured').length === 1);
  assert.equal(await page.locator('.move[data-ply="5"]').getAttribute('aria-current'), 'true');
  assert.match(await page.locator('.corner.blue').innerText(), /0\s*points/);
  await page.context().close();
});

test('a move too long for its column is broken between its squares, never inside one', async () => {
  const table = await Table.start(platform.url);
  await playOn(table, 12, 3);
  const page = await visit(browser, platform.url, { path: `/game/${table.id}`, width: 640, height: 360, touch: true });
  await movesShown(page, 12);
  const [broken, lines] = await page.locator('.move-text').evaluateAll((texts) => {
    const rows = (/** @type {Range} */ range) => new Set([...range.getClientRects()].map((box) => box.top)).size;
    const range = document.createRange();
    const inside = [];
    let most = 0;
    for (const text of texts) {
      range.selectNodeContents(text);
      most = Math.max(most, rows(range));
      text.normalize();
      for (const part of text.childNodes) {
        for (const found of (part.textContent ?? '').matchAll(/[a-n]\d+/g)) {
          range.setStart(part, found.index);
          range.setEnd(part, found.index + found[0].length);
          if (rows(range) > 1) inside.push(text.textContent);
        }
      }
    }
    return [inside, most];
  });
  assert.equal(lines, 2, 'there is one that does not fit');
  assert.deepEqual(broken, []);
  await page.context().close();
});

test('the armies differ by shape as well as by hue, on pieces, cards and lists', async () => {
  const table = await Table.start(platform.url);
  const page = await visit(browser, platform.url, { path: `/game/${table.id}` });
  await page.waitForSelector('.board-box .board');
  for (const place of ['.board-box .men > .SEAT', '.corner.SEAT .army-badge', '.moves-head .SEAT', '.score .army-badge.SEAT']) {
    const shapes = await Promise.all(SEATS.map((seat) => page.locator(place.replace('SEAT', seat)).first()
      .locator('.piece-emblem').getAttribute('d')));
    assert.equal(new Set(shapes).size, 4, place);
  }
  await page.click('.actions [aria-label="Turn the board"]');
  await pieceAt(page, 'h1', 'blue');
  for (const seat of SEATS) assert.equal(await pieces(page, seat).locator('.piece-emblem').count(), 16, `every piece of ${seat} has it`);
  await page.context().close();
});

test('who loses the line is marked on the card', async () => {
  const table = await Table.start(platform.url);
  const path = `/game/${table.id}`;
  const page = await visit(browser, platform.url, { as: table.players.red, path });
  const other = await visit(browser, platform.url, { as: table.players.blue, path });
  await yourTurn(page);
  await other.waitForSelector('.corner.blue.mine');
  await other.context().close();
  await page.waitForSelector('.corner.blue .presence.away');
  assert.match(await page.locator('.corner.blue').innerText(), /not connected/);
  const back = await visit(browser, platform.url, { as: table.players.blue, path });
  await back.waitForSelector('.corner.blue.mine');
  await page.waitForSelector('.corner.blue .presence.away', { state: 'detached' });
  await back.context().close();
  await page.context().close();
});

test('the picked piece, where it may go, and the last move are marked', async () => {
  const table = await Table.start(platform.url);
  await table.moves(['h2-h4', 'm9-l9', 'g13-g11', 'b6-d6']);
  const page = await visit(browser, platform.url, { as: table.players.red, path: `/game/${table.id}` });
  await yourTurn(page);
  /** Squares with such a mark, as Red sees them. @param {string} kind */
  const marked = async (kind) => (await page.locator(`.board-box .mark.${kind}`).evaluateAll((marks) => marks.map((mark) => {
    const { x, y, width, height } = /** @type {SVGGraphicsElement} */ (mark).getBBox();
    return [Math.floor(x + width / 2), Math.floor(y + height / 2)];
  }))).map(([x, y]) => nameOf(/** @type {number} */ (fromView(x, y, 'red')))).sort();
  assert.deepEqual(await marked('last'), ['b6', 'd6']);
  // What is legal is the server's word; it comes a moment after the turn.
  const legal = (await table.state()).legal_moves.filter((/** @type {string} */ move) => move.startsWith('g1-')).map((/** @type {string} */ move) => move.slice(3)).sort();
  const { x, y } = await pointOf(page, 'g1', 'red');
  await page.mouse.click(x, y);
  await page.waitForFunction((count) => document.querySelectorAll('.board-box .mark.target, .board-box .mark.target-ring').length === count, legal.length);
  assert.deepEqual(await marked('picked'), ['g1']);
  assert.deepEqual([...await marked('target'), ...await marked('target-ring')].sort(), legal);
  assert.deepEqual(await marked('target-ring'), ['m7'], 'a capture is marked by a ring');
  await page.keyboard.press('Escape');
  await page.context().close();
});

/** Counts what would be heard. */
function listen() {
  /** @type {any} */ (window).notes = [];
  const sound = () => ({ connect: (/** @type {any} */ next) => next, start: () => {}, stop: () => {}, frequency: {}, gain: { setValueAtTime() {}, exponentialRampToValueAtTime() {} } });
  /** @type {any} */ (window).AudioContext = class {
    state = 'running';
    currentTime = 0;
    destination = {};
    async resume() {}
    createOscillator() {
      const oscillator = sound();
      /** @type {any} */ (window).notes.push(oscillator.frequency);
      return oscillator;
    }
    createGain() {
      return sound();
    }
  };
}

test('one’s turn is told by the tab and by a sound, and sounds can be turned off', async () => {
  const table = await Table.start(platform.url);
  const page = await visit(browser, platform.url, { as: table.players.red, path: `/game/${table.id}`, before: listen });
  const notes = () => page.evaluate(() => /** @type {any} */ (window).notes.splice(0).map((/** @type {any} */ note) => note.value));
  await yourTurn(page);
  assert.equal(await page.title(), '● Your turn · Four Kingdoms');
  await tapMove(page, 'h2-h4', 'red');
  await movesShown(page, 1);
  await page.waitForFunction(() => /** @type {any} */ (window).notes.length > 0);
  await page.waitForFunction(() => document.title === 'Game · Four Kingdoms');
  await notes();
  await table.moves(['m9-l9', 'g13-g11', 'b6-d6']);
  await yourTurn(page);
  await page.waitForFunction(() => document.title.startsWith('● Your turn'));
  await page.waitForFunction(() => /** @type {any} */ (window).notes.some((/** @type {any} */ note) => note.value === 660));
  assert.ok((await notes()).length >= 2, 'the turn is heard');

  await page.click('.actions [aria-label=Sounds]');
  assert.equal(await page.locator('.actions [aria-label=Sounds]').getAttribute('aria-pressed'), 'false');
  await tapMove(page, 'e1-f3', 'red');
  await movesShown(page, 5);
  await table.moves(['n5-l6', 'j14-i12', 'a10-c9']);
  await movesShown(page, 8);
  await yourTurn(page);
  assert.deepEqual(await notes(), [], 'silence');
  await page.reload();
  await yourTurn(page);
  assert.equal(await page.locator('.actions [aria-label=Sounds]').getAttribute('aria-pressed'), 'false', 'remembered');
  // The menu in the header is the same switch.
  await page.click('.menu summary');
  await page.click('.menu-box label:has-text("Sounds")');
  await page.waitForSelector('.actions [aria-label=Sounds][aria-pressed=true]');
  await page.context().close();
});

test('pieces glide, unless the system or the player wants little motion', async () => {
  const table = await Table.start(platform.url);
  const path = `/game/${table.id}`;
  const page = await visit(browser, platform.url, { path });
  const calm = await visit(browser, platform.url, { path, calm: true });
  for (const each of [page, calm]) {
    await pieceAt(each, 'h2', 'red');
    await each.evaluate(() => document.querySelector('.board-box')?.addEventListener('transitionrun', (event) => {
      const { propertyName, target } = /** @type {TransitionEvent} */ (event);
      const time = target instanceof Element ? parseFloat(getComputedStyle(target).transitionDuration) : 0;
      if (propertyName === 'transform' && time > 0.05) document.body.dataset.glided = 'yes';
    }));
  }
  await table.move('h2-h4');
  for (const each of [page, calm]) await pieceAt(each, 'h4', 'red');
  await page.waitForSelector('body[data-glided]');
  assert.equal(await calm.locator('body[data-glided]').count(), 0);
  const seconds = (/** @type {Page} */ each) => each.locator('.board-box .men > g').first().evaluate((piece) => parseFloat(getComputedStyle(piece).transitionDuration));
  assert.ok(await seconds(page) > 0.1);
  assert.ok(await seconds(calm) < 0.001);
  await page.click('.menu summary');
  await page.click('.menu-box label:has-text("glide")');
  assert.ok(await seconds(page) < 0.001, 'the player’s own choice');
  await page.context().close();
  await calm.context().close();
});
