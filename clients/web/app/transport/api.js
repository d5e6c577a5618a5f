// The calls of the API this client makes, one function each.

import { identity, setIdentity } from './identity.js';
import { request, send } from './request.js';

/** @typedef {import('../position/squares.js').Seat} Seat */

const enc = encodeURIComponent;

/**
 * @param {Record<string, string | number | boolean | null | undefined>} values
 * @returns {string} `?a=b&c=d`, or nothing
 */
function query(values) {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(values)) {
    if (value !== null && value !== undefined && value !== '') search.set(name, String(value));
  }
  const text = search.toString();
  return text ? `?${text}` : '';
}

// Who plays

/** @param {string} [name] */
async function becomeGuest(name) {
  const answer = await request('POST', '/guests', { body: name ? { name } : {}, creates: true });
  setIdentity({ player: answer.player, token: answer.token });
  return answer.player;
}

/** A guest if nobody is signed in. @param {string} [name] */
export async function ensurePlayer(name) {
  return identity()?.player ?? becomeGuest(name);
}

/** @param {string} name @param {string} password */
export async function register(name, password) {
  const answer = await request('POST', '/accounts', { body: { name, password }, creates: true });
  setIdentity({ player: answer.player, token: answer.token ?? identity()?.token });
}

/** @param {string} name @param {string} password */
export async function signIn(name, password) {
  const answer = await request('POST', '/sessions', { body: { name, password } });
  setIdentity({ player: answer.player, token: answer.token });
}

export async function signOut() {
  try {
    await request('DELETE', '/sessions/current');
  } finally {
    setIdentity(null);
  }
}

export const me = () => request('GET', '/me');

// Finding a game

export const timeControls = () => request('GET', '/time-controls');

/** @param {{ time_control: string, rated: boolean, fill_with_computers_after_s?: number }} wish */
export const openTicket = (wish) => request('POST', '/tickets', { body: wish, creates: true });

/** @param {string} id @param {number} waitS @param {AbortSignal} [signal] */
export const ticket = (id, waitS, signal) => request('GET', `/tickets/${enc(id)}${query({ wait_s: waitS })}`, { signal });

/** @param {string} id */
export const cancelTicket = (id) => request('DELETE', `/tickets/${enc(id)}`);

/**
 * @param {{ time_control: string, seats: Record<Seat, object | null>, start_fen4?: string, visibility?: string }} wish
 */
export const createGame = (wish) => request('POST', '/games', { body: wish, creates: true });

/** @param {string} code */
export const invite = (code) => request('GET', `/invites/${enc(code)}`);

/** @param {string} id @param {string} code @param {Seat} [seat] */
export const takeSeat = (id, code, seat) =>
  request('POST', `/games/${enc(id)}/seats`, { body: seat ? { invite_code: code, seat } : { invite_code: code } });

/** @param {string} id */
export const leaveSeat = (id) => request('DELETE', `/games/${enc(id)}/seats/me`);

/** @param {string} id */
export const rematch = (id) => request('POST', `/games/${enc(id)}/rematch`);

/** @param {{ status?: string, cursor?: string | null, limit?: number }} which */
export const games = (which) => request('GET', `/games${query(which)}`);

// Games; moves and resignations go over the game's socket

/** @param {string} id @param {{ legalMoves?: boolean, signal?: AbortSignal }} [options] */
export const game = (id, { legalMoves = false, signal } = {}) =>
  request('GET', `/games/${enc(id)}${legalMoves ? '?include=legal_moves' : ''}`, { signal });

/** @param {string} id @param {'pgn4' | 'json'} format @returns {Promise<Blob>} */
export async function exportGame(id, format) {
  const response = await send('GET', `/games/${enc(id)}/export${query({ format })}`);
  return response.blob();
}

// Players

/** @param {string} id */
export const player = (id) => request('GET', `/players/${enc(id)}`);

/** @param {string} id */
export const playerRatings = (id) => request('GET', `/players/${enc(id)}/ratings`);

/** @param {string} id @param {string} timeClass @param {string | null} [cursor] */
export const ratingHistory = (id, timeClass, cursor) =>
  request('GET', `/players/${enc(id)}/rating-history${query({ class: timeClass, limit: 100, cursor })}`);

/** @param {string} id @param {string | null} [cursor] */
export const playerGames = (id, cursor) => request('GET', `/players/${enc(id)}/games${query({ cursor })}`);

/** @param {string} timeClass @param {{ provisional?: boolean, cursor?: string | null }} [options] */
export const leaderboard = (timeClass, { provisional = false, cursor } = {}) =>
  request('GET', `/leaderboards/${enc(timeClass)}${query({ provisional: provisional || null, limit: 50, cursor })}`);

/** @param {string} lang */
export const rules = (lang) => request('GET', `/rules${query({ lang })}`);
