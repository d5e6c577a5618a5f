// Every page: readable by all, in every language, at every width, from no other host.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { after, before, test } from 'node:test';
import { atRest, complaints, FROM_FOLDER, launch, movesShown, pieceAt, visit } from './browsers.js';
import { playOn } from './opening.js';
import { Platform } from './platform.js';
import { HttpPlayer, SEATS, Table } from './players.js';
import { MATING } from './positions.js';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** @type {Platform} */
let platform;
/** @type {import('playwright-core').Browser} */
let browser;
/** @type {Table} */
let running;
/** @type {Table} */
let finished;
/** Won both of their rated games. @type {HttpPlayer} */
let winner;
/** What can be seen: a page, and perhaps something opened on it. @type {{ name: string, path: string, ready: string, then?: string, shows?: string }[]} */
let pages;

const LANGUAGES = ['en', 'ar', 'nl', 'id', 'hi', 'es'];

before(async () => {
  platform = await Platform.start();
  browser = await launch();
  running = await Table.start(platform.url);
  await playOn(running, 30);
  const guests = (/** @type {string[]} */ ...names) => Promise.all(names.map((name) => HttpPlayer.guest(platform.url, name)));
  const won = async (/** @type {Table} */ table) => {
    for (const seat of SEATS) if (table.players[seat] !== winner) await table.resign(seat);
  };
  const four = await guests('Winnie', 'Bo_the_Second', 'Cleopatra-the-Great7', 'Dan');
  winner = four[0];
  finished = await Table.rated(four);
  await playOn(finished, 12);
  await won(finished);
  // Against three new ones, who are near enough in rating to be found at once.
  await won(await Table.rated([winner, ...await guests('Eve', 'Fay', 'Gus')]));
  const thinned = await Table.start(platform.url, { fen4: MATING });
  await thinned.move('d5-d14');
  await thinned.resign('blue');
  const waiting = await running.players.red.call('POST', '/games', {
    time_control: '3+2', seats: { red: { me: true }, blue: { open: true }, yellow: { open: true }, green: { open: true } },
  });
  pages = [
    { name: 'lobby', path: '/', ready: '.game-tile' },
    { name: 'settings', path: '/', ready: '.game-tile', then: '.menu summary', shows: '.menu-box' },
    { name: 'watch', path: '/watch', ready: '.game-tile' },
    { name: 'running game', path: `/game/${running.id}`, ready: '.moves .move' },
    { name: 'armies roaming and out', path: `/game/${thinned.id}`, ready: '.moves .move[data-ply="2"]' },
    { name: 'resigning', path: `/game/${running.id}`, ready: '.moves .move', then: '#resign', shows: 'dialog' },
    { name: 'finished game', path: `/game/${finished.id}`, ready: '.end:not([hidden]) .standing .change' },
    { name: 'waiting room', path: `/game/${waiting.id}`, ready: '.seat-list' },
    { name: 'invitation', path: `/invite/${waiting.invite_code}`, ready: 'main h1' },
    { name: 'leaderboard', path: '/leaderboard', ready: '.data' },
    { name: 'player', path: `/player/${winner.identity.player.id}`, ready: '.chart' },
    { name: 'rules', path: '/rules', ready: '.tips' },
    { name: 'account', path: '/account', ready: '#register' },
    { name: 'nothing', path: '/nowhere', ready: '.centred' },
    { name: 'search', path: '/', ready: '.time-tile', then: '[data-time-control="1+0"]', shows: '.seek-panel' },
  ];
});
after(async () => {
  await browser?.close();
  await platform?.stop();
  assert.deepEqual(complaints, []);
});

/** @param {import('playwright-core').Page} page @param {typeof pages[number]} which */
async function open(page, { path, ready, then, shows }) {
  await page.keyboard.press('Escape');
  await page.evaluate((hash) => {
    location.hash = hash;
  }, path);
  await page.waitForSelector(ready);
  if (then) await page.click(then);
  if (shows) await page.waitForSelector(shows);
  await atRest(page);
}

/** A search lasts beyond its page. @param {import('playwright-core').Page} page */
async function stopSearch(page) {
  await page.click('.seek-pill button');
  await page.waitForSelector('.seek-pill', { state: 'hidden' });
}

for (const [look, options] of Object.entries({ 'light on a laptop': {}, 'dark on a phone': { dark: true, width: 360, height: 640, touch: true } })) {
  test(`axe finds nothing serious on any page, ${look}`, async () => {
    const page = await visit(browser, platform.url, { as: running.players.red, ...options });
    /** @type {string[]} */
    const found = [];
    for (const which of pages) {
      await open(page, which);
      await page.evaluate(axe);
      const result = await page.evaluate(() => /** @type {any} */ (window).axe.run(document, { resultTypes: ['violations'], rules: { 'target-size': { enabled: true } } }));
      for (const violation of result.violations) {
        if (!['serious', 'critical'].includes(violation.impact)) continue;
        for (const node of violation.nodes) found.push(`${which.name}: ${violation.id}: ${node.target.join(' ')} ${node.any[0]?.message ?? ''}`);
      }
    }
    assert.deepEqual(found, []);
    await stopSearch(page);
    await page.context().close();
  });
}

/** What reaches beyond the screen, or is cut off by a box that does not scroll. */
function tooWide() {
  const root = document.documentElement;
  const found = root.scrollWidth > root.clientWidth ? [`the page is ${root.scrollWidth} px wide`] : [];
  for (const element of document.querySelectorAll('body *:not(svg *, .visually-hidden, .visually-hidden *, option)')) {
    const style = getComputedStyle(element);
    const cuts = (style.overflowX === 'hidden' && (style.textOverflow !== 'ellipsis' || element.matches('.moves-seat-name')) && element.scrollWidth > element.clientWidth + 1)
      || (style.overflowY === 'hidden' && element.scrollHeight > element.clientHeight + 1);
    const { left, right, width } = element.getBoundingClientRect();
    const beyond = width > 0 && element.matches('a, button, input, select, summary') && (left < -1 || right > root.clientWidth + 1)
      && !element.closest('.rules-index, .skip');
    if (cuts || beyond) found.push(`${element.tagName} ${element.getAttribute('class')} ${cuts ? 'cuts off' : 'is beyond the edge'}`);
  }
  return found;
}

test('no page is wider than the screen and nothing is cut off, from 320 px on, in any language', async () => {
  /** @type {string[]} */
  const wide = [];
  for (const locale of LANGUAGES) {
    const page = await visit(browser, platform.url, { as: running.players.red, width: 320, height: 568, locale, touch: true });
    for (const which of pages) {
      await open(page, which);
      for (const what of await page.evaluate(tooWide)) wide.push(`${locale} ${which.name}: ${what}`);
    }
    await stopSearch(page);
    await page.context().close();
  }
  assert.deepEqual(wide, []);
});

/** Cards that lie over the board, and figures beside a name that are pushed out of their card. */
function overBoard() {
  const board = document.querySelector('.board-box')?.getBoundingClientRect();
  const found = [];
  for (const card of document.querySelectorAll('.table-more > *, .table-side > *')) {
    const { left, right, top, bottom } = card.getBoundingClientRect();
    if (board && left < board.right && right > board.left && top < board.bottom && bottom > board.top) found.push(`${card.className} lies over the board`);
    for (const figure of card.querySelectorAll('.score-head > *, .standing li > *')) {
      if (figure.getBoundingClientRect().right > right) found.push(`${figure.className} is outside ${card.className}`);
    }
  }
  return found;
}

test('a link that was cut leads to a page that says so, and on from there', async () => {
  const page = await visit(browser, platform.url, { path: '/game/%E0%A4%A' });
  await page.waitForSelector('.centred h1');
  assert.equal(await page.locator('.centred h1').innerText(), 'There is nothing here');
  await page.click('.centred .button');
  await page.waitForSelector('.find-card');
  await page.context().close();
});

test('names as long as they may be push nothing over the board or beyond the screen', async () => {
  const table = await Table.rated(await Promise.all(SEATS.map(() => HttpPlayer.guest(platform.url, 'W'.repeat(20)))), '5+5');
  await table.moves(['h2-h4', 'm9-l9', 'g13-g11', 'b6-d6']);
  const { id } = table.players.red.identity.player;
  const page = await visit(browser, platform.url, { as: table.players.red, path: `/game/${table.id}` });
  /** @type {string[]} */
  const found = [];
  const look = async (/** @type {string} */ what, /** @type {[number, number][]} */ sizes) => {
    for (const [width, height] of sizes) {
      await page.setViewportSize({ width, height });
      await atRest(page);
      for (const each of [...await page.evaluate(tooWide), ...await page.evaluate(overBoard)]) found.push(`${what} ${width}x${height}: ${each}`);
    }
  };
  /** @type {[number, number][]} */
  const sizes = [[320, 568], [360, 640], [640, 360], [768, 1024], [1024, 768], [1280, 800], [1440, 900], [1920, 1080]];
  await movesShown(page, 4);
  await look('running', sizes);
  for (const seat of /** @type {const} */ (['blue', 'yellow', 'green'])) await table.resign(seat);
  await page.waitForSelector('.standing .change');
  await look('over', sizes);
  for (const [path, ready] of [[`/player/${id}`, '.chart'], ['/leaderboard', '.data'], ['/account', '#register'], ['/', '.game-tile']]) {
    await page.goto(`${platform.url}/#${path}`);
    await page.waitForSelector(ready);
    await look(path, [[320, 568], [1280, 800]]);
  }
  assert.deepEqual(found, []);
  await page.context().close();
});

test('the page shows the rules as the API serves them, with a board for what differs from chess, in every language', async () => {
  const page = await visit(browser, platform.url);
  await page.waitForSelector('.find-card');
  for (const lang of LANGUAGES) {
    const rules = await (await fetch(`${platform.url}/v1/rules?lang=${lang}`)).json();
    await page.evaluate((language) => localStorage.setItem('fk.settings', JSON.stringify({ language })), lang);
    await page.goto(`${platform.url}/?${lang}#/rules`);
    await page.waitForSelector('.tips');
    const shown = await page.evaluate(() => ({
      lang: document.documentElement.lang,
      title: document.querySelector('.rules h1')?.textContent,
      sections: [...document.querySelectorAll('.rule-words')].map((section) => ({
        id: section.querySelector('h2')?.id.replace('rule-', ''),
        heading: section.querySelector('h2')?.textContent,
        body: [...section.querySelectorAll('p')].map((paragraph) => paragraph.textContent),
      })),
      tips: [...document.querySelectorAll('.tips li')].map((tip) => tip.textContent),
    }));
    assert.deepEqual(shown, rules);
    const has = (/** @type {string} */ section, /** @type {string} */ mark) => page.locator(`.rule:has(#rule-${section}) .board ${mark}`).count();
    for (const section of ['board', 'points', 'mate', 'promotion', 'roaming', 'out']) assert.ok(await has(section, '.piece') > 4, `${lang}: a board for ${section}`);
    assert.equal(await has('mate', '.mark.check-ring'), 1);
    assert.equal(await has('points', '.mark.note'), 6);
    assert.ok(await has('promotion', '.mark.line') > 20 && await has('promotion', '.promoted-star') === 4);
    assert.ok(await has('roaming', '.piece.roaming') > 3);
    assert.ok(await has('out', '.piece.out') > 3);
    assert.equal(await page.locator('.points-cell').count(), 7, 'what each piece is worth');
  }
  await page.context().close();
});

test('a player’s page shows ratings, how they went and the games, and any of them is replayed', async () => {
  const page = await visit(browser, platform.url, { path: `/player/${winner.identity.player.id}` });
  await page.waitForSelector('.chart');
  const ratings = await winner.call('GET', `/players/${winner.identity.player.id}/ratings`);
  const rating = Math.round(ratings.blitz.rating);
  assert.match(await page.locator('.rating-tile[aria-pressed=true]').innerText(), new RegExp(`Blitz\\s+${rating}\\?.*2 rated games`, 's'));
  assert.equal(await page.locator('.chart').getAttribute('aria-label'), `Rating over 2 games, from 1500 to ${rating}.`);
  assert.match(await page.locator('.chart-line').getAttribute('d') ?? '', /^M[\d.]+ [\d.]+(L[\d.]+ [\d.]+){2}$/, 'where it began, and a point for each game');
  await page.click('.rating-tile:has-text("Rapid")');
  await page.waitForSelector('.chart-place .empty');

  const games = page.locator('.game-row');
  assert.equal(await games.count(), 2);
  assert.match(await games.last().innerText(), /3\+2 Blitz.*1st place.*points.*\+80/s);
  await games.last().click();
  await movesShown(page, 12);
  await page.keyboard.press('Home');
  await page.waitForFunction(() => document.querySelector('.review-where')?.textContent === '0 / 12');
  await pieceAt(page, 'h2', 'red');
  await page.keyboard.press('ArrowRight');
  await page.waitForFunction(() => document.querySelector('.review-where')?.textContent === '1 / 12');
  await page.context().close();
});

test('after one game the chart leads from the rating before it, and tells the day once', async () => {
  const [loser] = Object.values(finished.players).filter((player) => player !== winner);
  const page = await visit(browser, platform.url, { path: `/player/${loser.identity.player.id}` });
  await page.waitForSelector('.chart');
  assert.match(await page.locator('.chart').getAttribute('aria-label') ?? '', /^Rating after 1 game: \d{4}\.$/);
  assert.match(await page.locator('.chart-line').getAttribute('d') ?? '', /^M[\d.]+ [\d.]+L[\d.]+ [\d.]+$/);
  const days = (await page.locator('.chart-text').allTextContents()).filter((text) => /[a-z]/i.test(text));
  assert.equal(days.length, 1, days.join());
  await page.context().close();
});

test('a player or a leaderboard that does not exist is told once, and nobody is asked to try again', async () => {
  const page = await visit(browser, platform.url, { path: '/player/00000000-0000-0000-0000-000000000000', tolerate: ['status of 404', 'status of 400'] });
  for (const path of ['/player/nobody', '/player/00000000-0000-0000-0000-000000000000']) {
    await page.goto(`${platform.url}/#${path}`);
    await page.waitForSelector('.failed');
    assert.equal(await page.locator('.failed').count(), 1);
    assert.equal(await page.locator('main button').count(), 0);
    await page.click('.failed a');
    await page.waitForSelector('.find-card');
  }
  await page.goto(`${platform.url}/#/leaderboard/classical`);
  await page.waitForSelector('.centred h1');
  assert.equal(await page.locator('main button').count(), 0);
  await page.context().close();
});

test('the leaderboard ranks, marks what is provisional, and can leave it out', async () => {
  const page = await visit(browser, platform.url, { path: '/leaderboard/blitz' });
  await page.waitForSelector('.data tbody tr');
  assert.match(await page.locator('.data tbody tr').first().innerText(), /^1\s+Winnie\s+guest\s+\d{4}\?\s+\(provisional rating\)\s+2$/);
  await page.click('.list-head label');
  await page.waitForSelector('.empty');
  await page.click('.list-head label');
  await page.click('.data tbody tr:first-child a');
  await page.waitForSelector('.chart');
  await page.context().close();
});

test('a second visit asks the server for the page alone', { skip: FROM_FOLDER && 'files come from a folder' }, async () => {
  const page = await visit(browser, platform.url);
  await page.waitForSelector('.find-card');
  await page.goto('about:blank');
  await page.goto(`${platform.url}/`);
  await page.waitForSelector('.find-card');
  const asked = await page.evaluate(() => performance.getEntriesByType('resource')
    .filter((entry) => !entry.name.includes('/v1/') && /** @type {PerformanceResourceTiming} */ (entry).transferSize > 0).map((entry) => entry.name));
  assert.deepEqual(asked, []);
  await page.context().close();
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

test('in Arabic the hint of the name reads from the right, a name typed from the left', async () => {
  const page = await visit(browser, platform.url, { locale: 'ar' });
  const name = page.locator('input[id^=guest-name]');
  const direction = () => name.evaluate((input) => getComputedStyle(input).direction);
  await name.waitFor();
  assert.equal(await direction(), 'rtl');
  await name.fill('Noura');
  assert.equal(await direction(), 'ltr');
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
  // The same whole figures everywhere, and the rating that the game led to.
  const { standing } = (await finished.state()).over;
  const seen = async (/** @type {string} */ selector) => (await page.locator(selector).innerText()).replace(/\s*\(provisional rating\)/, '').replace(/\s+/g, ' ').trim();
  for (const { seat, place, rating_before: before, rating_after: after } of standing) {
    const change = Math.round(after) - Math.round(before);
    assert.equal(await seen(`.standing li:nth-child(${place}) .standing-rating`), `${Math.round(after)}? ${change > 0 ? '+' : ''}${change}`);
    assert.equal(await seen(`.corner.${seat} .card-rating .rating`), `${Math.round(after)}?`);
    assert.equal(await seen(`.score-row:has(.army-badge.${seat}) .rating`), `${Math.round(after)}?`);
  }
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
  const waited = () => page.evaluate(() => /\d+:(\d\d)/.exec(document.querySelector('.seek-panel .facts')?.textContent ?? '')?.[1]);
  await page.waitForFunction(() => /\d:0[1-9]/.test(document.querySelector('.seek-panel .facts')?.textContent ?? ''));
  const before = await waited();
  await page.reload();
  await page.waitForSelector('.seek-panel .facts');
  await page.waitForFunction(() => document.querySelector('.seek-panel .facts')?.textContent?.includes('–'));
  assert.ok(Number(await waited()) >= Number(before), 'the time waited goes on after a reload');
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
