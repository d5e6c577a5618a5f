// A private game: choose who may sit where, get a link to send.

import { armyBadge } from '../../board/pieces.js';
import { h } from '../../dom/element.js';
import { named, t } from '../../i18n/index.js';
import { SEATS } from '../../position/squares.js';
import { tellFailure } from '../../shell/failures.js';
import { go } from '../../shell/router.js';
import { setting } from '../../shell/settings.js';
import * as api from '../../transport/api.js';
import { rememberInvite } from './invites.js';
import { wishedName } from './name-field.js';
import { timeControlSelect } from './time-controls.js';

/** @typedef {import('../../position/squares.js').Seat} Seat */
/** @typedef {'me' | 'open' | 'easy' | 'medium' | 'hard'} Sitter */

/** @type {readonly Sitter[]} */
const SITTERS = ['me', 'open', 'easy', 'medium', 'hard'];

/** @param {Sitter} sitter */
const seatFor = (sitter) => (sitter === 'me' ? { me: true } : sitter === 'open' ? { open: true } : { computer: sitter });

export function friendsCard() {
  const control = timeControlSelect('friends-time', setting('timeControl'));
  const open = h('input', { type: 'checkbox' });
  const seats = Object.fromEntries(SEATS.map((seat) => [seat, seatSelect(seat, seat === 'red' ? 'me' : 'open')]));
  for (const seat of SEATS) seats[seat].addEventListener('change', () => onlyOneMe(seat));
  /** One sits on one chair. @param {Seat} changed */
  const onlyOneMe = (changed) => {
    if (seats[changed].value !== 'me') return;
    for (const seat of SEATS) if (seat !== changed && seats[seat].value === 'me') seats[seat].value = 'open';
  };
  const create = async (/** @type {Event} */ event) => {
    event.preventDefault();
    button.disabled = true;
    try {
      await api.ensurePlayer(wishedName());
      const game = await api.createGame({
        time_control: control.value,
        seats: /** @type {Record<Seat, object>} */ (Object.fromEntries(
          SEATS.map((seat) => [seat, seatFor(/** @type {Sitter} */ (seats[seat].value))]))),
        visibility: open.checked ? 'public' : 'private',
      });
      rememberInvite(game.id, game.invite_code);
      go(`/game/${game.id}`);
    } catch (failure) {
      tellFailure(failure);
    } finally {
      button.disabled = false;
    }
  };
  const button = h('button', { class: 'button', id: 'create-game' }, t('friends.create'));
  return h('section', { class: 'card', 'aria-labelledby': 'friends-title' },
    h('h2', { id: 'friends-title' }, t('friends.title')),
    h('p', { class: 'muted' }, t('friends.text')),
    h('form', { class: 'stack', onsubmit: create },
      h('div', { class: 'field' }, h('label', { for: 'friends-time' }, t('game.time_control')), control),
      h('fieldset', { class: 'seat-cross' }, h('legend', {}, t('friends.seats')),
        ...SEATS.map((seat) => h('div', { class: `seat-choice at-${seat}` },
          h('label', { for: `seat-${seat}` }, armyBadge(seat), named('army', seat)), seats[seat]))),
      h('label', { class: 'switch' }, h('span', {}, t('friends.public')), open),
      button));
}

/** @param {Seat} seat @param {Sitter} chosen */
function seatSelect(seat, chosen) {
  return h('select', { id: `seat-${seat}` }, ...SITTERS.map((sitter) => h('option', { value: sitter, selected: sitter === chosen },
    sitter === 'me' ? t('seat.me') : sitter === 'open' ? t('seat.open') : t('seat.computer', { level: named('computer', sitter) }))));
}
