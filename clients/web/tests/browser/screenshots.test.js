// Pictures for a person to look at, in tests/screenshots.

import { mkdirSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { atRest, launch, visit } from './browsers.js';
import { playOn } from './opening.js';
import { Platform } from './platform.js';
import { HttpPlayer, NAMES, SEATS, Table } from './players.js';
import { MATING } from './positions.js';

const FOLDER = new URL('../screenshots/', import.meta.url).pathname;
const PHONE = { width: 360, height: 640, touch: true, scale: 2 };
const SMALL = { ...PHONE, width: 320, height: 568 };
const LAPTOP = { width: 1440, height: 900 };

/** @type {Platform} */
let platform;
/** @type {import('playwright-core').Browser} */
let browser;

before(async () => {
  mkdirSync(FOLDER, { recursive: true });
  platform = await Platform.start();
  browser = await launch();
});
after(async () => {
  await browser?.close();
  await platform?.stop();
});

/**
 * @param {string} name
 * @param {Parameters<typeof visit>[2]} options
 * @param {string} ready
 */
async function shoot(name, options, ready) {
  const page = await visit(browser, platform.url, options);
  await page.waitForSelector(ready);
  await atRest(page);
  await page.screenshot({ path: `${FOLDER}${name}.png` });
  await page.context().close();
}

test('screenshots of a game, its end, the lobby, a player and the rules', async () => {
  const game = await Table.start(platform.url);
  await playOn(game, 64, 11);
  const { turn } = await game.state();
  const as = game.players[/** @type {'red'} */ (turn)];
  const path = `/game/${game.id}`;
  const played = '.move[data-ply="64"]';
  await shoot('game-1440x900', { as, path, ...LAPTOP }, played);
  await shoot('game-dark-1440x900', { as, path, dark: true, ...LAPTOP }, played);
  await shoot('game-360x640', { as, path, ...PHONE }, played);
  await shoot('game-arabic-1440x900', { as, path, locale: 'ar', ...LAPTOP }, played);
  await shoot('game-arabic-320x568', { as, path, locale: 'ar', dark: true, ...SMALL }, played);
  await shoot('lobby-1440x900', LAPTOP, '.game-tile');
  await shoot('lobby-360x640', PHONE, '.time-tile');
  await shoot('rules-1440x900', { path: '/rules', ...LAPTOP }, '.tips');
  await shoot('rules-360x640', { path: '/rules', ...PHONE }, '.tips');
  await game.resign('blue');
  await playOn(game, 6, 3);
  await shoot('roaming-1440x900', { as: game.players.yellow, path, ...LAPTOP }, '.corner.blue.roaming');

  const thinned = await Table.start(platform.url, { fen4: MATING });
  await thinned.move('d5-d14');
  await thinned.resign('blue');
  await shoot('out-hindi-360x640', { as: thinned.players.red, path: `/game/${thinned.id}`, locale: 'hi', ...PHONE }, '.move[data-ply="2"]');

  const rated = await Table.rated(await Promise.all(SEATS.map((seat) => HttpPlayer.guest(platform.url, NAMES[seat]))));
  await playOn(rated, 40, 5);
  for (const seat of /** @type {const} */ (['yellow', 'green', 'blue'])) await rated.resign(seat);
  const end = { as: rated.players.red, path: `/game/${rated.id}` };
  await shoot('end-1440x900', { ...end, ...LAPTOP }, '.standing .change');
  await shoot('end-360x640', { ...end, ...PHONE }, '.standing .change');
  await shoot('player-1440x900', { path: `/player/${rated.players.red.identity.player.id}`, ...LAPTOP }, '.chart');
  await shoot('player-360x640', { path: `/player/${rated.players.red.identity.player.id}`, ...PHONE }, '.chart');
});
