// Leafing through the game.

import { h, setText } from '../../dom/element.js';
import { number, t } from '../../i18n/index.js';
import { icon } from '../../shell/icons.js';

/** @param {import('./table.js').GameTable} table */
export function reviewBar(table) {
  const at = () => table.viewing ?? table.record.ply;
  const button = (/** @type {import('../../shell/icons.js').IconName} */ name, /** @type {string} */ label, /** @type {() => number | null} */ where) =>
    h('button', { type: 'button', class: 'icon-button', 'aria-label': label, title: label, onclick: () => table.view(where()) }, icon(name));
  const first = button('first', t('review.first'), () => 0);
  const back = button('back', t('review.back'), () => at() - 1);
  const forward = button('forward', t('review.forward'), () => at() + 1);
  const latest = button('latest', t('review.latest'), () => null);
  const where = h('span', { class: 'review-where tabular' });
  const el = h('div', { class: 'review', role: 'group', 'aria-label': t('review.label'), dir: 'ltr' }, first, back, where, forward, latest);
  const update = () => {
    const ply = at();
    setText(where, `${number(ply)} / ${number(table.record.ply)}`);
    first.disabled = back.disabled = ply === 0;
    forward.disabled = latest.disabled = table.isLive;
    el.classList.toggle('past', !table.isLive);
  };
  return { el, update };
}
