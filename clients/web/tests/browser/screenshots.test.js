// Pictures for a person to look at, in tests/screenshots.

import { mkdirSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { launch, movesShown, visit } from './browsers.js';
import { playOn } from './opening.js';
import { Platform } from './platform.js';
import { Table } from './players.js';

const FOLDER = new URL('../screenshots/', import.meta.url).pathname;
const PHONE = { width: 360, height: 640, touch: true, scale: 2 };
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
  if (options?.path?.startsWith('/game/')) await movesShown(page, 8).catch(() => {});
  await page.waitForTimeout(700);
  await page.screenshot({ path: `${FOLDER}${name}.png` });
  await page.context().close();
}

test('screenshots of a game, its end, the lobby and the rules', async () => {
  const game = await Table.start(platform.url);
  await playOn(game, 64, 11);
  const { turn } = await game.state();
  const as = game.players[/** @type {'red'} */ (turn)];
  const path = `/game/${game.id}`;
  await shoot('game-1440x900', { as, path, ...LAPTOP }, '.status.yours');
  await shoot('game-dark-1440x900', { as, path, dark: true, ...LAPTOP }, '.status.yours');
  await shoot('game-360x640', { as, path, ...PHONE }, '.status.yours');
  await shoot('game-arabic-1440x900', { as, path, locale: 'ar', ...LAPTOP }, '.status.yours');
  await shoot('lobby-1440x900', LAPTOP, '.game-tile');
  await shoot('lobby-360x640', PHONE, '.time-tile');
  await shoot('rules-1440x900', { path: '/rules', ...LAPTOP }, '.tips');
  await shoot('rules-360x640', { path: '/rules', ...PHONE }, '.tips');
  await game.resign('blue');
  await playOn(game, 6, 3);
  await shoot('roaming-1440x900', { as: game.players.yellow, path, ...LAPTOP }, '.corner.blue.roaming');
  for (const seat of /** @type {const} */ (['yellow', 'green'])) await game.resign(seat);
  await shoot('end-1440x900', { as: game.players.red, path, ...LAPTOP }, '.end:not([hidden])');
  await shoot('end-360x640', { as: game.players.red, path, ...PHONE }, '.end:not([hidden])');
});
