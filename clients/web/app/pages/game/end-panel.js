// After the end: the standing, what it did to the ratings, and what can be done next.

import { armyBadge } from '../../board/pieces.js';
import { fill, h } from '../../dom/element.js';
import { number, t } from '../../i18n/index.js';
import { describeFailure, tellFailure } from '../../shell/failures.js';
import { icon } from '../../shell/icons.js';
import { ratingChange, seatName } from '../../shell/player-name.js';
import { go, linkTo } from '../../shell/router.js';
import * as api from '../../transport/api.js';
import { onMeEvent } from '../../transport/me-events.js';
import { overText } from './words.js';

/** @typedef {import('./table.js').GameTable} GameTable */
/** @typedef {import('../../game/record.js').Standing} Standing */

/** @param {GameTable} table */
export function endPanel(table) {
  const el = h('section', { class: 'card end', 'aria-label': t('end.title'), hidden: true });
  let shown = '';
  let asked = false;

  const askRematch = async () => {
    asked = true;
    draw();
    try {
      const next = await api.rematch(table.follower.id);
      go(`/game/${next.id}`);
    } catch (failure) {
      asked = false;
      tellFailure(failure);
      draw();
    }
  };
  const save = async (/** @type {'pgn4' | 'json'} */ format) => {
    try {
      const blob = await api.exportGame(table.follower.id, format);
      const link = h('a', { href: URL.createObjectURL(blob), download: `four-kingdoms-${table.follower.id}.${format}` });
      document.body.append(link);
      link.click();
      link.remove();
      setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
    } catch (failure) {
      tellFailure(describeFailure(failure));
    }
  };

  /** @param {Standing} entry */
  const rating = ({ seat, rating_before: before, rating_after: after }) => (typeof before === 'number' && typeof after === 'number'
    ? h('span', { class: 'standing-rating' }, table.ratingOf(seat), ' ', ratingChange(before, after)) : null);
  const draw = () => {
    const { record, follower } = table;
    const { standing } = table;
    fill(el,
      h('h2', {}, record.status === 'aborted' ? t('game.aborted') : t('end.title')),
      record.over ? h('p', { class: 'muted' }, overText(table)) : null,
      standing.length === 0 ? null : h('ol', { class: 'standing' }, ...standing.map((entry) => h('li', { class: entry.place === 1 ? 'winner' : null },
        h('span', { class: 'standing-place tabular' }, number(entry.place)), armyBadge(entry.seat),
        h('span', { class: 'clip', dir: 'auto' }, seatName(follower.state?.seats?.[entry.seat])),
        h('span', { class: 'standing-points' }, t('end.points', { n: entry.result })),
        rating(entry)))),
      h('div', { class: 'end-buttons' },
        table.mySeat && record.status === 'over' ? h('button', { type: 'button', class: 'button', disabled: asked, onclick: askRematch },
          asked ? t('end.rematch_asked') : follower.wantRematch.size ? t('end.rematch_join', { n: follower.wantRematch.size }) : t('end.rematch')) : null,
        h('a', { class: 'button quiet', href: linkTo('/') }, t('end.new_game')),
        h('button', { type: 'button', class: 'button quiet', onclick: () => save('pgn4') }, icon('download'), 'PGN4'),
        h('button', { type: 'button', class: 'button quiet', onclick: () => save('json') }, icon('download'), 'JSON')));
  };
  const update = () => {
    const { record, follower } = table;
    const ended = record.status === 'over' || record.status === 'aborted';
    el.hidden = !ended;
    const key = [record.status, record.v, follower.state?.v, JSON.stringify(follower.state?.over), follower.wantRematch.size].join();
    if (!ended || key === shown) return;
    shown = key;
    draw();
  };
  // The game's own socket has ended by now; the wish for a rematch comes with the player's events.
  const stop = onMeEvent((event) => {
    if (event.type !== 'rematch' || event.game_id !== table.follower.id) return;
    table.follower.wantRematch.add(event.seat);
    update();
  });
  return { el, update, close: stop };
}
