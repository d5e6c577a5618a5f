import { fill, h } from '../dom/element.js';
import { named, number, t } from '../i18n/index.js';
import { asyncPart } from '../shell/async-part.js';
import { playerLink, ratingTag } from '../shell/player-name.js';
import { linkTo } from '../shell/router.js';
import * as api from '../transport/api.js';
import { notFoundPage } from './not-found.js';

export const CLASSES = ['bullet', 'blitz', 'rapid'];

/** Whether those with few games are listed too; kept while leafing through the classes. */
let provisional = true;

/** @param {string} timeClass */
export function leaderboardPage(timeClass) {
  if (!CLASSES.includes(timeClass)) return notFoundPage();
  const place = h('div', {});
  const show = () => fill(place, asyncPart(() => api.leaderboard(timeClass, { provisional }), (page) => table(page, timeClass)));
  const box = h('input', {
    type: 'checkbox',
    checked: provisional,
    onchange: () => {
      provisional = box.checked;
      show();
    },
  });
  show();
  return {
    title: t('nav.leaderboard'),
    el: h('section', { class: 'page medium' },
      h('h1', {}, t('nav.leaderboard')),
      h('div', { class: 'list-head' },
        h('nav', { class: 'tabs', 'aria-label': t('rating.classes') }, ...CLASSES.map((name) => h('a', {
          href: linkTo(`/leaderboard/${name}`),
          'aria-current': name === timeClass ? 'page' : null,
        }, named('class', name)))),
        h('label', { class: 'switch' }, h('span', {}, t('leaderboard.provisional')), box)),
      place),
  };
}

/** @param {any} page @param {string} timeClass */
function table({ items, next_cursor: first }, timeClass) {
  if (!items.length) return h('p', { class: 'muted empty' }, t('leaderboard.empty'));
  const row = (/** @type {any} */ entry) => h('tr', {},
      h('td', { class: 'tabular' }, number(entry.rank)),
      h('td', { class: 'name-cell' }, h('span', { class: 'name-line' }, playerLink(entry.player),
        entry.player.guest ? h('span', { class: 'guest muted small' }, t('player.guest')) : null)),
      h('td', { class: 'end-cell' }, ratingTag(entry.rating, entry.provisional)),
      h('td', { class: 'tabular end-cell' }, number(entry.games)));
  const body = h('tbody', {}, ...items.map(row));
  const more = h('div', { class: 'more' });
  const offerMore = (/** @type {string | null} */ cursor) => fill(more, cursor && h('button', {
    type: 'button',
    class: 'button quiet',
    onclick: async () => {
      const next = await api.leaderboard(timeClass, { provisional, cursor });
      body.append(...next.items.map(row));
      offerMore(next.next_cursor);
    },
  }, t('common.more')));
  offerMore(first);
  return h('div', { class: 'card flush' }, h('table', { class: 'data' },
    h('thead', {}, h('tr', {},
      h('th', { scope: 'col' }, t('leaderboard.place')), h('th', { scope: 'col' }, t('leaderboard.player')),
      h('th', { scope: 'col', class: 'end-cell' }, t('rating.title')), h('th', { scope: 'col', class: 'end-cell' }, t('leaderboard.games')))), body), more);
}
