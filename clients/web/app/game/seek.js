// Looking for opponents: one open ticket, kept alive by asking after it, whatever page is shown meanwhile.

import * as api from '../transport/api.js';
import { backoffMs, pause } from '../transport/backoff.js';

/**
 * @typedef {object} Seek
 * @property {string | null} id null while it is being opened
 * @property {string} timeControl
 * @property {boolean} rated
 * @property {number} since local time in ms at which waiting began
 * @property {{ low: number | null, high: number | null } | null} window
 */

/** The server forgets a ticket nobody asks after. */
const WAIT_S = 25;

/** @type {Seek | null} */
let current = null;
/** @type {AbortController | null} */
let control = null;
/** @type {Set<() => void>} */
const listeners = new Set();
/** @type {(gameId: string) => void} */
let whenMatched = () => {};
/** @type {(reason: string) => void} */
let whenEnded = () => {};

export const seek = () => current;

/** @param {() => void} listener @returns {() => void} stops listening */
export function onSeek(listener) {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** @param {{ matched: (gameId: string) => void, ended: (reason: string) => void }} handlers */
export function handleSeek({ matched, ended }) {
  whenMatched = matched;
  whenEnded = ended;
}

/** @param {Seek | null} next */
function set(next) {
  current = next;
  for (const listener of listeners) listener();
}

/**
 * @param {{ timeControl: string, rated: boolean, fillAfterS?: number }} wish
 * @throws {import('../transport/request.js').ApiError}
 */
export async function startSeek({ timeControl, rated, fillAfterS }) {
  if (current) await stopSeek();
  set({ id: null, timeControl, rated, since: Date.now(), window: null });
  try {
    const fill = fillAfterS ? { fill_with_computers_after_s: fillAfterS } : {};
    keep(await api.openTicket({ time_control: timeControl, rated, ...fill }));
  } catch (/** @type {any} */ failure) {
    set(null);
    if (failure.code === 'ALREADY_WAITING' && failure.problem.ticket_id) return resumeSeek(failure.problem.ticket_id);
    if (failure.code === 'ALREADY_MATCHED' && failure.problem.game_id) return whenMatched(failure.problem.game_id);
    throw failure;
  }
}

/** Takes up a ticket opened before, as after a reload. @param {string} ticketId */
export async function resumeSeek(ticketId) {
  if (current?.id === ticketId) return;
  keep(await api.ticket(ticketId, 0));
}

/** @param {any} ticket */
function keep(ticket) {
  if (finish(ticket)) return;
  learn(ticket);
  control?.abort();
  control = new AbortController();
  void follow(ticket.id, control.signal);
}

/** @param {any} ticket */
function learn(ticket) {
  set({
    id: ticket.id,
    timeControl: ticket.time_control ?? current?.timeControl ?? '',
    rated: ticket.rated ?? current?.rated ?? true,
    since: Date.now() - (ticket.waited_ms ?? 0),
    window: ticket.window ?? null,
  });
}

/** @param {any} ticket @returns {boolean} whether the search is over */
function finish(ticket) {
  if (ticket.status === 'matched') {
    set(null);
    whenMatched(ticket.game_id);
    return true;
  }
  if (ticket.status === 'cancelled') {
    set(null);
    whenEnded(ticket.reason);
    return true;
  }
  return false;
}

/** @param {string} id @param {AbortSignal} signal */
async function follow(id, signal) {
  for (let attempt = 0; !signal.aborted; ) {
    const asked = performance.now();
    try {
      const ticket = await api.ticket(id, WAIT_S, signal);
      if (signal.aborted || finish(ticket)) return;
      learn(ticket);
      attempt = 0;
      if (performance.now() - asked < 500) await pause(500, signal);
    } catch (/** @type {any} */ failure) {
      if (signal.aborted) return;
      if (failure.status === 404 || failure.status === 401) {
        set(null);
        return whenEnded('expired');
      }
      await pause(backoffMs(attempt++), signal);
    }
  }
}

export async function stopSeek() {
  const id = current?.id;
  control?.abort();
  control = null;
  set(null);
  if (!id) return;
  try {
    await api.cancelTicket(id);
  } catch (/** @type {any} */ failure) {
    if (failure.code !== 'ALREADY_MATCHED') throw failure;
    const gameId = failure.problem.game_id ?? (await api.ticket(id, 0)).game_id;
    if (gameId) whenMatched(gameId);
  }
}
