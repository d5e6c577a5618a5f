// Which pieces went where between two positions, so that they can glide instead of jump.

/** @typedef {import('../position/fen4.js').Pieces} Pieces */
/** @typedef {import('../position/fen4.js').Piece} Piece */

/** @param {Piece | null | undefined} a @param {Piece | null | undefined} b */
const same = (a, b) => Boolean(a && b && a.seat === b.seat && a.role === b.role && a.promoted === b.promoted);

/**
 * @param {Pieces} before
 * @param {Pieces} after
 * @returns {{ moves: { from: number, to: number }[], gone: number[], come: number[] }}
 */
export function matchPieces(before, after) {
  /** @type {number[]} */
  const left = [];
  /** @type {number[]} */
  const come = [];
  const length = Math.max(before.length, after.length);
  for (let square = 0; square < length; square++) {
    if (same(before[square], after[square])) continue;
    if (before[square]) left.push(square);
    if (after[square]) come.push(square);
  }
  /** @type {{ from: number, to: number }[]} */
  const moves = [];
  const arrived = come.filter((to) => {
    let best = -1;
    for (let i = 0; i < left.length; i++) {
      if (same(before[left[i]], after[to]) && (best < 0 || distance(left[i], to) < distance(left[best], to))) best = i;
    }
    if (best < 0) return true;
    moves.push({ from: left[best], to });
    left.splice(best, 1);
    return false;
  });
  return { moves, gone: left, come: arrived };
}

/** @param {number} a @param {number} b */
function distance(a, b) {
  return Math.abs((a % 14) - (b % 14)) + Math.abs(Math.floor(a / 14) - Math.floor(b / 14));
}
