import { pieceIcon } from '../../board/pieces.js';
import { h } from '../../dom/element.js';
import { named, number, t } from '../../i18n/index.js';

/** @type {readonly { role: import('../../position/fen4.js').Role, promoted?: boolean, points: number }[]} */
const VALUES = [
  { role: 'pawn', points: 1 },
  { role: 'knight', points: 3 },
  { role: 'bishop', points: 5 },
  { role: 'rook', points: 5 },
  { role: 'queen', points: 9 },
  { role: 'queen', promoted: true, points: 1 },
  { role: 'king', points: 20 },
];

/** What a capture is worth. */
export function pointsTable() {
  return h('figure', { class: 'points-table' }, ...VALUES.map(({ role, promoted = false, points }) =>
    h('div', { class: 'points-cell' }, pieceIcon('blue', role, promoted), h('strong', { class: 'tabular' }, number(points)),
      h('span', { class: 'muted small' }, promoted ? t('piece.promoted') : named('piece', role)))));
}
