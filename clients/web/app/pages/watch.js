import { h } from '../dom/element.js';
import { t } from '../i18n/index.js';
import { runningGames } from './lobby/game-lists.js';

export function watchPage() {
  const running = runningGames(12);
  return {
    close: running.close,
    title: t('nav.watch'),
    el: h('section', { class: 'page' }, h('h1', {}, t('watch.title')), h('p', { class: 'lead' }, t('watch.text')), running.el),
  };
}
