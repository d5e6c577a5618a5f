// Invite codes of games made in this browser: the maker must still have the link after a reload.

const KEY = 'fk.invites';
const KEPT = 20;

/** @returns {Record<string, string>} */
function load() {
  try {
    return JSON.parse(localStorage.getItem(KEY) ?? '{}');
  } catch {
    return {};
  }
}

/** @param {string} gameId @param {string | undefined} code */
export function rememberInvite(gameId, code) {
  if (!code) return;
  const kept = Object.entries(load()).filter(([id]) => id !== gameId).slice(-(KEPT - 1));
  try {
    localStorage.setItem(KEY, JSON.stringify(Object.fromEntries([...kept, [gameId, code]])));
  } catch {
    // The link is on screen anyway.
  }
}

/** @param {string} gameId @returns {string | null} */
export const inviteOf = (gameId) => load()[gameId] ?? null;

/** @param {string} code */
export const inviteLink = (code) => `${location.origin}${location.pathname}#/invite/${code}`;
