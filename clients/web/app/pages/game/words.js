// Sentences about a game that several parts of the page need.

import { named, signed, t } from '../../i18n/index.js';
import { seatName } from '../../shell/player-name.js';

/** @typedef {import('../../game/record.js').Note} Note */
/** @typedef {import('./table.js').GameTable} GameTable */

/** @param {Note} note */
export function noteText(note) {
  const seat = named('army', note.seat);
  if (note.type !== 'army_out') return named('note', note.type, { seat });
  const points = note.points ? ` ${signed(note.points)}` : '';
  const how = note.how ?? 'checkmated';
  if (note.by && note.by !== note.seat) return named('note', `${how}_by`, { seat, by: named('army', note.by) }) + points;
  return named('note', how, { seat }) + points;
}

/** How the game ended and who won. @param {GameTable} table */
export function overText(table) {
  const over = table.record.over;
  if (!over) return '';
  const first = over.standing.find((entry) => entry.place === 1);
  const reason = named('over', over.reason);
  if (!first) return reason;
  const name = seatName(table.follower.state?.seats?.[first.seat]);
  return `${t('game.won', { name: `${name} (${named('army', first.seat)})` })} ${reason}`;
}
