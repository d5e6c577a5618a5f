// A rating over time: one line, three guides, the first and last day. No library.

import { h, svg } from '../dom/element.js';
import { date, isolated, number, t } from '../i18n/index.js';

const WIDEST = 640;
const NARROWEST = 200;
const HEIGHT = 200;
const EDGE = { left: 8, right: 48, top: 12, bottom: 24 };

/**
 * @param {any[]} items newest first, as the API lists them
 * @param {number} place how wide it will be shown, so that its texts stay readable on a phone
 */
export function ratingChart(items, place) {
  const width = Math.max(NARROWEST, Math.min(WIDEST, place));
  if (items.length === 0) return h('p', { class: 'muted empty' }, t('chart.none'));
  const games = [...items].reverse();
  const ratings = [games[0].rating_before, ...games.map((game) => game.rating_after)];
  const step = niceStep(Math.max(...ratings) - Math.min(...ratings));
  const low = Math.floor((Math.min(...ratings) - 1) / step) * step;
  const high = Math.ceil((Math.max(...ratings) + 1) / step) * step;
  const x = (/** @type {number} */ i) => EDGE.left + ((width - EDGE.left - EDGE.right) * i) / games.length;
  const y = (/** @type {number} */ rating) => EDGE.top + (HEIGHT - EDGE.top - EDGE.bottom) * (1 - (rating - low) / (high - low));
  const plain = (/** @type {number} */ rating) => number(Math.round(rating), { useGrouping: false });

  const chart = svg('svg', { viewBox: `0 0 ${width} ${HEIGHT}`, class: 'chart', role: 'img',
    'aria-label': t('chart.label', { n: games.length, first: plain(ratings[0]), last: plain(ratings[games.length]) }) });
  for (let guide = low; guide <= high; guide += step) {
    chart.append(svg('path', { class: 'chart-guide', d: `M${EDGE.left} ${y(guide)}H${width - EDGE.right}` }),
      svg('text', { class: 'chart-text', x: width - EDGE.right + 6, y: y(guide) + 4 }, plain(guide)));
  }
  const line = ratings.map((rating, i) => `${i ? 'L' : 'M'}${x(i).toFixed(1)} ${y(rating).toFixed(1)}`).join('');
  chart.append(
    svg('path', { class: 'chart-area', d: `${line}L${x(games.length)} ${y(low)}L${x(0)} ${y(low)}z` }),
    svg('path', { class: 'chart-line', d: line }),
    svg('circle', { class: 'chart-end', cx: x(games.length), cy: y(ratings[games.length]), r: 4 }));
  const [first, last] = [games[0], games[games.length - 1]].map((game) => date(game.at));
  chart.append(svg('text', { class: 'chart-text', x: width - EDGE.right, y: HEIGHT - 6, 'text-anchor': 'end' }, isolated(last)));
  if (first !== last) chart.append(svg('text', { class: 'chart-text', x: EDGE.left, y: HEIGHT - 6 }, isolated(first)));
  return h('div', { class: 'chart-box', dir: 'ltr' }, chart);
}

/** A round distance between guides for a range of ratings. @param {number} range */
function niceStep(range) {
  for (const step of [20, 50, 100, 200, 500]) if (range / step <= 3) return step;
  return 1000;
}
