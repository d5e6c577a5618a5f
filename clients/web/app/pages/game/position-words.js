// The position in words, for those who do not see the board.

import { h, fill } from '../../dom/element.js';
import { list, named, t } from '../../i18n/index.js';
import { lookOf } from '../../game/record.js';
import { nameOf } from '../../position/squares.js';

/** @typedef {import('../../position/fen4.js').Pieces} Pieces */

const ORDER = ['king', 'queen', 'rook', 'bishop', 'knight', 'pawn'];

/**
 * @param {number} square
 * @param {Pieces} pieces
 * @param {import('../../board/board.js').ArmyLooks} looks
 */
export function squareWords(square, pieces, looks) {
  const piece = pieces[square];
  const name = nameOf(square);
  if (!piece) return t('square.empty', { square: name });
  const role = piece.promoted ? t('piece.promoted') : named('piece', piece.role);
  const words = t('square.piece', { square: name, seat: named('army', piece.seat), piece: role });
  return looks[piece.seat] === 'playing' ? words : `${words}, ${named('look', looks[piece.seat])}`;
}

/** @param {import('./table.js').GameTable} table */
export function positionWords(table) {
  const words = h('dl', { class: 'words-list' });
  const el = h('details', { class: 'card words' }, h('summary', {}, t('words.title')), words);
  el.addEventListener('toggle', () => update());
  const update = () => {
    const moment = table.moment;
    if (!moment || !el.open) return;
    fill(words, ...table.seats.flatMap((seat) => {
      const own = moment.pieces
        .map((piece, square) => ({ piece, square }))
        .filter(({ piece }) => piece?.seat === seat)
        .sort((a, b) => ORDER.indexOf(a.piece?.role ?? '') - ORDER.indexOf(b.piece?.role ?? ''));
      const look = lookOf(moment.armies[seat]);
      const state = look === 'playing' ? '' : ` (${named('look', look)})`;
      return [
        h('dt', {}, `${named('army', seat)}${state}`),
        h('dd', {}, list(own.map(({ piece, square }) =>
          `${piece?.promoted ? t('piece.promoted') : named('piece', piece?.role ?? '')} ${nameOf(square)}`)) || '–'),
      ];
    }));
  };
  return { el, update };
}
