// A player: ratings by class, how they went, and every finished game.

import { armyBadge } from '../board/pieces.js';
import { fill, h } from '../dom/element.js';
import { date, list, named, t } from '../i18n/index.js';
import { SEATS } from '../position/squares.js';
import { asyncPart } from '../shell/async-part.js';
import { ratingChange, ratingTag, seatName } from '../shell/player-name.js';
import { linkTo } from '../shell/router.js';
import * as api from '../transport/api.js';
import { CLASSES } from './leaderboard.js';
import { ratingChart } from './rating-chart.js';

/** @param {string} id */
export function playerPage(id) {
  const el = h('section', { class: 'page medium' },
    asyncPart(() => Promise.all([api.player(id), api.playerRatings(id)]), ([player, ratings]) => h('div', { class: 'player-page' },
      head(player, ratings),
      h('section', { class: 'card', 'aria-labelledby': 'games-title' },
        h('h2', { id: 'games-title' }, t('player.games')),
        asyncPart(() => api.playerGames(id), (page) => gameList(page, id))))));
  return { el, title: t('player.title') };
}

/** @param {any} player @param {any} ratings */
function head(player, ratings) {
  const chart = h('div', { class: 'chart-place' });
  let chosen = CLASSES.reduce((best, name) => ((ratings[name].games) > (ratings[best].games) ? name : best), 'blitz');
  const tiles = h('div', { class: 'rating-tiles', role: 'group', 'aria-label': t('rating.classes') });
  const draw = () => {
    fill(tiles, ...CLASSES.map((name) => h('button', {
      type: 'button',
      class: 'rating-tile',
      'aria-pressed': String(name === chosen),
      onclick: () => {
        chosen = name;
        draw();
      },
    },
      h('span', { class: 'muted' }, named('class', name)),
      h('span', { class: 'rating-figure' }, ratingTag(ratings[name].rating, ratings[name].provisional)),
      h('span', { class: 'muted small' }, t('player.rated_games', { n: ratings[name].games })))));
    fill(chart, asyncPart(() => wholeHistory(player.id, chosen), (points) => ratingChart(points, chart.clientWidth)));
  };
  draw();
  return h('div', {},
    h('header', { class: 'player-head' },
      h('h1', {}, h('bdi', {}, player.name)),
      player.guest ? h('span', { class: 'chip' }, t('player.guest')) : null,
      h('p', { class: 'muted' }, t('player.since', { date: date(player.joined_at) }))),
    h('section', { class: 'card', 'aria-label': t('rating.title') }, tiles, chart));
}

/** Enough pages for a picture. */
const CHART_PAGES = 5;

/** @param {string} id @param {string} timeClass */
async function wholeHistory(id, timeClass) {
  const points = [];
  let cursor = null;
  for (let page = 0; page < CHART_PAGES; page++) {
    const answer = await api.ratingHistory(id, timeClass, cursor);
    points.push(...answer.items);
    cursor = answer.next_cursor;
    if (!cursor) break;
  }
  return points;
}

/** @param {any} page @param {string} id */
function gameList({ items, next_cursor: first }, id) {
  if (!items.length) return h('p', { class: 'muted empty' }, t('player.no_games'));
  const rows = h('ul', { class: 'plain-list' }, ...items.map((/** @type {any} */ game) => gameRow(game, id)));
  const more = h('div', { class: 'more' });
  const offerMore = (/** @type {string | null} */ cursor) => fill(more, cursor && h('button', {
    type: 'button',
    class: 'button quiet',
    onclick: async () => {
      const next = await api.playerGames(id, cursor);
      rows.append(...next.items.map((/** @type {any} */ game) => gameRow(game, id)));
      offerMore(next.next_cursor);
    },
  }, t('common.more')));
  offerMore(first);
  return h('div', {}, rows, more);
}

/** @param {any} game @param {string} id */
function gameRow(game, id) {
  const mine = SEATS.find((seat) => game.seats[seat].player?.id === id);
  const entry = game.over?.standing.find((/** @type {any} */ each) => each.seat === mine);
  const others = SEATS.filter((seat) => seat !== mine && (game.seats[seat].player || game.seats[seat].computer)).map((seat) => seatName(game.seats[seat]));
  return h('li', {}, h('a', { class: 'row-link game-row', href: linkTo(`/game/${game.id}`) },
    mine ? armyBadge(mine) : null,
    h('span', { class: 'game-row-main' },
      h('span', {}, h('strong', { dir: 'ltr' }, game.time_control), ' ', h('span', { class: 'muted' }, named('class', game.class),
        game.ended_at ? h('time', { class: 'small', datetime: game.ended_at }, ` · ${date(game.ended_at)}`) : null)),
      h('span', { class: 'muted small clip' }, list(others))),
    entry ? h('span', { class: `chip place-${entry.place}` }, t(`player.place_${/** @type {1 | 2 | 3 | 4} */ (entry.place)}`)) : null,
    entry ? h('span', { class: 'tabular' }, t('end.points', { n: entry.result })) : null,
    game.status === 'running' ? h('span', { class: 'chip accent' }, t('game.running')) : null,
    game.status === 'aborted' ? h('span', { class: 'chip' }, t('game.aborted_short')) : null,
    typeof entry?.rating_after === 'number' ? ratingChange(entry.rating_before, entry.rating_after) : null));
}
