// How players and ratings are written everywhere.

import { h } from '../dom/element.js';
import { named, number, signed, t } from '../i18n/index.js';
import { linkTo } from './router.js';

/** @param {number | null | undefined} rating @param {boolean | undefined} provisional */
function ratingText(rating, provisional) {
  if (rating === null || rating === undefined) return '';
  return `${number(Math.round(rating), { useGrouping: false })}${provisional ? '?' : ''}`;
}

/**
 * A rating; a provisional one carries a question mark that says so.
 * @param {number | null | undefined} rating
 * @param {boolean | undefined} provisional
 */
export function ratingTag(rating, provisional) {
  const text = ratingText(rating, provisional);
  if (!text) return null;
  return h('span', { class: 'rating tabular', dir: 'ltr', title: provisional ? t('rating.provisional') : null }, text,
    provisional ? h('span', { class: 'visually-hidden' }, ` (${t('rating.provisional')})`) : null);
}

/** What a game did to a rating, in whole points as ratings are shown. @param {number} before @param {number} after */
export function ratingChange(before, after) {
  const change = Math.round(after) - Math.round(before);
  return h('span', { class: change >= 0 ? 'change up tabular' : 'change down tabular' }, signed(change));
}

/** @param {{ id: string, name: string, guest?: boolean }} player */
export function playerLink(player) {
  return h('a', { class: 'player-name', href: linkTo(`/player/${player.id}`) }, h('bdi', {}, player.name));
}

/** Who sits on a seat, as plain text. @param {any} seat of a state's `seats` */
export function seatName(seat) {
  if (seat?.player) return String(seat.player.name);
  if (seat?.computer) return t('seat.computer', { level: named('computer', seat.computer) });
  return t('seat.nobody');
}
