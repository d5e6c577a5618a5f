// The platform and the browser that the tests of one file share, and the demand that no page complained.

import assert from 'node:assert/strict';
import { after, before } from 'node:test';
import { complaints, launch } from './browsers.js';
import { Platform } from './platform.js';

/** @type {Platform} */
export let platform;
/** @type {import('playwright-core').Browser} */
export let browser;

before(async () => {
  platform = await Platform.start();
  browser = await launch();
});
after(async () => {
  await browser?.close();
  await platform?.stop();
  assert.deepEqual(complaints, []);
});
