// Where a piece could go by its way of moving. The server alone knows what is legal; this serves premoves, which are
// wishes, and the moment before the server's list of legal moves has arrived.

import { castlingRook } from './apply.js';
import { FORWARD, fileOf, lineOf, onBoard, rankOf, squareAt } from './squares.js';

/** @typedef {import('./fen4.js').Pieces} Pieces */
/** @typedef {import('./fen4.js').Piece} Piece */

const STRAIGHT = [[1, 0], [-1, 0], [0, 1], [0, -1]];
const DIAGONAL = [[1, 1], [1, -1], [-1, 1], [-1, -1]];
const JUMPS = [[1, 2], [2, 1], [-1, 2], [-2, 1], [1, -2], [2, -1], [-1, -2], [-2, -1]];

/**
 * @param {Pieces} pieces
 * @param {number} from
 * @param {boolean} wish a premove: others may move away or come to be captured before it is played
 * @returns {number[]}
 */
export function reach(pieces, from, wish) {
  const piece = pieces[from];
  if (!piece) return [];
  switch (piece.role) {
    case 'pawn': return pawn(pieces, piece, from, wish);
    case 'knight': return steps(pieces, piece, from, JUMPS, 1, wish);
    case 'bishop': return steps(pieces, piece, from, DIAGONAL, 14, wish);
    case 'rook': return steps(pieces, piece, from, STRAIGHT, 14, wish);
    case 'queen': return steps(pieces, piece, from, [...STRAIGHT, ...DIAGONAL], 14, wish);
    case 'king': return [...steps(pieces, piece, from, [...STRAIGHT, ...DIAGONAL], 1, wish), ...castling(pieces, piece, from, wish)];
  }
}

/**
 * @param {Pieces} pieces
 * @param {Piece} piece
 * @param {number} from
 * @param {number[][]} directions
 * @param {number} range
 * @param {boolean} wish
 */
function steps(pieces, piece, from, directions, range, wish) {
  const found = [];
  for (const [df, dr] of directions) {
    for (let n = 1; n <= range; n++) {
      const file = fileOf(from) + df * n;
      const rank = rankOf(from) + dr * n;
      if (!onBoard(file, rank)) break;
      const to = squareAt(file, rank);
      const there = pieces[to];
      if (wish || there?.seat !== piece.seat) found.push(to);
      if (there && !wish) break;
    }
  }
  return found;
}

/** @param {Pieces} pieces @param {Piece} piece @param {number} from @param {boolean} wish */
function pawn(pieces, piece, from, wish) {
  const [df, dr] = FORWARD[piece.seat];
  const file = fileOf(from);
  const rank = rankOf(from);
  const found = [];
  for (let n = 1; n <= (lineOf(piece.seat, from) === 2 ? 2 : 1); n++) {
    if (!onBoard(file + df * n, rank + dr * n)) break;
    const to = squareAt(file + df * n, rank + dr * n);
    if (pieces[to] && !wish) break;
    found.push(to);
  }
  for (const side of [1, -1]) {
    const f = file + df + (df === 0 ? side : 0);
    const r = rank + dr + (dr === 0 ? side : 0);
    if (!onBoard(f, r)) continue;
    const there = pieces[squareAt(f, r)];
    if (wish || (there && there.seat !== piece.seat)) found.push(squareAt(f, r));
  }
  return found;
}

/** @param {Pieces} pieces @param {Piece} piece @param {number} from @param {boolean} wish */
function castling(pieces, piece, from, wish) {
  if (lineOf(piece.seat, from) !== 1) return [];
  const across = FORWARD[piece.seat][0] === 0 ? [[1, 0], [-1, 0]] : [[0, 1], [0, -1]];
  const found = [];
  for (const [df, dr] of across) {
    const file = fileOf(from) + df * 2;
    const rank = rankOf(from) + dr * 2;
    if (!onBoard(file, rank)) continue;
    const to = squareAt(file, rank);
    if (wish || castlingRook(pieces, from, to) !== null) found.push(to);
  }
  return found;
}
