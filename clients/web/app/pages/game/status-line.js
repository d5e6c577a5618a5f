// One line that says what is going on: whose turn, or how it ended, or that the line is down.

import { armyBadge } from '../../board/pieces.js';
import { fill, h } from '../../dom/element.js';
import { named, t } from '../../i18n/index.js';
import { seatName } from '../../shell/player-name.js';

/** @param {import('./table.js').GameTable} table */
export function statusLine(table) {
  const text = h('p', { class: 'status-text' });
  const line = h('p', { class: 'status-connection', role: 'status', hidden: true });
  const el = h('div', { class: 'status' }, text, line);
  let shown = '';
  const update = () => {
    const { record, follower, player } = table;
    // The end has a panel of its own.
    el.hidden = record.status !== 'running';
    const down = record.status === 'running' && follower.status === 'waiting';
    line.hidden = !down;
    line.textContent = down ? t('game.reconnecting') : '';
    el.classList.toggle('yours', player.isMyTurn);
    const turn = record.turn;
    const key = [record.status, turn, player.isMyTurn, follower.state?.v].join();
    if (key === shown) return;
    shown = key;
    if (turn) {
      const roaming = record.last?.armies[turn] !== 'playing';
      const name = seatName(follower.state?.seats?.[turn]);
      fill(text, armyBadge(turn), player.isMyTurn ? t('game.your_turn')
        : roaming ? t('game.roams', { seat: named('army', turn) })
        : t('game.to_move', { name: `${name} (${named('army', turn)})` }));
    }
  };
  return { el, update };
}
