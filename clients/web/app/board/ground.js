// The squares and the coordinates on them.

import { svg } from '../dom/element.js';
import { fileOf, fromView, nameOf, rankOf, SIZE, toView } from '../position/squares.js';

/** @typedef {import('../position/squares.js').Seat} Seat */

/**
 * @param {readonly number[]} squares
 * @param {Seat} bottom
 * @returns {SVGElement[]}
 */
export function squareTiles(squares, bottom) {
  const outline = 'M3.1 0H10.9A.1.1 0 0 1 11 .1V3H13.9A.1.1 0 0 1 14 3.1V10.9A.1.1 0 0 1 13.9 11H11V13.9A.1.1 0 0 1 10.9 14H3.1A.1.1 0 0 1 3 13.9V11H.1A.1.1 0 0 1 0 10.9V3.1A.1.1 0 0 1 .1 3H3V.1A.1.1 0 0 1 3.1 0z';
  let dark = '';
  for (const square of squares) {
    if ((fileOf(square) + rankOf(square)) % 2 !== 0) continue;
    const { x, y } = toView(square, bottom);
    dark += `M${x} ${y}h1v1h-1z`;
  }
  return [
    svg('path', { class: 'light-squares', d: outline }),
    svg('path', { class: 'dark-squares', d: dark }),
    svg('path', { class: 'board-edge', d: outline }),
  ];
}

/**
 * A file or rank name on the outermost square of each line, at the bottom and at the left as seen.
 * @param {Seat} bottom
 * @returns {SVGElement[]}
 */
export function coordinateLabels(bottom) {
  const sideways = bottom === 'blue' || bottom === 'green';
  const labels = [];
  for (let i = 0; i < SIZE; i++) {
    const inArm = i >= 3 && i <= 10;
    const low = fromView(i, inArm ? SIZE - 1 : 10, bottom);
    const left = fromView(inArm ? 0 : 3, i, bottom);
    if (low !== null) labels.push(label(low, bottom, sideways ? 'rank' : 'file', 'low'));
    if (left !== null) labels.push(label(left, bottom, sideways ? 'file' : 'rank', 'left'));
  }
  return labels;
}

/**
 * @param {number} square
 * @param {Seat} bottom
 * @param {'file' | 'rank'} what
 * @param {'low' | 'left'} where
 */
function label(square, bottom, what, where) {
  const { x, y } = toView(square, bottom);
  const name = nameOf(square);
  const text = what === 'file' ? name[0] : name.slice(1);
  const onDark = (fileOf(square) + rankOf(square)) % 2 === 0;
  return svg('text', {
    class: onDark ? 'coordinate on-dark' : 'coordinate',
    x: where === 'low' ? x + 0.95 : x + 0.05,
    y: where === 'low' ? y + 0.94 : y + 0.24,
    'text-anchor': where === 'low' ? 'end' : 'start',
  }, text);
}
