// Who this browser plays as: a player and the token that speaks for them, kept in local storage and shared by all tabs.

/** @typedef {{ id: string, name: string, guest: boolean }} Player */
/** @typedef {{ player: Player, token: string }} Identity */

const KEY = 'fk.identity';

/** @type {Set<() => void>} */
const listeners = new Set();

/** @type {Identity | null} */
let current = load();

/** @returns {Identity | null} */
function load() {
  try {
    const found = JSON.parse(localStorage.getItem(KEY) ?? 'null');
    return found?.token && found?.player?.id ? found : null;
  } catch {
    return null;
  }
}

export const identity = () => current;

/** @param {Identity | null} next */
export function setIdentity(next) {
  current = next;
  try {
    if (next) localStorage.setItem(KEY, JSON.stringify(next));
    else localStorage.removeItem(KEY);
  } catch {
    // Without storage the identity lives as long as the page.
  }
  for (const listener of listeners) listener();
}

/** @param {() => void} listener @returns {() => void} stops listening */
export function onIdentity(listener) {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

window.addEventListener('storage', (event) => {
  if (event.key !== KEY) return;
  current = load();
  for (const listener of listeners) listener();
});
