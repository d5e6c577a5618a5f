// Texts in the user's language, numbers and plurals by Intl. English is always there; the others are fetched when chosen.

import { setting } from '../shell/settings.js';
import en from './en.js';

/** @typedef {keyof typeof en} TextKey */
/** A text, or one per plural form. @typedef {string | Partial<Record<Intl.LDMLPluralRule, string>>} Text */
/** @typedef {Record<TextKey, Text>} Texts */
/** @typedef {Record<string, string | number>} Params */

/** Languages by code, each named by itself. */
export const LANGUAGES = { en: 'English', ar: 'العربية', nl: 'Nederlands', id: 'Bahasa Indonesia', hi: 'हिन्दी', es: 'Español' };

/** @typedef {keyof typeof LANGUAGES} Language */

/** @type {Record<Language, () => Promise<{ default: Record<string, Text> }>>} */
const LOADERS = {
  en: async () => ({ default: en }),
  ar: () => import('./ar.js'),
  nl: () => import('./nl.js'),
  id: () => import('./id.js'),
  hi: () => import('./hi.js'),
  es: () => import('./es.js'),
};

/** @type {Language} */
let language = 'en';
/** @type {Record<string, Text>} */
let texts = en;
let plurals = new Intl.PluralRules('en');

export const currentLanguage = () => language;
export const direction = () => (language === 'ar' ? 'rtl' : 'ltr');

/** @param {readonly string[]} wanted in order of preference @returns {Language} */
export function bestLanguage(wanted) {
  for (const tag of wanted) {
    const base = tag.toLowerCase().split('-')[0];
    const code = base === 'in' ? 'id' : base;
    if (Object.hasOwn(LANGUAGES, code)) return /** @type {Language} */ (code);
  }
  return 'en';
}

/** Loads the chosen language, or else the browser's, and turns the page its way. */
export async function loadLanguage() {
  const chosen = bestLanguage([setting('language'), ...navigator.languages].filter(Boolean));
  texts = (await LOADERS[chosen]()).default;
  language = chosen;
  plurals = new Intl.PluralRules(chosen);
  document.documentElement.lang = chosen;
  document.documentElement.dir = direction();
}

/**
 * The text of a key. `{name}` is filled from params; a plural is chosen by `params.n`.
 * @param {TextKey} key
 * @param {Params} [params]
 */
export function t(key, params = {}) {
  const entry = texts[key] ?? en[key];
  const text = typeof entry === 'string' ? entry : entry[plurals.select(Number(params.n ?? 0))] ?? entry.other ?? '';
  return text.replace(/\{(\w+)\}/g, (whole, name) => {
    const value = params[name];
    return value === undefined ? whole : typeof value === 'number' ? number(value) : value;
  });
}

/**
 * A text whose key is put together from a word of the API; a word this client does not know shows as it is.
 * @param {string} prefix
 * @param {string} word
 * @param {Params} [params]
 */
export function named(prefix, word, params) {
  const key = `${prefix}.${word}`;
  return Object.hasOwn(en, key) ? t(/** @type {TextKey} */ (key), params) : word;
}

/** @param {number} value @param {Intl.NumberFormatOptions} [options] */
export function number(value, options) {
  return new Intl.NumberFormat(language, options).format(value);
}

/** A whole number with its sign: +12. @param {number} value */
export function signed(value) {
  return number(value, { signDisplay: 'exceptZero', maximumFractionDigits: 0 });
}

/** Sets a text apart from the reading direction around it. @param {string} text */
export const isolated = (text) => `\u2068${text}\u2069`;

/** Several words as one: a, b and c. @param {readonly string[]} words */
export function list(words) {
  return new Intl.ListFormat(language).format(words.map(isolated));
}

/** @param {string | number | Date} instant @param {Intl.DateTimeFormatOptions} [options] */
export function date(instant, options = { dateStyle: 'medium' }) {
  return new Intl.DateTimeFormat(language, options).format(new Date(instant));
}

/**
 * A clock: `1:02:03`, `3:05`, and tenths below ten seconds, `9.4`.
 * @param {number} ms
 */
export function clockText(ms) {
  const two = { minimumIntegerDigits: 2, useGrouping: false };
  if (ms < 10_000) {
    const tenths = Math.floor(ms / 100) / 10;
    return number(tenths, { minimumFractionDigits: 1, maximumFractionDigits: 1 });
  }
  const seconds = Math.floor(ms / 1000);
  const hours = Math.floor(seconds / 3600);
  const minutes = Math.floor(seconds / 60) % 60;
  const tail = number(seconds % 60, two);
  return hours ? `${number(hours)}:${number(minutes, two)}:${tail}` : `${number(minutes)}:${tail}`;
}

/** Waiting time, `0:07`. @param {number} ms */
export function waitText(ms) {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  return `${number(Math.floor(seconds / 60))}:${number(seconds % 60, { minimumIntegerDigits: 2 })}`;
}
