// What a move that the server has accepted does to the pieces. Nothing here judges a move.

import { fileOf, lineOf, parseSquare, rankOf, squareAt } from './squares.js';

/** @typedef {import('./fen4.js').Pieces} Pieces */
/** @typedef {import('./fen4.js').Piece} Piece */

/** The line, from its own edge, on which a pawn becomes a queen. */
const PROMOTION_LINE = 8;

/**
 * @param {string} move `h2-h4`
 * @returns {{ from: number, to: number } | null}
 */
export function parseMove(move) {
  const [a, b] = move.split('-');
  const from = parseSquare(a ?? '');
  const to = parseSquare(b ?? '');
  return from === null || to === null ? null : { from, to };
}

/**
 * @param {Pieces} pieces
 * @param {number} from
 * @param {number} to
 * @returns {{ pieces: Pieces, captured: Piece | null, promoted: boolean }}
 */
export function applyMove(pieces, from, to) {
  const piece = pieces[from];
  if (!piece) return { pieces, captured: null, promoted: false };
  const next = pieces.slice();
  const captured = pieces[to];
  const promoted = piece.role === 'pawn' && lineOf(piece.seat, to) === PROMOTION_LINE;
  next[from] = null;
  next[to] = promoted ? { seat: piece.seat, role: 'queen', promoted: true } : piece;
  const rook = piece.role === 'king' ? castlingRook(pieces, from, to) : null;
  if (rook !== null) {
    next[(from + to) / 2] = pieces[rook];
    next[rook] = null;
  }
  return { pieces: next, captured, promoted };
}

/**
 * A king goes two squares only when it castles; its rook is the first of its own in that direction.
 * @param {Pieces} pieces
 * @param {number} from
 * @param {number} to
 * @returns {number | null}
 */
export function castlingRook(pieces, from, to) {
  const df = Math.sign(fileOf(to) - fileOf(from));
  const dr = Math.sign(rankOf(to) - rankOf(from));
  const distance = Math.max(Math.abs(fileOf(to) - fileOf(from)), Math.abs(rankOf(to) - rankOf(from)));
  if (distance !== 2 || (df !== 0 && dr !== 0)) return null;
  const seat = pieces[from]?.seat;
  let file = fileOf(from) + df;
  let rank = rankOf(from) + dr;
  while (file >= 0 && rank >= 0 && file < 14 && rank < 14) {
    const piece = pieces[squareAt(file, rank)];
    if (piece) return piece.role === 'rook' && piece.seat === seat ? squareAt(file, rank) : null;
    file += df;
    rank += dr;
  }
  return null;
}
