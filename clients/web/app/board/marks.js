// Marks on squares: the last move, checks, the picked square, where it may go, a premove, the keyboard's place.

import { svg } from '../dom/element.js';

/**
 * @typedef {object} Marks
 * @property {readonly number[]} [last] from and to of the last move
 * @property {readonly number[]} [checks] squares of kings in check
 * @property {number | null} [picked]
 * @property {readonly number[]} [targets]
 * @property {readonly number[]} [premove] from and to
 * @property {number | null} [cursor] the square the keyboard is on
 * @property {readonly number[]} [line] squares of a promotion line, for pictures
 * @property {readonly number[]} [danger] squares under attack, for pictures
 * @property {readonly (readonly [number, number])[]} [arrows] for pictures
 * @property {readonly (readonly [number, string])[]} [notes] a few letters on a square, for pictures
 */
/** @typedef {(square: number) => { x: number, y: number }} Place */

/**
 * @param {Marks} marks
 * @param {Place} place
 * @param {(square: number) => boolean} occupied
 * @returns {{ under: SVGElement[], over: SVGElement[] }}
 */
export function markShapes(marks, place, occupied) {
  /** @type {SVGElement[]} */
  const under = [];
  /** @type {SVGElement[]} */
  const over = [];
  const tile = (/** @type {number} */ square, /** @type {string} */ kind) => {
    const { x, y } = place(square);
    under.push(svg('rect', { x, y, width: 1, height: 1, class: `mark ${kind}` }));
  };
  for (const square of marks.line ?? []) tile(square, 'line');
  for (const square of marks.danger ?? []) tile(square, 'danger');
  for (const square of marks.last ?? []) tile(square, 'last');
  for (const square of marks.premove ?? []) tile(square, 'premove');
  if (typeof marks.picked === 'number') tile(marks.picked, 'picked');
  for (const square of marks.checks ?? []) {
    const { x, y } = place(square);
    under.push(
      svg('rect', { x, y, width: 1, height: 1, class: 'mark check' }),
      svg('rect', { x: x + 0.05, y: y + 0.05, width: 0.9, height: 0.9, rx: 0.12, class: 'mark check-ring' }),
    );
  }
  for (const square of marks.targets ?? []) {
    const { x, y } = place(square);
    if (occupied(square)) over.push(svg('circle', { cx: x + 0.5, cy: y + 0.5, r: 0.45, class: 'mark target-ring' }));
    else under.push(svg('circle', { cx: x + 0.5, cy: y + 0.5, r: 0.15, class: 'mark target' }));
  }
  for (const [from, to] of marks.arrows ?? []) under.push(arrow(place(from), place(to), occupied(to) ? 0.4 : 0.05));
  for (const [square, text] of marks.notes ?? []) over.push(note(place(square), text));
  if (typeof marks.cursor === 'number') {
    const { x, y } = place(marks.cursor);
    over.push(svg('rect', { x: x + 0.04, y: y + 0.04, width: 0.92, height: 0.92, rx: 0.1, class: 'mark cursor' }));
  }
  return { under, over };
}

/** @param {{ x: number, y: number }} at @param {string} text */
function note({ x, y }, text) {
  return svg('g', { class: 'mark note' },
    svg('rect', { x: x + 0.46, y: y - 0.2, width: 0.66, height: 0.5, rx: 0.25 }),
    svg('text', { x: x + 0.79, y: y + 0.17, 'text-anchor': 'middle' }, text));
}

/** @param {{ x: number, y: number }} a @param {{ x: number, y: number }} b @param {number} gap from the middle of b */
function arrow(a, b, gap) {
  const length = Math.hypot(b.x - a.x, b.y - a.y) || 1;
  const ux = (b.x - a.x) / length;
  const uy = (b.y - a.y) / length;
  const [x1, y1] = [a.x + 0.5 + ux * 0.3, a.y + 0.5 + uy * 0.3];
  const [x2, y2] = [b.x + 0.5 - ux * (gap + 0.32), b.y + 0.5 - uy * (gap + 0.32)];
  const [tx, ty] = [b.x + 0.5 - ux * gap, b.y + 0.5 - uy * gap];
  return svg('path', {
    class: 'mark arrow',
    d: `M${x1} ${y1}L${x2} ${y2}M${x2 - uy * 0.22} ${y2 + ux * 0.22}L${tx} ${ty}L${x2 + uy * 0.22} ${y2 - ux * 0.22}z`,
  });
}
