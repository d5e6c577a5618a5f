// The four clocks as they stand at an instant. The server's time is the only time; this browser's differs by an offset.

/** @typedef {import('./record.js').GameRecord} GameRecord */
/** @typedef {import('../position/squares.js').Seat} Seat */

/** Below this a clock shows tenths and warns. */
export const LOW_MS = 10_000;

export class ServerTime {
  constructor() {
    this.offsetMs = 0;
    this.bestTripMs = Infinity;
  }

  /**
   * The quickest answer bounds the error best; slower ones are believed again in time, as clocks drift.
   * @param {string} serverNow
   * @param {number} roundTripMs
   */
  learn(serverNow, roundTripMs) {
    const server = Date.parse(serverNow);
    if (Number.isNaN(server) || roundTripMs < 0) return;
    this.bestTripMs *= 1.5;
    if (roundTripMs > this.bestTripMs) return;
    this.bestTripMs = roundTripMs;
    this.offsetMs = server + roundTripMs / 2 - Date.now();
  }

  now() {
    return Date.now() + this.offsetMs;
  }
}

/**
 * @param {GameRecord} record
 * @param {Seat} seat
 * @param {number} now server time
 * @returns {{ remainingMs: number, running: boolean, firstMoveMs: number | null }} firstMoveMs: what is left to make a
 *   first move, during which the clock itself stands
 */
export function clockOf(record, seat, now) {
  const remainingMs = record.last?.remainingMs[seat] ?? 0;
  const idle = { remainingMs, running: false, firstMoveMs: null };
  if (record.turn !== seat || record.last?.armies[seat] !== 'playing') return idle;
  if (!record.hasMoved(seat)) {
    const left = record.deadline ? Math.max(0, Date.parse(record.deadline) - now) : null;
    return { remainingMs, running: false, firstMoveMs: left };
  }
  if (!record.runsFrom) return { ...idle, running: true };
  const used = Math.max(0, now - Date.parse(record.runsFrom));
  return { remainingMs: Math.max(0, remainingMs - used), running: true, firstMoveMs: null };
}
