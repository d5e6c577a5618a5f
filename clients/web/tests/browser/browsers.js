// The real browser, and what a person does in it.

import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import { parseSquare, toView } from '../../app/position/squares.js';

/** @typedef {import('playwright-core').Page} Page */
/** @typedef {import('./players.js').Seat} Seat */

const CHROMIUM = process.env.FK_CHROMIUM ?? '/usr/bin/chromium';
const QUIET = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'];

/** Set to try changes of the page without building the platform again: all files but the first come from here. */
export const FROM_FOLDER = process.env.FK_WEB_FOLDER;
/** Before the name of a file in its address. */
const ASSETS = /^\/assets\/[^/]+/;

/** @param {import('playwright-core').Route} route */
async function fromFolder(route) {
  const path = new URL(route.request().url()).pathname.replace(ASSETS, '');
  const file = join(/** @type {string} */ (FROM_FOLDER), path);
  const response = await route.fetch().catch(() => null);
  if (!response) await route.abort().catch(() => {});
  else if (existsSync(file)) await route.fulfill({ status: 200, path: file, headers: { 'content-security-policy': response.headers()['content-security-policy'] } });
  else await route.fulfill({ response });
}

/** For what will happen; a machine that does much else at the same time is slow. */
const PATIENCE_MS = 45_000;

/** What a page said that no page should say. @type {string[]} */
export const complaints = [];

/** Parts of messages of the browser itself about a line that a test cut on purpose. */
const EXPECTED = [...(FROM_FOLDER ? ['ERR_FAILED'] : []), 'ERR_CONNECTION_REFUSED', 'WebSocket connection to', 'ERR_INCOMPLETE_CHUNKED_ENCODING', 'ERR_EMPTY_RESPONSE', 'ERR_CONNECTION_RESET', 'status of 503'];

export const launch = () => chromium.launch({ executablePath: CHROMIUM, args: QUIET });

/**
 * A browser profile of its own with one page.
 * @param {import('playwright-core').Browser} browser
 * @param {string} url of the platform
 * @param {{ as?: import('./players.js').HttpPlayer, path?: string, width?: number, height?: number, locale?: string,
 *   dark?: boolean, touch?: boolean, tolerate?: string[], scale?: number, calm?: boolean, before?: () => void }} [options]
 *   calm: whoever sits there wants little motion; before: runs in the page before anything of it does
 */
export async function visit(browser, url, { as, path = '/', width = 1280, height = 800, locale = 'en', dark = false, touch = false, tolerate = [], scale = 1, calm = false, before } = {}) {
  const context = await browser.newContext({
    viewport: { width, height }, locale, colorScheme: dark ? 'dark' : 'light', deviceScaleFactor: scale, hasTouch: touch, isMobile: touch, acceptDownloads: true,
    reducedMotion: calm ? 'reduce' : 'no-preference',
  });
  context.setDefaultTimeout(PATIENCE_MS);
  await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: url });
  const page = await context.newPage();
  page.on('console', (message) => {
    const text = `${message.text()} ${message.location().url}`;
    if (message.type() === 'error' && ![...EXPECTED, ...tolerate].some((part) => text.includes(part))) complaints.push(text);
  });
  page.on('pageerror', (error) => complaints.push(String(error.stack)));
  page.on('request', (request) => {
    const { protocol, origin } = new URL(request.url());
    if (protocol.startsWith('http') && origin !== url) complaints.push(`a request to another host: ${request.url()}`);
  });
  if (FROM_FOLDER) await context.route((address) => ASSETS.test(address.pathname), fromFolder);
  if (as) {
    await page.addInitScript((identity) => {
      if (!localStorage.getItem('fk.identity')) localStorage.setItem('fk.identity', identity);
    }, JSON.stringify(as.identity));
  }
  if (before) await page.addInitScript(before);
  await page.goto(`${url}/#${path}`);
  return page;
}

/** The middle of a square on the screen. @param {Page} page @param {string} name @param {Seat} bottom */
export async function pointOf(page, name, bottom) {
  const box = await page.locator('.board-box .board').boundingBox();
  assert.ok(box, 'there is a board');
  const { x, y } = toView(/** @type {number} */ (parseSquare(name)), bottom);
  return { x: box.x + ((x + 0.5) / 14) * box.width, y: box.y + ((y + 0.5) / 14) * box.height };
}

/** @param {Page} page @param {string} move `h2-h4` @param {Seat} bottom */
export async function tapMove(page, move, bottom) {
  for (const square of move.split('-')) {
    const { x, y } = await pointOf(page, square, bottom);
    await page.mouse.click(x, y);
  }
}

/** @param {Page} page @param {string} move @param {Seat} bottom */
export async function dragMove(page, move, bottom) {
  const [from, to] = move.split('-');
  const a = await pointOf(page, from, bottom);
  const b = await pointOf(page, to, bottom);
  await page.mouse.move(a.x, a.y);
  await page.mouse.down();
  await page.mouse.move((a.x + b.x) / 2, (a.y + b.y) / 2, { steps: 3 });
  await page.mouse.move(b.x, b.y, { steps: 3 });
  await page.mouse.up();
}

/** Waits until the list shows this many moves. @param {Page} page @param {number} count */
export async function movesShown(page, count) {
  await page.waitForFunction((n) => document.querySelectorAll('.moves .move').length >= n, count);
}

/** Waits until the piece that stands on a square is drawn there. @param {Page} page @param {string} square @param {Seat} bottom */
export async function pieceAt(page, square, bottom) {
  const { x, y } = toView(/** @type {number} */ (parseSquare(square)), bottom);
  await page.waitForFunction((place) => [...document.querySelectorAll('.board-box .men > g')]
    .some((piece) => /** @type {SVGElement} */ (piece).style.transform === place), `translate(${x}px, ${y}px)`);
}

/** Waits until nothing glides or fades any more; what turns forever does not count. @param {Page} page */
export async function atRest(page) {
  await page.evaluate(() => Promise.all(document.getAnimations()
    .filter((each) => each.effect?.getComputedTiming().endTime !== Infinity).map((each) => each.finished.catch(() => {}))));
}

/** What the page told those who listen. @param {Page} page @param {string} words */
export async function heard(page, words) {
  await page.waitForFunction((wanted) => document.getElementById('live-polite')?.textContent?.includes(wanted), words);
}

/** @param {Page} page */
export const yourTurn = (page) => page.waitForSelector('.status.yours');
