// Reading FEN4, the position format of the API. Only what a client draws is read.

import { SIZE, squareAt } from './squares.js';

/** @typedef {import('./squares.js').Seat} Seat */
/** @typedef {'pawn' | 'knight' | 'bishop' | 'rook' | 'queen' | 'king'} Role */
/** @typedef {{ readonly seat: Seat, readonly role: Role, readonly promoted: boolean }} Piece */
/** A place for each of the 196 numbers; corners stay null. @typedef {readonly (Piece | null)[]} Pieces */

/** @type {Readonly<Record<string, Seat>>} */
const SEAT_LETTERS = { r: 'red', b: 'blue', y: 'yellow', g: 'green' };

/** @type {Readonly<Record<string, Role>>} */
const ROLE_LETTERS = { P: 'pawn', N: 'knight', B: 'bishop', R: 'rook', Q: 'queen', D: 'queen', K: 'king' };

export const START =
  'R-0,0,0,0-1,1,1,1-1,1,1,1-0,0,0,0-0-3,yR,yN,yB,yK,yQ,yB,yN,yR,3/3,yP,yP,yP,yP,yP,yP,yP,yP,3/14/gR,gP,10,bP,bR/' +
  'gN,gP,10,bP,bN/gB,gP,10,bP,bB/gQ,gP,10,bP,bK/gK,gP,10,bP,bQ/gB,gP,10,bP,bB/gN,gP,10,bP,bN/gR,gP,10,bP,bR/14/' +
  '3,rP,rP,rP,rP,rP,rP,rP,rP,3/3,rR,rN,rB,rQ,rK,rB,rN,rR,3';

/**
 * @param {string} text
 * @returns {{ turn: Seat, dead: Record<Seat, boolean>, points: Record<Seat, number>, pieces: Pieces }}
 */
export function parseFen4(text) {
  const compact = text.replace(/\s+/g, '');
  const fields = /^([RBYG])-([\d,]+)-([\d,]+)-([\d,]+)-([\d,]+)-(\d+)-(?:(\{.*\})-)?([^-]+)$/.exec(compact);
  if (!fields) throw new Error(`not a FEN4: ${text.slice(0, 40)}`);
  const perSeat = (/** @type {string} */ list) => list.split(',').map(Number);
  const dead = perSeat(fields[2]);
  const points = perSeat(fields[5]);
  return {
    turn: SEAT_LETTERS[fields[1].toLowerCase()],
    dead: bySeat((i) => dead[i] === 1),
    points: bySeat((i) => points[i] ?? 0),
    pieces: parseBoard(fields[8]),
  };
}

/** @template T @param {(index: number) => T} value @returns {Record<Seat, T>} */
function bySeat(value) {
  return { red: value(0), blue: value(1), yellow: value(2), green: value(3) };
}

/** @param {string} board @returns {Pieces} */
function parseBoard(board) {
  /** @type {(Piece | null)[]} */
  const pieces = new Array(SIZE * SIZE).fill(null);
  board.split('/').forEach((row, fromTop) => {
    let file = 0;
    for (const item of row.split(',')) {
      if (/^\d+$/.test(item)) file += Number(item);
      else if (/^x$/i.test(item)) file += 1;
      else pieces[squareAt(file++, SIZE - 1 - fromTop)] = parsePiece(item);
    }
  });
  return pieces;
}

/** @param {string} item `rP`, `rD` or, for an army that is out, `drP` @returns {Piece} */
function parsePiece(item) {
  const code = item.length === 3 ? item.slice(1) : item;
  const seat = SEAT_LETTERS[code[0]];
  const role = ROLE_LETTERS[code[1]];
  if (!seat || !role) throw new Error(`not a piece: ${item}`);
  return { seat, role, promoted: code[1] === 'D' };
}

/** Kings by seat. @param {Pieces} pieces @returns {Partial<Record<Seat, number>>} */
export function kings(pieces) {
  /** @type {Partial<Record<Seat, number>>} */
  const found = {};
  pieces.forEach((piece, square) => {
    if (piece?.role === 'king') found[piece.seat] = square;
  });
  return found;
}
