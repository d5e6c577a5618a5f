// A game that waits for its players: who sits where, and the link that brings the others.

import { armyBadge } from '../../board/pieces.js';
import { fill, h } from '../../dom/element.js';
import { isolated, named, t } from '../../i18n/index.js';
import { SEATS } from '../../position/squares.js';
import { copyButton } from '../../shell/copy-button.js';
import { tellFailure } from '../../shell/failures.js';
import { icon } from '../../shell/icons.js';
import { ratingTag, seatName } from '../../shell/player-name.js';
import { go, linkTo } from '../../shell/router.js';
import * as api from '../../transport/api.js';
import { inviteLink, inviteOf } from '../lobby/invites.js';

/** @param {import('../../game/follow.js').GameFollower} follower */
export function waitingRoom(follower) {
  const el = h('section', { class: 'page narrow waiting-room' });
  let shown = '';
  /** Who is awaited at which seat of a rematch. @type {Partial<Record<import('../../position/squares.js').Seat, string>>} */
  let awaited = {};
  let asked = false;

  const learnAwaited = async (/** @type {string} */ finished) => {
    asked = true;
    const { seats } = await api.game(finished);
    const taken = SEATS.filter((seat) => seats[seat]);
    // The seats turn by one.
    awaited = Object.fromEntries(taken.map((seat, i) => [taken[(i + 1) % taken.length], seatName(seats[seat])]));
    update();
  };

  const leave = async () => {
    try {
      await api.leaveSeat(follower.id);
      go('/');
    } catch (failure) {
      tellFailure(failure);
    }
  };
  const update = () => {
    const state = follower.state;
    const key = JSON.stringify([state?.seats, state?.status, awaited]);
    if (!state || key === shown) return;
    shown = key;
    if (state.rematch_of && !asked) void learnAwaited(state.rematch_of).catch(() => {});
    if (state.status === 'aborted') {
      fill(el, h('h1', {}, t('room.gone')), h('p', { class: 'muted' }, t('room.gone_text')),
        h('a', { class: 'button', href: linkTo('/') }, t('not_found.home')));
      return;
    }
    const code = state.invite_code ?? inviteOf(follower.id);
    fill(el,
      h('h1', {}, t('room.title')),
      h('p', { class: 'lead' }, h('strong', { dir: 'ltr' }, state.time_control), ` · ${named('class', state.class)} · ${t(state.rated ? 'game.rated' : 'game.unrated')}`),
      code ? inviteBox(code) : null,
      h('ul', { class: 'seat-list' }, ...SEATS.filter((seat) => state.seats[seat]).map((seat) => {
        const info = state.seats[seat];
        const taken = info.player || info.computer;
        return h('li', { class: taken ? 'seat taken' : 'seat free' }, armyBadge(seat),
          h('span', { class: 'seat-army' }, named('army', seat)),
          h('span', { class: 'seat-who clip', dir: 'auto' }, taken ? seatName(info)
            : info.open ? t('seat.open')
            : awaited[seat] ? t('seat.awaited_who', { name: isolated(awaited[seat]) }) : t('seat.awaited')),
          info.player ? ratingTag(info.player.rating, info.player.provisional) : null,
          info.player && seat === follower.mySeat ? h('span', { class: 'chip accent' }, t('seat.you')) : null);
      })),
      h('p', { class: 'muted', role: 'status' }, t('room.starts')),
      follower.mySeat ? h('button', { type: 'button', class: 'button quiet', onclick: leave }, t('room.leave')) : null);
  };
  update();
  return { el, update };
}

/** @param {string} code */
function inviteBox(code) {
  const link = inviteLink(code);
  const field = h('input', { type: 'text', readonly: true, value: link, id: 'invite-link', dir: 'ltr', onfocus: () => field.select() });
  const share = () => navigator.share({ title: 'Four Kingdoms', text: t('room.share_text'), url: link }).catch(() => {});
  return h('div', { class: 'invite-box' },
    h('label', { for: 'invite-link' }, t('room.link')), field,
    h('div', { class: 'button-row' }, copyButton(() => link, t('room.copy')),
      typeof navigator.share === 'function' ? h('button', { type: 'button', class: 'button quiet', onclick: share }, icon('share'), t('room.share')) : null));
}
