// Who leads, and what each army has captured.

import { armyBadge, pieceIcon } from '../../board/pieces.js';
import { fill, h } from '../../dom/element.js';
import { captures } from '../../game/captures.js';
import { lookOf } from '../../game/record.js';
import { list, named, number, t } from '../../i18n/index.js';
import { SEATS } from '../../position/squares.js';
import { seatName } from '../../shell/player-name.js';

/** @typedef {import('../../position/squares.js').Seat} Seat */

/** @param {import('./table.js').GameTable} table */
export function scoreboard(table) {
  const rows = h('ol', { class: 'score-list' });
  const el = h('section', { class: 'card score', 'aria-labelledby': 'score-title' }, h('h2', { id: 'score-title' }, t('score.title')), rows);
  let shown = '';
  const update = () => {
    const moment = table.moment;
    if (!moment) return;
    const key = [moment.ply, table.isLive, JSON.stringify(moment.points), JSON.stringify(moment.armies), table.follower.state?.v, JSON.stringify(table.follower.state?.over)].join();
    if (key === shown) return;
    shown = key;
    const info = (/** @type {Seat} */ seat) => table.follower.state?.seats?.[seat];
    const value = (/** @type {Seat} */ seat) => (table.isLive ? table.record.result(seat) : moment.points[seat]);
    const taken = captures(table.record.moments.slice(0, moment.ply + 1));
    // Equal results: who moves later in the round comes first.
    const order = [...table.seats].sort((a, b) => value(b) - value(a) || SEATS.indexOf(b) - SEATS.indexOf(a));
    const most = Math.max(1, ...order.map(value));
    fill(rows, ...order.map((seat) => {
      const bar = h('span', { class: `score-bar ${seat}` });
      bar.style.inlineSize = `${(100 * value(seat)) / most}%`;
      return h('li', { class: `score-row ${lookOf(moment.armies[seat])}` },
        h('div', { class: 'score-head' }, armyBadge(seat),
          h('span', { class: 'clip', dir: 'auto' }, seatName(info(seat))),
          table.ratingOf(seat),
          h('strong', { class: 'tabular' }, number(value(seat)))),
        h('div', { class: 'score-track' }, bar),
        taken[seat].length === 0 ? null : h('div', { class: 'captured', role: 'img', 'aria-label': takenWords(taken[seat]) },
          ...taken[seat].map((piece) => pieceIcon(piece.seat, piece.role, piece.promoted))));
    }));
  };
  return { el, update };
}

/** @param {import('../../position/fen4.js').Piece[]} pieces */
function takenWords(pieces) {
  return t('score.captured', { list: list(pieces.map((piece) => `${piece.promoted ? t('piece.promoted') : named('piece', piece.role)} (${named('army', piece.seat)})`)) });
}
