// The 160 squares of the cross, the four seats, and directions. A square is a number: rank * 14 + file, both from 0.

/** @typedef {'red' | 'blue' | 'yellow' | 'green'} Seat */
/** @typedef {number} Square */

export const SIZE = 14;

/** Turn order; the next one sits to the right of the one before. @type {readonly Seat[]} */
export const SEATS = ['red', 'blue', 'yellow', 'green'];

/** The step (file, rank) in which a seat's pawns go. @type {Readonly<Record<Seat, readonly [number, number]>>} */
export const FORWARD = { red: [0, 1], blue: [-1, 0], yellow: [0, -1], green: [1, 0] };

/** @param {number} file @param {number} rank */
export function onBoard(file, rank) {
  if (file < 0 || rank < 0 || file >= SIZE || rank >= SIZE) return false;
  return (file >= 3 && file <= 10) || (rank >= 3 && rank <= 10);
}

/** @param {number} file @param {number} rank @returns {Square} */
export const squareAt = (file, rank) => rank * SIZE + file;

/** @param {Square} square */
export const fileOf = (square) => square % SIZE;

/** @param {Square} square */
export const rankOf = (square) => Math.floor(square / SIZE);

/** Every square there is. @type {readonly Square[]} */
export const SQUARES = Array.from({ length: SIZE * SIZE }, (_, i) => i).filter((s) => onBoard(fileOf(s), rankOf(s)));

/** @param {Square} square e.g. "h2" */
export const nameOf = (square) => String.fromCharCode(97 + fileOf(square)) + String(rankOf(square) + 1);

/** @param {string} name @returns {Square | null} */
export function parseSquare(name) {
  const found = /^([a-n])(\d{1,2})$/.exec(name.trim().toLowerCase());
  if (!found) return null;
  const file = found[1].charCodeAt(0) - 97;
  const rank = Number(found[2]) - 1;
  return onBoard(file, rank) ? squareAt(file, rank) : null;
}

/** @param {Seat} seat @returns {Seat} the one who moves after this seat */
export const after = (seat) => SEATS[(SEATS.indexOf(seat) + 1) % 4];

/** The line counted from a seat's own edge, 1 to 14. @param {Seat} seat @param {Square} square */
export function lineOf(seat, square) {
  const [df, dr] = FORWARD[seat];
  if (dr !== 0) return dr > 0 ? rankOf(square) + 1 : SIZE - rankOf(square);
  return df > 0 ? fileOf(square) + 1 : SIZE - fileOf(square);
}

/**
 * Where a square is drawn when a seat looks from the bottom: column and row from the top left.
 * @param {Square} square
 * @param {Seat} bottom
 * @returns {{ x: number, y: number }}
 */
export function toView(square, bottom) {
  const x = fileOf(square);
  const y = SIZE - 1 - rankOf(square);
  const last = SIZE - 1;
  switch (bottom) {
    case 'blue': return { x: last - y, y: x };
    case 'yellow': return { x: last - x, y: last - y };
    case 'green': return { x: y, y: last - x };
    default: return { x, y };
  }
}

/**
 * The square drawn at a column and row, or null in a corner or outside.
 * @param {number} x
 * @param {number} y
 * @param {Seat} bottom
 * @returns {Square | null}
 */
export function fromView(x, y, bottom) {
  const last = SIZE - 1;
  /** @type {[number, number]} */
  let [vx, vy] = [x, y];
  if (bottom === 'blue') [vx, vy] = [y, last - x];
  else if (bottom === 'yellow') [vx, vy] = [last - x, last - y];
  else if (bottom === 'green') [vx, vy] = [last - y, x];
  const rank = last - vy;
  return onBoard(vx, rank) ? squareAt(vx, rank) : null;
}
