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

const SEATS = ['red', 'blue', 'yellow', 'green'];
const STATES = ['resigned', 'timed_out', 'checkmated', 'stalemated', 'king_captured'];
/** The words of the API, and a few of this client's own, that keys are put together with. @type {Record<string, readonly string[]>} */
const WORDS = {
  army: SEATS,
  class: ['bullet', 'blitz', 'rapid'],
  computer: ['easy', 'medium', 'hard'],
  look: ['roaming', 'out'],
  piece: ['pawn', 'knight', 'bishop', 'rook', 'queen', 'king', 'promoted'],
  state: STATES,
  note: [...STATES, 'checkmated_by', 'king_captured_by'],
  over: ['last_player', 'repetition', 'fifty_moves', 'bare_kings'],
  picture: ['board', 'points', 'mate', 'promotion', 'roaming', 'out'],
  'seek.ended': ['expired', 'player', 'too_many_games'],
};
/** Codes of the API that people can meet here; the others have `error.other`. */
const CODES_MET = ['UNAVAILABLE', 'RATE_LIMITED', 'COOLDOWN', 'UNAUTHENTICATED', 'FORBIDDEN', 'NOT_FOUND', 'NOT_YOUR_TURN', 'STALE_PLY', 'NOT_PLAYING',
  'GAME_OVER', 'NOT_STARTED', 'SEAT_TAKEN', 'NAME_TAKEN', 'TOO_MANY_GAMES', 'ILLEGAL_MOVE', 'NOT_AVAILABLE', 'BAD_REQUEST'];

test('keys that are put together have a text for every word, and none for any other', () => {
  const used = new Set([...sources.matchAll(/\bnamed\('([^']+)'/g)].map((found) => found[1]));
  assert.deepEqual([...used].sort(), [...Object.keys(WORDS), 'error'].sort());
  const under = (/** @type {string} */ prefix) => Object.keys(english).filter((key) => key.startsWith(`${prefix}.`)).map((key) => key.slice(prefix.length + 1)).sort();
  for (const [prefix, words] of Object.entries(WORDS)) assert.deepEqual(under(prefix), [...words].sort(), prefix);
  assert.deepEqual(under('error'), [...CODES_MET, 'OFFLINE', 'other', 'wait'].sort());
});

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
