// A game that looks like one: captures that pay, pieces that come out, the same every time.

import { parseMove } from '../../app/position/apply.js';
import { parseFen4 } from '../../app/position/fen4.js';
import { fileOf, lineOf, rankOf } from '../../app/position/squares.js';

const WORTH = { pawn: 1, knight: 3, bishop: 5, rook: 5, queen: 9, king: 20 };
/** Who comes out first, higher first. */
const KEENNESS = { pawn: 2, knight: 5, bishop: 3.5, rook: 0.5, queen: 1, king: 0 };

/** @param {number} seed @returns {() => number} */
function dice(seed) {
  let state = seed;
  return () => {
    state = (state * 1103515245 + 12345) % 2147483648;
    return state / 2147483648;
  };
}

/**
 * @param {import('./players.js').Table} table
 * @param {number} plies
 * @param {number} [seed]
 */
export async function playOn(table, plies, seed = 7) {
  const chance = dice(seed);
  for (let i = 0; i < plies; i++) {
    const state = await table.ready();
    if (state.status !== 'running') return;
    await table.move(choose(state, chance));
  }
}

/** @param {any} state @param {() => number} chance @returns {string} */
function choose(state, chance) {
  const { pieces } = parseFen4(state.fen4);
  const rated = state.legal_moves.map((/** @type {string} */ move) => {
    const { from, to } = /** @type {{ from: number, to: number }} */ (parseMove(move));
    const piece = pieces[from];
    const taken = pieces[to];
    if (!piece) return { move, value: 0 };
    const guarded = pieces.some((other) => other?.seat === taken?.seat) ? 0.6 : 0;
    const gain = taken ? 4 * WORTH[taken.role] - guarded * WORTH[piece.role] : 0;
    const home = lineOf(piece.seat, from) <= 2 ? KEENNESS[piece.role] : 0.4 * KEENNESS[piece.role];
    const centre = 1.2 - (Math.abs(fileOf(to) - 6.5) + Math.abs(rankOf(to) - 6.5)) / 10;
    const castles = piece.role === 'king' && Math.abs(fileOf(to) - fileOf(from)) + Math.abs(rankOf(to) - rankOf(from)) === 2 ? 9 : 0;
    const tooFar = piece.role !== 'pawn' && lineOf(piece.seat, to) > 6 && !taken ? 3 : 0;
    return { move, value: gain + home + 2 * centre + castles - tooFar + 2.5 * chance() };
  });
  return rated.reduce((/** @type {any} */ best, /** @type {any} */ each) => (each.value > best.value ? each : best)).move;
}
