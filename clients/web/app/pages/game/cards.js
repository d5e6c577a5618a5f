// Four cards in the empty corners of the board, each at its player's right hand.

import { armyBadge } from '../../board/pieces.js';
import { fill, h, setText } from '../../dom/element.js';
import { clockOf, LOW_MS } from '../../game/clock.js';
import { lookOf } from '../../game/record.js';
import { clockText, named, number, t, waitText } from '../../i18n/index.js';
import { SEATS } from '../../position/squares.js';
import { icon } from '../../shell/icons.js';
import { seatName } from '../../shell/player-name.js';
import { linkTo } from '../../shell/router.js';

/** @typedef {import('./table.js').GameTable} GameTable */
/** @typedef {import('../../position/squares.js').Seat} Seat */

/** Corners by how many seats after the bottom one. */
const CORNERS = ['bottom-right', 'top-right', 'top-left', 'bottom-left'];

/** @param {GameTable} table */
export function cornerCards(table) {
  const cards = SEATS.map((seat) => card(table, seat));
  const update = () => {
    for (const each of cards) each.update();
  };
  let timer = 0;
  const tick = () => {
    const tenths = cards.map((each) => each.tick()).some(Boolean);
    timer = window.setTimeout(tick, tenths ? 100 : 250);
  };
  tick();
  return {
    el: h('div'),
    corners: cards.map((each) => each.el),
    update,
    close: () => clearTimeout(timer),
  };
}

/** @param {GameTable} table @param {Seat} seat */
function card(table, seat) {
  const who = h('div', { class: 'card-who' });
  const rating = h('div', { class: 'card-rating' });
  const clock = h('div', { class: 'card-clock tabular', role: 'timer', 'aria-live': 'off' });
  const points = h('span', { class: 'card-points tabular' });
  const unit = h('span', { class: 'card-unit' });
  const state = h('div', { class: 'card-state' });
  const el = h('section', { class: `corner ${seat}`, 'aria-label': named('army', seat) },
    h('div', { class: 'corner-card' }, who, rating, clock, h('div', { class: 'card-score' }, points, unit), state));
  let shownWho = '';

  /** @returns {boolean} whether tenths are shown */
  const tick = () => {
    const { record, follower } = table;
    const moment = table.moment;
    if (!moment) return false;
    const live = table.isLive && record.status === 'running';
    const reading = live ? clockOf(record, seat, follower.time.now()) : { remainingMs: moment.remainingMs[seat], running: false, firstMoveMs: null };
    const waits = reading.firstMoveMs !== null;
    const playing = moment.armies[seat] === 'playing';
    setText(clock, !playing && record.status !== 'over' ? '–' : clockText(reading.remainingMs));
    el.classList.toggle('waits', waits);
    el.classList.toggle('hurry', waits && (reading.firstMoveMs ?? 0) < LOW_MS);
    clock.classList.toggle('low', playing && reading.remainingMs < LOW_MS && live);
    if (waits) setText(state, t('clock.first_move', { time: waitText(reading.firstMoveMs ?? 0) }));
    return reading.running && reading.remainingMs < LOW_MS + 1000;
  };

  const update = () => {
    const info = table.follower.state?.seats?.[seat];
    const moment = table.moment;
    el.hidden = !table.seats.includes(seat);
    if (!moment || el.hidden) return;
    const offset = (SEATS.indexOf(seat) - SEATS.indexOf(table.bottom) + 4) % 4;
    el.dataset.corner = CORNERS[offset];
    const army = moment.armies[seat];
    const look = lookOf(army);
    const connected = table.follower.connected[seat];
    const identityKey = JSON.stringify([info?.player, info?.computer, connected, table.follower.state?.over]);
    if (identityKey !== shownWho) {
      shownWho = identityKey;
      const name = seatName(info);
      fill(who, armyBadge(seat),
        info?.player ? h('a', { class: 'card-name clip', href: linkTo(`/player/${info.player.id}`), title: name }, h('bdi', {}, name))
          : h('span', { class: 'card-name clip', title: name }, name),
        info?.computer ? icon('chip') : null,
        connected === false ? h('span', { class: 'presence away', title: t('game.away') }, h('span', { class: 'visually-hidden' }, t('game.away'))) : null);
      fill(rating, table.ratingOf(seat),
        info?.player?.guest ? h('span', { class: 'guest' }, t('player.guest')) : null);
    }
    const frozen = look === 'roaming' || (look === 'out' && table.record.frozen[seat] !== undefined && table.isLive);
    const value = frozen && table.isLive ? table.record.result(seat) : moment.points[seat];
    setText(points, number(value));
    setText(unit, look === 'playing' && table.record.status !== 'over' ? t('game.points') : t('game.result'));
    setText(state, look === 'playing' ? '' : named('state', army));
    el.classList.toggle('no-clock', look !== 'playing');
    el.classList.toggle('has-turn', moment.turn === seat && table.record.status === 'running');
    el.classList.toggle('roaming', look === 'roaming');
    el.classList.toggle('out', look === 'out');
    el.classList.toggle('mine', table.mySeat === seat);
    tick();
  };
  return { el, update, tick };
}
