// Every page: readable by all, in every language, at every width, from no other host.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { after, before, test } from 'node:test';
import { complaints, launch, movesShown, visit } from './browsers.js';
import { playOn } from './opening.js';
import { Platform } from './platform.js';
import { Table } from './players.js';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** @type {Platform} */
let platform;
/** @type {import('playwright-core').Browser} */
let browser;
/** @type {Table} */
let running;
/** @type {Table} */
let finished;
/** @type {{ name: string, path: string, ready: string }[]} */
let pages;

before(async () => {
  platform = await Platform.start();
  browser = await launch();
  running = await Table.start(platform.url);
  await playOn(running, 30);
  finished = await Table.start(platform.url);
  await playOn(finished, 12);
  for (const seat of /** @type {const} */ (['red', 'blue', 'green'])) await finished.resign(seat);
  const waiting = await running.players.red.call('POST', '/games', {
    time_control: '3+2', seats: { red: { me: true }, blue: { open: true }, yellow: { open: true }, green: { open: true } },
  });
  pages = [
    { name: 'lobby', path: '/', ready: '.game-tile' },
    { name: 'watch', path: '/watch', ready: '.game-tile' },
    { name: 'running game', path: `/game/${running.id}`, ready: '.moves .move' },
    { name: 'finished game', path: `/game/${finished.id}`, ready: '.end:not([hidden]) .standing' },
    { name: 'waiting room', path: `/game/${waiting.id}`, ready: '.seat-list' },
    { name: 'invitation', path: `/invite/${waiting.invite_code}`, ready: 'main h1' },
    { name: 'leaderboard', path: '/leaderboard', ready: '.data, .empty' },
    { name: 'player', path: `/player/${running.players.blue.identity.player.id}`, ready: '.rating-tile' },
    { name: 'rules', path: '/rules', ready: '.tips' },
    { name: 'account', path: '/account', ready: '#register' },
    { name: 'nothing', path: '/nowhere', ready: '.centred' },
  ];
});
after(async () => {
  await browser?.close();
  await platform?.stop();
  assert.deepEqual(complaints, []);
});

/** @param {import('playwright-core').Page} page @param {string} path @param {string} ready */
async function open(page, path, ready) {
  await page.evaluate((hash) => {
    location.hash = hash;
  }, path);
  await page.waitForSelector(ready);
}

for (const dark of [false, true]) {
  test(`axe finds nothing serious on any page, ${dark ? 'dark' : 'light'}`, async () => {
    const page = await visit(browser, platform.url, { as: running.players.red, dark });
    /** @type {string[]} */
    const found = [];
    for (const { name, path, ready } of pages) {
      await open(page, path, ready);
      await page.waitForTimeout(250);
      await page.evaluate(axe);
      const result = await page.evaluate(() => /** @type {any} */ (window).axe.run(document, { resultTypes: ['violations'] }));
      for (const violation of result.violations) {
        if (!['serious', 'critical'].includes(violation.impact)) continue;
        for (const node of violation.nodes) found.push(`${name}: ${violation.id}: ${node.target.join(' ')} ${node.any[0]?.message ?? ''}`);
      }
    }
    assert.deepEqual(found, []);
    await page.context().close();
  });
}

test('no page is wider than the screen, from 320 px on, in any language', async () => {
  /** @type {string[]} */
  const wide = [];
  for (const locale of ['en', 'ar', 'nl', 'id', 'hi', 'es']) {
    const page = await visit(browser, platform.url, { as: running.players.red, width: 320, height: 568, locale, touch: true });
    for (const { name, path, ready } of pages) {
      await open(page, path, ready);
      const { scroll, client } = await page.evaluate(() => ({ scroll: document.documentElement.scrollWidth, client: document.documentElement.clientWidth }));
      if (scroll > client) wide.push(`${locale} ${name}: ${scroll}`);
    }
    await page.context().close();
  }
  assert.deepEqual(wide, []);
});

test('the Arabic page is mirrored, the board is not', async () => {
  const page = await visit(browser, platform.url, { as: running.players.red, path: `/game/${running.id}`, locale: 'ar-EG' });
  await movesShown(page, 30);
  assert.equal(await page.getAttribute('html', 'dir'), 'rtl');
  assert.equal(await page.getAttribute('html', 'lang'), 'ar');
  const x = async (/** @type {string} */ selector) => (await page.locator(selector).first().boundingBox())?.x ?? NaN;
  assert.ok(await x('.table-side') < await x('.board-box'), 'the moves are on the left');
  assert.ok(await x('.brand') > await x('.settings-place'), 'the brand is on the right');
  assert.ok(await x('.corner.blue') > await x('.corner.green'), 'Blue is still on the right of Red');
  const files = await page.locator('.board-box .coordinate').evaluateAll((labels) => labels
    .filter((label) => /^[d-k]$/.test(label.textContent ?? ''))
    .sort((a, b) => a.getBoundingClientRect().x - b.getBoundingClientRect().x).map((label) => label.textContent).join(''));
  assert.equal(files, 'defghijk');
  await page.context().close();
});

test('the language follows the browser, can be changed, and is remembered', async () => {
  const page = await visit(browser, platform.url, { locale: 'nl-NL' });
  assert.equal(await page.locator('h1').innerText(), 'Schaken met z’n vieren');
  await page.click('.menu summary');
  await page.selectOption('#set-language', 'hi');
  await page.waitForFunction(() => document.documentElement.lang === 'hi');
  assert.equal(await page.locator('h1').innerText(), 'चार की शतरंज');
  await page.reload();
  await page.waitForSelector('h1');
  assert.equal(await page.locator('h1').innerText(), 'चार की शतरंज');
  await page.goto(`${platform.url}/#/rules`);
  await page.waitForSelector('.tips');
  assert.match(await page.locator('.rules h1').innerText(), /नियम/);
  await page.context().close();
});

test('a finished game is replayed and exported', async () => {
  const page = await visit(browser, platform.url, { path: `/game/${finished.id}` });
  await page.waitForSelector('.standing');
  assert.equal(await page.locator('.standing li').count(), 4);
  await page.click('.move[data-ply="3"]');
  await page.waitForFunction(() => document.querySelector('.review-where')?.textContent?.startsWith('3 /'));
  const download = page.waitForEvent('download');
  await page.click('.end-buttons button:has-text("PGN4")');
  const text = readFileSync(await (await download).path(), 'utf8');
  assert.match(text, /^\[/);
  assert.match(text, /1\. /);
  await page.context().close();
});

test('a guest keeps the games under a name, signs out and in again', async () => {
  const page = await visit(browser, platform.url, { as: running.players.green, path: '/account' });
  const name = `Keeper_${Date.now() % 100000}`;
  await page.fill('#register-name', name);
  await page.fill('#register-password', 'a long enough one');
  await page.click('#register button');
  await page.waitForFunction((wanted) => document.querySelector('.account-name')?.textContent === wanted, name);
  const kept = await page.evaluate(() => JSON.parse(localStorage.getItem('fk.identity') ?? '{}').player.id);
  assert.equal(kept, running.players.green.identity.player.id);
  await page.goto(`${platform.url}/#/account`);
  await page.click('.account .button-row button');
  await page.waitForSelector('#sign-in');
  await page.fill('#sign-in-name', name);
  await page.fill('#sign-in-password', 'a long enough one');
  await page.click('#sign-in button');
  await page.waitForFunction((wanted) => document.querySelector('.account-name')?.textContent === wanted, name);
  await page.context().close();
});

test('a search shows its window, survives a reload, and can be cancelled', async () => {
  const page = await visit(browser, platform.url);
  await page.click('[data-time-control="1+0"]');
  await page.waitForFunction(() => /\d{3,4} – \d{4}/.test(document.querySelector('.seek-panel .facts')?.textContent ?? ''));
  await page.reload();
  await page.waitForSelector('.seek-panel');
  assert.match(await page.locator('.seek-panel').innerText(), /1\+0/);
  await page.goto(`${platform.url}/#/rules`);
  await page.waitForSelector('.seek-pill:not([hidden])');
  await page.click('.seek-pill button');
  await page.waitForSelector('.seek-pill', { state: 'hidden' });
  await page.context().close();
});

test('without computer players the page says so', async () => {
  const page = await visit(browser, platform.url, { tolerate: ['status of 422'] });
  await page.click('section[aria-labelledby=computers-title] button');
  await page.waitForFunction(() => location.hash.startsWith('#/game/') || document.querySelector('section[aria-labelledby=computers-title] .problem:not([hidden])'));
  await page.context().close();
});
