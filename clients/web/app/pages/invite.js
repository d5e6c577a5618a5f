// Opened from a friend's link: who is there already, which seats are free.

import { armyBadge } from '../board/pieces.js';
import { fill, h } from '../dom/element.js';
import { named, t } from '../i18n/index.js';
import { SEATS } from '../position/squares.js';
import { describeFailure, tellFailure } from '../shell/failures.js';
import { seatName } from '../shell/player-name.js';
import { go, linkTo } from '../shell/router.js';
import * as api from '../transport/api.js';
import { identity } from '../transport/identity.js';
import { rememberInvite } from './lobby/invites.js';
import { nameField, wishedName } from './lobby/name-field.js';

/** @typedef {import('../position/squares.js').Seat} Seat */

/** @param {string} code */
export function invitePage(code) {
  const el = h('section', { class: 'page narrow invite' });
  if (identity()) void showSeats();
  else askName();
  return { el, title: t('invite.title') };

  /** The invitation is told to players only, so a guest needs to be one first. */
  function askName() {
    const enter = async (/** @type {Event} */ event) => {
      event.preventDefault();
      try {
        await api.ensurePlayer(wishedName());
        await showSeats();
      } catch (failure) {
        tellFailure(failure);
      }
    };
    fill(el, h('h1', {}, t('invite.title')), h('p', { class: 'lead' }, t('invite.text')),
      h('form', { class: 'stack', onsubmit: enter }, nameField(), h('button', { class: 'button', id: 'enter-invite' }, t('invite.enter'))));
  }

  async function showSeats() {
    try {
      const game = await api.invite(code);
      if (!holds(game)) return go(`/game/${game.id}`);
      draw(game);
    } catch (/** @type {any} */ failure) {
      fill(el, h('h1', {}, t('invite.gone')), h('p', { class: 'muted' }, failure.status === 404 ? t('invite.gone_text') : describeFailure(failure)),
        h('a', { class: 'button', href: linkTo('/') }, t('not_found.home')));
    }
  }

  /** Whether there is anything to choose: not for who sits there already. @param {any} game */
  function holds(game) {
    const me = identity()?.player.id;
    return game.status === 'waiting' && !SEATS.some((seat) => game.seats[seat].player?.id === me);
  }

  /** @param {any} game */
  function draw(game) {
    /** @param {Seat} [seat] */
    const sit = async (seat) => {
      try {
        await api.takeSeat(game.id, code, seat);
        rememberInvite(game.id, code);
        go(`/game/${game.id}`);
      } catch (/** @type {any} */ failure) {
        tellFailure(failure);
        if (failure.code === 'SEAT_TAKEN') void showSeats();
      }
    };
    const isFree = (/** @type {Seat} */ seat) => game.free_seats.includes(seat);
    const isTaken = (/** @type {Seat} */ seat) => game.seats[seat].player || game.seats[seat].computer;
    fill(el, h('h1', {}, t('invite.title')),
      h('p', { class: 'lead' }, h('strong', { dir: 'ltr' }, game.time_control), ` · ${named('class', game.class)}`),
      h('ul', { class: 'seat-list' }, ...SEATS.filter((seat) => isFree(seat) || isTaken(seat)).map((seat) => h('li', { class: isFree(seat) ? 'seat free' : 'seat taken' },
        armyBadge(seat), h('span', { class: 'seat-army' }, named('army', seat)),
        isFree(seat)
          ? h('button', { type: 'button', class: 'button quiet', 'data-seat': seat, onclick: () => sit(seat) }, t('invite.sit'))
          : h('span', { class: 'seat-who clip', dir: 'auto' }, seatName(game.seats[seat]))))),
      h('button', { type: 'button', class: 'button', id: 'sit-anywhere', onclick: () => sit() }, t('invite.sit_anywhere')));
  }
}
