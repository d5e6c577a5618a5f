// Positions that show what differs from chess.

import { Board } from '../../board/board.js';
import { h } from '../../dom/element.js';
import { named, signed, t } from '../../i18n/index.js';
import { parseFen4, START } from '../../position/fen4.js';
import { lineOf, parseSquare, SIZE, SQUARES } from '../../position/squares.js';

/** @typedef {import('../../position/fen4.js').Piece} Piece */
/** @typedef {import('../../position/squares.js').Seat} Seat */
/** @typedef {import('../../board/board.js').ArmyLooks} ArmyLooks */
/** @typedef {import('../../board/marks.js').Marks} Marks */
/** @typedef {{ pieces: readonly (Piece | null)[], looks?: Partial<ArmyLooks>, marks?: Marks }} Picture */

/** @param {string} name */
const at = (name) => /** @type {number} */ (parseSquare(name));

/** @type {Readonly<Record<string, Seat>>} */
const SEAT = { r: 'red', b: 'blue', y: 'yellow', g: 'green' };
/** @type {Readonly<Record<string, import('../../position/fen4.js').Role>>} */
const ROLE = { P: 'pawn', N: 'knight', B: 'bishop', R: 'rook', Q: 'queen', D: 'queen', K: 'king' };

/** @param {string} list `rKh1 bQe5` */
function place(list) {
  /** @type {(Piece | null)[]} */
  const pieces = new Array(SIZE * SIZE).fill(null);
  for (const item of list.split(' ')) pieces[at(item.slice(2))] = { seat: SEAT[item[0]], role: ROLE[item[1]], promoted: item[1] === 'D' };
  return pieces;
}

/** @type {Readonly<Record<string, () => Picture>>} */
const PICTURES = {
  board: () => ({ pieces: parseFen4(START).pieces }),
  points: () => {
    /** @type {readonly (readonly [string, number])[]} */
    const gains = [['d4', 9], ['c7', 1], ['d10', 5], ['g11', 0], ['j10', 1], ['k7', 3]];
    return {
      pieces: place('rQg7 rKh1 rPh6 bKn8 bNk7 bDj10 yKg14 yRg11 gKa7 gQd4 gPc7 gBd10'),
      looks: { yellow: 'out' },
      marks: { arrows: gains.map(([square]) => [at('g7'), at(square)]), notes: gains.map(([square, points]) => [at(square), signed(points)]) },
    };
  },
  // Green's king on a7 is shut in by Yellow's rook on b14; Red's rook arrives on a4: mate at once, the points are Red's.
  mate: () => ({
    pieces: place('gKa7 gPd9 yRb11 yKg14 rRa4 rKh1 bKn8 rPe3 bPl6 yPf12'),
    marks: { last: [at('h4'), at('a4')], checks: [at('a7')], danger: ['b6', 'b7', 'b8'].map(at), arrows: [[at('h4'), at('a4')]] },
  }),
  promotion: () => ({
    pieces: place('rPf7 rDi8 bPh5 bDg9 yPj8 yDe7 gPg10 gDh6 rKh1 bKn8 yKg14 gKa7'),
    marks: { line: SQUARES.filter((square) => lineOf('red', square) === 8 || lineOf('blue', square) === 8), arrows: [[at('f7'), at('f8')], [at('h5'), at('g5')]] },
  }),
  roaming: () => ({
    pieces: place('rKh1 rRf4 rPe2 rPh2 bKn8 bQj6 bPm7 bPm9 bNl4 yKg14 yBh9 yPf13 yPg13 gKa7 gNc6 gPb7 gPb9 gRd11'),
    looks: { blue: 'roaming' },
    marks: { last: [at('n5'), at('l4')], arrows: [[at('n5'), at('l4')]] },
  }),
  out: () => ({
    pieces: place('rKh1 rRf4 rQi5 rPe2 rPh2 bKn8 bQj8 bPm7 bPm9 yKg14 yBh9 yPf13 yPg13 yRf11 gKa7 gNc6 gPb7 gPb9 gRf8 gBe9'),
    looks: { green: 'out' },
    marks: { arrows: [[at('f4'), at('f8')]] },
  }),
};

/** @param {string} section */
export function illustration(section) {
  const make = PICTURES[section];
  if (!make) return null;
  const { pieces, looks = {}, marks = {} } = make();
  const caption = named('picture', section);
  const board = new Board({ label: caption });
  board.setPosition(pieces, { red: 'playing', blue: 'playing', yellow: 'playing', green: 'playing', ...looks }, { still: true });
  board.setMarks(marks);
  return h('figure', { class: 'rule-picture' }, h('div', { dir: 'ltr' }, board.el), h('figcaption', { class: 'muted small' }, caption || t('board.label')));
}
