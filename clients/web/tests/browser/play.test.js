// People at a table: finding one another, playing to the end, coming back, watching.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dragMove, movesShown, pieceAt, tapMove, visit, yourTurn } from './browsers.js';
import { HttpPlayer, SEATS, Table } from './players.js';
import { browser, platform } from './stage.js';

test('four browsers find one another and play a rated game to its end', async () => {
  const pages = await Promise.all(SEATS.map(() => visit(browser, platform.url)));
  for (const [i, page] of pages.entries()) {
    await page.fill('input[id^=guest-name]', ['Ann', 'Ben', 'Cleo', 'Dan'][i]);
    await page.click('[data-time-control="10+5"]');
    if (i === 0) {
      await page.waitForFunction(() => /\d{3,4} – \d{4}/.test(document.querySelector('.seek-panel .facts')?.textContent ?? ''));
    }
  }
  await Promise.all(pages.map((page) => page.waitForSelector('.board-box .board')));
  /** @type {Record<string, import('playwright-core').Page>} */
  const at = {};
  for (const page of pages) {
    await page.waitForSelector('.corner.mine');
    const mine = await page.locator('.corner.mine').getAttribute('class');
    const seat = SEATS.find((name) => mine?.includes(name)) ?? '';
    assert.equal(await page.locator(`.corner.${seat}`).getAttribute('data-corner'), 'bottom-right', 'one’s own army is at the bottom');
    at[seat] = page;
  }
  assert.deepEqual(Object.keys(at).sort(), [...SEATS].sort());

  const rounds = [['h2-h4', 'm9-l9', 'g13-g11', 'b6-d6'], ['e1-f3', 'n5-l6', 'j14-i12', 'a10-c9']];
  let count = 0;
  for (const round of rounds) {
    for (const [i, move] of round.entries()) {
      const seat = SEATS[i];
      await yourTurn(at[seat]);
      assert.match(await at[seat].title(), /Your turn/);
      await (count % 2 ? dragMove : tapMove)(at[seat], move, seat);
      count += 1;
      await Promise.all(pages.map((page) => movesShown(page, count)));
      for (const other of SEATS) await pieceAt(at[other], move.split('-')[1], other);
    }
  }

  for (const seat of /** @type {const} */ (['yellow', 'blue', 'green'])) {
    await at[seat].click('#resign');
    await at[seat].click('dialog .danger');
    await Promise.all(pages.map((page) => page.waitForSelector(`.corner.${seat}.roaming, .corner.${seat}.out, .end:not([hidden])`)));
  }
  for (const page of pages) {
    await page.waitForSelector('.end:not([hidden]) .standing .change');
    assert.equal(await page.locator('.standing li').count(), 4);
    assert.match(await page.locator('.standing .winner').innerText(), /60 points/, 'twenty for each roaming king');
    assert.match(await page.locator('#live-assertive').innerText(), /wins/);
  }

  // Everybody wants another one.
  for (const page of pages) await page.click('.end-buttons .button:not(.quiet)');
  await Promise.all(pages.map((page) => page.waitForFunction(() => document.querySelectorAll('.moves .move').length === 0 && document.querySelector('.corner.mine'))));
  const seatNow = await at.red.locator('.corner.mine').getAttribute('class');
  assert.ok(!seatNow?.includes('red'), 'seats turn by one');
  for (const page of pages) await page.context().close();
});

test('a rematch is called from the end panel, waits for those who played by name, and begins with the last of them', async () => {
  const players = await Promise.all(['Ada', 'Bela', 'Cora', 'Dora'].map((name) => HttpPlayer.guest(platform.url, name)));
  const table = await Table.rated(players, '5+5');
  const [caller, joiner] = await Promise.all([table.players.red, table.players.blue].map((as) => visit(browser, platform.url, { as, path: `/game/${table.id}` })));
  for (const seat of /** @type {const} */ (['yellow', 'green', 'blue'])) await table.resign(seat);
  await joiner.waitForSelector('.standing .change');
  await caller.click('.end-buttons .button:not(.quiet)');
  const name = (/** @type {import('./players.js').Seat} */ seat) => table.players[seat].identity.player.name;
  const sits = (/** @type {import('playwright-core').Page} */ page, /** @type {string[]} */ who) => page.waitForFunction((wanted) => [...document.querySelectorAll('.seat-who')]
    .map((seat) => seat.textContent?.replace(/[\u2066-\u2069]/g, '')).join() === wanted, who.join());
  await sits(caller, [`Waiting for ${name('green')}`, name('red'), `Waiting for ${name('blue')}`, `Waiting for ${name('yellow')}`]);

  // The others hear of it where they are.
  await joiner.click('.end-buttons .button:has-text("1 wants it")');
  await sits(joiner, [`Waiting for ${name('green')}`, name('red'), name('blue'), `Waiting for ${name('yellow')}`]);
  await sits(caller, [`Waiting for ${name('green')}`, name('red'), name('blue'), `Waiting for ${name('yellow')}`]);
  for (const seat of /** @type {const} */ (['yellow', 'green'])) await table.players[seat].call('POST', `/games/${table.id}/rematch`);
  await caller.waitForSelector('.corner.blue.mine');
  await joiner.waitForSelector('.corner.yellow.mine');
  assert.equal(new URL(caller.url()).hash, new URL(joiner.url()).hash);
  assert.ok(!caller.url().includes(table.id));
  for (const page of [caller, joiner]) await page.context().close();
});

test('a reload in mid-game resumes where it was', async () => {
  const table = await Table.start(platform.url);
  await table.moves(['h2-h4', 'm9-l9', 'g13-g11', 'b6-d6', 'e1-f3']);
  const page = await visit(browser, platform.url, { as: table.players.blue, path: `/game/${table.id}` });
  await yourTurn(page);
  await movesShown(page, 5);
  await page.reload();
  await yourTurn(page);
  await movesShown(page, 5);
  await tapMove(page, 'n5-l6', 'blue');
  await movesShown(page, 6);
  assert.equal((await table.state()).ply, 6);
  await page.context().close();
});

test('an invite link brings a second browser to the table', async () => {
  const host = await visit(browser, platform.url);
  await host.selectOption('#seat-blue', 'me');
  assert.equal(await host.locator('#seat-red').inputValue(), 'open', 'one sits on one chair');
  await host.click('#create-game');
  const link = await host.locator('#invite-link').inputValue();
  await host.click('.invite-box .copy');
  await host.waitForFunction(() => document.querySelector('.copy .icon-check'));
  assert.equal(await host.evaluate(() => navigator.clipboard.readText()), link);

  const friend = await visit(browser, platform.url, { path: link.split('#')[1] });
  await friend.fill('input[id^=guest-name]', 'Friend');
  await friend.click('#enter-invite');
  await friend.click('[data-seat=yellow]');
  await friend.waitForSelector('.seat.taken');
  await host.waitForFunction(() => [...document.querySelectorAll('.seat')].some((seat) => seat.textContent?.includes('Friend')));

  const code = link.split('/').at(-1);
  const id = new URL(friend.url()).hash.split('/').at(-1);
  const [third, fourth] = [await HttpPlayer.guest(platform.url, 'Third'), await HttpPlayer.guest(platform.url, 'Fourth')];
  await third.call('POST', `/games/${id}/seats`, { invite_code: code, seat: 'red' });
  await fourth.call('POST', `/games/${id}/seats`, { invite_code: code });
  await third.call('POST', `/games/${id}/moves`, { ply: 0, move: 'h2-h4' });
  await yourTurn(host);
  assert.match((await host.locator('.corner.blue').getAttribute('class')) ?? '', /mine/);
  await tapMove(host, 'm9-l9', 'blue');
  await movesShown(friend, 2);
  assert.match((await friend.locator('.corner.yellow').getAttribute('class')) ?? '', /mine/);
  await host.context().close();
  await friend.context().close();
});

test('a spectator sees the moves of a public game, and cannot make any', async () => {
  const table = await Table.start(platform.url);
  const page = await visit(browser, platform.url, { path: '/watch' });
  await page.click(`.game-tile[href="#/game/${table.id}"]`);
  await page.waitForSelector('.board-box .board');
  await table.move('h2-h4');
  await movesShown(page, 1);
  await pieceAt(page, 'h4', 'red');
  await table.move('m9-l9');
  await movesShown(page, 2);
  assert.equal(await page.locator('#resign').isVisible(), false);
  assert.equal(await page.locator('.board-box .board').getAttribute('tabindex'), null);
  await page.context().close();
});

test('a premove is played the moment the turn comes', async () => {
  const table = await Table.start(platform.url);
  await table.moves(['h2-h4', 'm9-l9']);
  const page = await visit(browser, platform.url, { as: table.players.red, path: `/game/${table.id}` });
  await movesShown(page, 2);
  await tapMove(page, 'e1-f3', 'red');
  await page.waitForFunction(() => document.querySelectorAll('.mark.premove').length === 2);
  await table.moves(['g13-g11', 'b6-d6']);
  await movesShown(page, 5);
  assert.equal((await table.state()).last_move.move, 'e1-f3');
  assert.equal(await page.locator('.mark.premove').count(), 0);

  // Escape takes a premove back.
  await tapMove(page, 'h4-h5', 'red');
  await page.waitForSelector('.mark.premove');
  await page.locator('.board-box .board').focus();
  await page.keyboard.press('Escape');
  await page.waitForFunction(() => !document.querySelector('.mark.premove'));
  await page.context().close();
});

test('the server restarts under an open page and play goes on', async () => {
  const table = await Table.start(platform.url);
  const page = await visit(browser, platform.url, { as: table.players.red, path: `/game/${table.id}` });
  await yourTurn(page);
  await tapMove(page, 'h2-h4', 'red');
  await movesShown(page, 1);
  await platform.halt();
  await page.waitForSelector('.status-connection:not([hidden])');
  await platform.run();
  await page.waitForSelector('.status-connection', { state: 'hidden' });
  await table.moves(['m9-l9', 'g13-g11', 'b6-d6']);
  await yourTurn(page);
  await tapMove(page, 'e1-f3', 'red');
  await movesShown(page, 5);
  assert.equal((await table.state()).ply, 5);
  await page.context().close();
});

test('a move made while the line is down is sent once it is back', async () => {
  const table = await Table.start(platform.url);
  const page = await visit(browser, platform.url, { as: table.players.red, path: `/game/${table.id}` });
  await yourTurn(page);
  await platform.halt();
  await page.waitForSelector('.status-connection:not([hidden])');
  await tapMove(page, 'h2-h4', 'red');
  await pieceAt(page, 'h4', 'red');
  await platform.run();
  await movesShown(page, 1);
  assert.equal((await table.state()).last_move.move, 'h2-h4');
  await page.context().close();
});

test('who is elsewhere is told of their turn, in every tab', async () => {
  const table = await Table.start(platform.url);
  await table.moves(['h2-h4', 'm9-l9', 'g13-g11']);
  const page = await visit(browser, platform.url, { as: table.players.red, path: '/rules' });
  await page.waitForSelector('.tips');
  const other = await page.context().newPage();
  await other.goto(`${platform.url}/#/leaderboard`);
  await other.waitForSelector('.tabs');
  await table.move('b6-d6');
  await other.waitForSelector('.toast');
  await page.waitForSelector('.toast');
  await page.click('.toast-action');
  await yourTurn(page);
  await page.context().close();
});
