// The rule texts that the API serves: the same shape in every language, and the numbers of the rules in each.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';

const read = (/** @type {string} */ code) => JSON.parse(readFileSync(new URL(`../../rules/${code}.json`, import.meta.url), 'utf8'));
const english = read('en');
const numbers = (/** @type {string[]} */ body) => [...body.join(' ').matchAll(/\d+/g)].map(Number).sort((a, b) => a - b);

for (const code of ['en', 'ar', 'nl', 'id', 'hi', 'es']) {
  test(`${code}: sections, paragraphs and tips as in English`, () => {
    const rules = read(code);
    assert.equal(rules.lang, code);
    assert.ok(rules.title);
    assert.deepEqual(rules.sections.map((/** @type {any} */ s) => [s.id, s.body.length]), english.sections.map((/** @type {any} */ s) => [s.id, s.body.length]));
    assert.equal(rules.tips.length, english.tips.length);
  });

  test(`${code}: the points are those of the rules`, () => {
    const rules = read(code);
    const points = rules.sections.find((/** @type {any} */ s) => s.id === 'points');
    for (const value of [1, 3, 5, 9, 20]) assert.ok(numbers(points.body).includes(value), `${value} points`);
    const promotion = rules.sections.find((/** @type {any} */ s) => s.id === 'promotion').body.join(' ');
    for (const line of ['8', 'g', '7', 'h']) assert.ok(promotion.includes(line), `line ${line}`);
  });
}
