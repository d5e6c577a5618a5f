// Every text in every language, none missing, none unused.

import assert from 'node:assert/strict';
import { readFileSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

const APP = new URL('../../app/', import.meta.url).pathname;
const CODES = ['en', 'ar', 'nl', 'id', 'hi', 'es'];

/** @type {Record<string, Record<string, string | Record<string, string>>>} */
const languages = Object.fromEntries(await Promise.all(CODES.map(async (code) => [code, (await import(`${APP}i18n/${code}.js`)).default])));
const english = languages.en;

/** @param {string} folder @returns {string[]} */
function scripts(folder) {
  return readdirSync(folder).flatMap((name) => {
    const path = join(folder, name);
    if (statSync(path).isDirectory()) return scripts(path);
    return path.endsWith('.js') ? [path] : [];
  });
}

const sources = scripts(APP).filter((path) => !/i18n\/(en|ar|nl|id|hi|es)\.js$/.test(path)).map((path) => readFileSync(path, 'utf8')).join('\n');

/** Texts asked for word for word. */
const literal = new Set([...sources.matchAll(/'([a-z_]+(?:\.[A-Za-z_0-9]+)+)'/g)].map((found) => found[1]).filter((key) => key in english || /\bt\('/.test(key)));
const asked = new Set([...sources.matchAll(/\bt\('([^']+)'/g)].map((found) => found[1]));
/** Texts whose last word comes from the API: `named('army', seat)`, t(`settings.theme_${name}`). */
const prefixes = [
  ...[...sources.matchAll(/\bnamed\('([^']+)'/g)].map((found) => `${found[1]}.`),
  ...[...sources.matchAll(/\bt\(`([^`$]+)\$\{/g)].map((found) => found[1]),
];

for (const code of CODES) {
  test(`${code} has exactly the texts of English`, () => {
    assert.deepEqual(Object.keys(languages[code]).sort(), Object.keys(english).sort());
  });

  test(`${code} has every plural form its numbers need, and the same places to fill in`, () => {
    const rules = new Intl.PluralRules(code);
    const needed = new Set(Array.from({ length: 1001 }, (_, n) => rules.select(n)));
    for (const [key, text] of Object.entries(languages[code])) {
      const isPlural = typeof english[key] !== 'string';
      assert.equal(typeof text !== 'string', isPlural, `${key} is a plural in one language only`);
      const forms = typeof text === 'string' ? { other: text } : text;
      if (isPlural) for (const form of needed) assert.ok(forms[form], `${key} lacks the form ${form}`);
      const places = (/** @type {string} */ words) => [...words.matchAll(/\{(\w+)\}/g)].map((found) => found[1]).sort();
      const wanted = typeof english[key] === 'string' ? english[key] : english[key].other;
      for (const [form, words] of Object.entries(forms)) {
        assert.ok(words.trim(), `${key} is empty`);
        if (form === 'other') assert.deepEqual(places(words).filter((p) => p !== 'first'), places(wanted).filter((p) => p !== 'first'), `${key} fills in other places`);
      }
    }
  });

  if (code !== 'en') {
    test(`${code} is translated`, () => {
      const same = Object.keys(english).filter((key) => JSON.stringify(languages[code][key]) === JSON.stringify(english[key]));
      // Words that are the same in some of these languages.
      const maySame = new Set(['class.bullet', 'class.blitz', 'class.rapid', 'rating.title', 'account.title', 'seat.computer', 'moves.entry', 'say.move', 'square.piece']);
      assert.deepEqual(same.filter((key) => !maySame.has(key)), []);
    });
  }
}

test('no page asks for a text that does not exist', () => {
  assert.deepEqual([...asked].filter((key) => !(key in english)), []);
});

test('no text is left over', () => {
  const unused = Object.keys(english).filter((key) => !asked.has(key) && !literal.has(key) && !prefixes.some((prefix) => key.startsWith(prefix)));
  assert.deepEqual(unused, []);
});

test('the browser decides the language, and Indonesian by its old code too', async () => {
  globalThis.window ??= /** @type {any} */ ({});
  globalThis.localStorage ??= /** @type {any} */ ({ getItem: () => null, setItem: () => {} });
  const { bestLanguage } = await import(`${APP}i18n/index.js`);
  assert.equal(bestLanguage(['fr-FR', 'nl-BE', 'en']), 'nl');
  assert.equal(bestLanguage(['in-ID']), 'id');
  assert.equal(bestLanguage(['ar-EG']), 'ar');
  assert.equal(bestLanguage(['fr']), 'en');
});
