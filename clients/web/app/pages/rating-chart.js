// A rating over time: one line, three guides, the first and last day. No library.

import { h, svg } from '../dom/element.js';
import { date, isolated, number, t } from '../i18n/index.js';

const WIDEST = 640;
const NARROWEST = 200;
const HEIGHT = 200;
const EDGE = { left: 8, right: 48, top: 12, bottom: 24 };

/**
 * @param {any[]} items in either order
 * @param {number} place how wide it will be shown, so that its texts stay readable on a phone
 */
export function ratingChart(items, place) {
  const width = Math.max(NARROWEST, Math.min(WIDEST, place));
  const points = items
    .map((item) => ({ rating: Number(item.rating_after), at: Date.parse(item.at) }))
    .filter((point) => Number.isFinite(point.rating));
  if (points.length > 1 && points[0].at > points[points.length - 1].at) points.reverse();
  if (points.length === 0) return h('p', { class: 'muted empty' }, t('chart.none'));
  const ratings = points.map((point) => point.rating);
  const step = niceStep(Math.max(...ratings) - Math.min(...ratings));
  const low = Math.floor((Math.min(...ratings) - 1) / step) * step;
  const high = Math.ceil((Math.max(...ratings) + 1) / step) * step;
  const x = (/** @type {number} */ i) => EDGE.left + ((width - EDGE.left - EDGE.right) * (points.length === 1 ? 0.5 : i / (points.length - 1)));
  const y = (/** @type {number} */ rating) => EDGE.top + (HEIGHT - EDGE.top - EDGE.bottom) * (1 - (rating - low) / (high - low));
  const plain = (/** @type {number} */ rating) => number(Math.round(rating), { useGrouping: false });

  const chart = svg('svg', { viewBox: `0 0 ${width} ${HEIGHT}`, class: 'chart', role: 'img',
    'aria-label': t('chart.label', { n: points.length, first: plain(ratings[0]), last: plain(ratings[ratings.length - 1]) }) });
  for (let guide = low; guide <= high; guide += step) {
    chart.append(svg('path', { class: 'chart-guide', d: `M${EDGE.left} ${y(guide)}H${width - EDGE.right}` }),
      svg('text', { class: 'chart-text', x: width - EDGE.right + 6, y: y(guide) + 4 }, plain(guide)));
  }
  const line = points.map((point, i) => `${i ? 'L' : 'M'}${x(i).toFixed(1)} ${y(point.rating).toFixed(1)}`).join('');
  chart.append(
    svg('path', { class: 'chart-area', d: `${line}L${x(points.length - 1)} ${y(low)}L${x(0)} ${y(low)}z` }),
    svg('path', { class: 'chart-line', d: line }),
    svg('circle', { class: 'chart-end', cx: x(points.length - 1), cy: y(ratings[ratings.length - 1]), r: 4 }));
  const days = [points[0].at, points[points.length - 1].at];
  if (days.every(Number.isFinite)) {
    chart.append(svg('text', { class: 'chart-text', x: EDGE.left, y: HEIGHT - 6 }, isolated(date(days[0]))),
      svg('text', { class: 'chart-text', x: width - EDGE.right, y: HEIGHT - 6, 'text-anchor': 'end' }, isolated(date(days[1]))));
  }
  return h('div', { class: 'chart-box', dir: 'ltr' }, chart);
}

/** A round distance between guides for a range of ratings. @param {number} range */
function niceStep(range) {
  for (const step of [20, 50, 100, 200, 500]) if (range / step <= 3) return step;
  return 1000;
}
