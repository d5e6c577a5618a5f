// The colours of the board, which no checker of pages looks at.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';

const TOKENS = readFileSync(new URL('../../app/styles/tokens.css', import.meta.url), 'utf8');

/** @param {string} selector @returns {Record<string, string>} */
function colours(selector) {
  const block = TOKENS.slice(TOKENS.indexOf(`${selector} {`)).split('}')[0];
  return Object.fromEntries([...block.matchAll(/--([\w-]+):\s*([^;]+);/g)].map(([, name, value]) => [name, value]));
}

/** @param {string} hex @returns {number[]} from 0 to 1, as light adds up */
const linear = (hex) => [1, 3, 5].map((i) => parseInt(hex.slice(i, i + 2), 16) / 255).map((x) => (x <= 0.04045 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4));

/** @param {number[]} rgb */
const luminance = ([r, g, b]) => 0.2126 * r + 0.7152 * g + 0.0722 * b;

/** By WCAG. @param {string} a @param {string} b */
function contrast(a, b) {
  const [x, y] = [luminance(linear(a)), luminance(linear(b))];
  return (Math.max(x, y) + 0.05) / (Math.min(x, y) + 0.05);
}

const light = colours(':root');
const dark = { ...light, ...colours(':root[data-theme="dark"]') };

test('dark is the same whether chosen here or by the system', () => {
  assert.deepEqual(colours(':root[data-theme="dark"]'), colours(':root:not([data-theme="light"])'));
});

for (const [name, theme] of Object.entries({ light, dark })) {
  test(`${name}: coordinates are read on every square, outlines of pieces are seen`, () => {
    for (const kind of ['light', 'dark']) {
      const square = theme[`square-${kind}`];
      assert.ok(contrast(theme[`coordinate-${kind}`], square) >= 4.5, `coordinate on ${kind}`);
      for (const army of ['red', 'blue', 'yellow', 'green']) assert.ok(contrast(theme[`${army}-line`], square) >= 3, `${army} on ${kind}`);
    }
    for (const army of ['red', 'blue', 'yellow', 'green']) {
      assert.ok(contrast(theme[`${army}-mark`], theme[army]) >= 4.5, `the emblem of ${army}, and its clock`);
    }
  });
}
