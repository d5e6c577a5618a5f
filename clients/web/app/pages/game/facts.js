// What kind of game this is, and a link to it.

import { fill, h } from '../../dom/element.js';
import { named, t } from '../../i18n/index.js';
import { copyButton } from '../../shell/copy-button.js';

/** @param {import('./table.js').GameTable} table */
export function gameFacts(table) {
  const el = h('section', { class: 'card game-facts', 'aria-label': t('game.title') });
  let shown = '';
  const update = () => {
    const state = table.follower.state;
    const key = `${state?.id}${state?.visibility}`;
    if (!state || key === shown) return;
    shown = key;
    fill(el,
      h('p', { class: 'facts-line' },
        h('strong', { dir: 'ltr' }, state.time_control), ' ',
        h('span', { class: 'chip' }, named('class', state.class)),
        h('span', { class: 'chip' }, t(state.rated ? 'game.rated' : 'game.unrated')),
        state.visibility === 'private' ? h('span', { class: 'chip' }, t('game.private')) : null),
      copyButton(() => location.href, t('game.copy_link')));
  };
  return { el, update };
}
