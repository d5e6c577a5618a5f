// A player: ratings by class, how they went, and every finished game.

import { armyBadge } from '../board/pieces.js';
import { fill, h } from '../dom/element.js';
import { date, named, signed, t } from '../i18n/index.js';
import { SEATS } from '../position/squares.js';
import { asyncPart } from '../shell/async-part.js';
import { ratingTag, seatName } from '../shell/player-name.js';
import { linkTo } from '../shell/router.js';
import * as api from '../transport/api.js';
import { CLASSES } from './leaderboard.js';
import { ratingChart } from './rating-chart.js';

/** @param {string} id */
export function playerPage(id) {
  const el = h('section', { class: 'page medium player-page' },
    asyncPart(() => Promise.all([api.player(id), api.playerRatings(id)]), ([answer, ratings]) => head(answer.player ?? answer, ratings)),
    h('section', { class: 'card', 'aria-labelledby': 'games-title' },
      h('h2', { id: 'games-title' }, t('player.games')),
      asyncPart(() => api.playerGames(id), (page) => gameList(page, id))));
  return { el, title: t('player.title') };
}

/** @param {any} player @param {any} ratings */
function head(player, ratings) {
  const byClass = ratingsByClass(ratings);
  const chart = h('div', { class: 'chart-place' });
  let chosen = CLASSES.reduce((best, name) => ((byClass[name]?.games ?? 0) > (byClass[best]?.games ?? 0) ? name : best), 'blitz');
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
      h('span', { class: 'rating-figure' }, ratingTag(byClass[name]?.rating, byClass[name]?.provisional) ?? '–'),
      h('span', { class: 'muted small' }, t('player.rated_games', { n: byClass[name]?.games ?? 0 })))));
    fill(chart, asyncPart(() => wholeHistory(player.id, chosen), (points) => ratingChart(points)));
  };
  draw();
  return h('div', {},
    h('header', { class: 'player-head' },
      h('h1', {}, h('bdi', {}, player.name)),
      player.guest ? h('span', { class: 'chip' }, t('player.guest')) : null,
      player.created_at ? h('p', { class: 'muted' }, t('player.since', { date: date(player.created_at) })) : null),
    h('section', { class: 'card', 'aria-label': t('rating.title') }, tiles, chart));
}

/** The ratings as `{ blitz: {...} }`, whether they come as a list or by class. @param {any} ratings @returns {Record<string, any>} */
function ratingsByClass(ratings) {
  const list = ratings.items ?? ratings.ratings ?? ratings;
  return Array.isArray(list) ? Object.fromEntries(list.map((entry) => [entry.class, entry])) : list;
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
  const list = h('ul', { class: 'plain-list' }, ...items.map((/** @type {any} */ game) => gameRow(game, id)));
  const more = h('div', { class: 'more' });
  const offerMore = (/** @type {string | null} */ cursor) => fill(more, cursor && h('button', {
    type: 'button',
    class: 'button quiet',
    onclick: async () => {
      const next = await api.playerGames(id, cursor);
      list.append(...next.items.map((/** @type {any} */ game) => gameRow(game, id)));
      offerMore(next.next_cursor);
    },
  }, t('common.more')));
  offerMore(first);
  return h('div', {}, list, more);
}

/** @param {any} game @param {string} id */
function gameRow(game, id) {
  const gameId = game.id ?? game.game_id;
  const standing = game.over?.standing ?? game.standing ?? [];
  const mine = SEATS.find((seat) => game.seats?.[seat]?.player?.id === id) ?? game.seat;
  const entry = standing.find((/** @type {any} */ each) => each.seat === mine);
  const place = entry?.place ?? game.place;
  const result = entry?.result ?? game.result;
  const before = entry?.rating_before ?? game.rating_before;
  const after = entry?.rating_after ?? game.rating_after;
  const change = typeof before === 'number' && typeof after === 'number' ? after - before : null;
  const when = game.ended_at ?? game.finished_at ?? game.at ?? game.created_at;
  const others = SEATS.filter((seat) => seat !== mine && game.seats?.[seat]).map((seat) => seatName(game.seats[seat])).join(', ');
  return h('li', {}, h('a', { class: 'row-link game-row', href: linkTo(`/game/${gameId}`) },
    mine ? armyBadge(mine) : null,
    h('span', { class: 'game-row-main' },
      h('span', {}, h('strong', { dir: 'ltr' }, game.time_control ?? ''), ' ', h('span', { class: 'muted' }, game.class ? named('class', game.class) : '')),
      h('span', { class: 'muted small clip' }, h('bdi', {}, others))),
    place ? h('span', { class: `chip place-${place}` }, t(`player.place_${place >= 1 && place <= 4 ? /** @type {1} */ (place) : 4}`)) : null,
    typeof result === 'number' ? h('span', { class: 'tabular' }, t('end.points', { n: result })) : null,
    change === null ? null : h('span', { class: change >= 0 ? 'change up tabular' : 'change down tabular' }, signed(change, 1)),
    when ? h('time', { class: 'muted small', datetime: when }, date(when)) : null));
}

