// What each army has captured so far.

import { SEATS } from '../position/squares.js';

/** @typedef {import('./record.js').Moment} Moment */
/** @typedef {import('../position/fen4.js').Piece} Piece */
/** @typedef {import('../position/squares.js').Seat} Seat */

const ORDER = ['king', 'queen', 'rook', 'bishop', 'knight', 'pawn'];

/**
 * @param {readonly Moment[]} moments up to the one that is looked at
 * @returns {Record<Seat, Piece[]>} the most valuable first
 */
export function captures(moments) {
  /** @type {Record<Seat, Piece[]>} */
  const taken = { red: [], blue: [], yellow: [], green: [] };
  for (const { played } of moments) if (played?.captured) taken[played.seat].push(played.captured);
  for (const seat of SEATS) {
    taken[seat].sort((a, b) => ORDER.indexOf(a.role) - ORDER.indexOf(b.role) || SEATS.indexOf(a.seat) - SEATS.indexOf(b.seat));
  }
  return taken;
}
