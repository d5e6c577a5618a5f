// One game: waiting for players, being played, or over. All three are the same page following the same events.

import { h, setText } from '../dom/element.js';
import { t } from '../i18n/index.js';
import { describeFailure, failureText } from '../shell/failures.js';
import { linkTo } from '../shell/router.js';
import { toast } from '../shell/say.js';
import { GameFollower } from '../game/follow.js';
import { GameTable } from './game/table.js';
import { waitingRoom } from './game/waiting-room.js';

/** @param {string} id */
export function gamePage(id) {
  const loading = h('p', { class: 'loading', role: 'status' }, t('common.loading'));
  const el = h('div', { class: 'page game-page' }, loading);
  /** @type {GameTable | null} */
  let table = null;
  /** @type {ReturnType<typeof waitingRoom> | null} */
  let room = null;

  const follower = new GameFollower(id, {
    event: (event, isNew) => {
      showRightPart();
      table?.event(event, isNew);
    },
    changed: () => {
      showRightPart();
      table?.changed();
      room?.update();
      setText(loading, t(follower.status === 'waiting' ? 'game.reconnecting' : 'common.loading'));
    },
    signedOut: () => toast(failureText('UNAUTHENTICATED'), { kind: 'problem' }),
    failed: (failure) => el.replaceChildren(h('section', { class: 'page narrow centred' },
      h('h1', {}, failure.status === 404 ? t('game.missing') : t('game.unreachable')),
      h('p', { class: 'muted' }, failure.status === 404 ? t('game.missing_text') : describeFailure(failure)),
      h('a', { class: 'button', href: linkTo('/') }, t('not_found.home')))),
  });

  /** A game that waits has a room; one that has begun has a table. */
  function showRightPart() {
    if (follower.record.moments.length > 0) {
      if (table) return;
      room = null;
      table = new GameTable(follower);
      el.replaceChildren(table.el);
    } else if (follower.state && !room && (follower.state.status === 'waiting' || follower.state.status === 'aborted')) {
      room = waitingRoom(follower);
      el.replaceChildren(room.el);
    }
  }

  return {
    el,
    title: t('game.title'),
    close() {
      follower.close();
      table?.close();
    },
  };
}
