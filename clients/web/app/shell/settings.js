// What this browser's user prefers, remembered here and nowhere else.

/**
 * @typedef {object} Settings
 * @property {'auto' | 'light' | 'dark'} theme
 * @property {boolean} sound
 * @property {boolean} motion false: nothing glides, whatever the system says
 * @property {string} language '' follows the browser
 * @property {string} timeControl the one last chosen
 * @property {boolean} rated
 */

const KEY = 'fk.settings';

/** @type {Settings} */
const DEFAULTS = { theme: 'auto', sound: true, motion: true, language: '', timeControl: '3+2', rated: true };

/** @type {Settings} */
let current = { ...DEFAULTS, ...load() };

/** @type {Set<() => void>} */
const listeners = new Set();

/** @returns {Partial<Settings>} */
function load() {
  try {
    return JSON.parse(localStorage.getItem(KEY) ?? '{}');
  } catch {
    return {};
  }
}

/** @template {keyof Settings} K @param {K} name @returns {Settings[K]} */
export const setting = (name) => current[name];

/** @template {keyof Settings} K @param {K} name @param {Settings[K]} value */
export function change(name, value) {
  current = { ...current, [name]: value };
  try {
    localStorage.setItem(KEY, JSON.stringify(current));
  } catch {
    // Without storage a choice lasts as long as the page.
  }
  for (const listener of listeners) listener();
}

/** @param {() => void} listener @returns {() => void} stops listening */
export function onSettings(listener) {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Puts theme and motion on the page. */
export function applySettings() {
  const root = document.documentElement;
  if (current.theme === 'auto') delete root.dataset.theme;
  else root.dataset.theme = current.theme;
  root.classList.toggle('no-motion', !current.motion);
}
