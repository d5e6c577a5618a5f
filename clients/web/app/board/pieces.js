// The pieces, drawn for this project in a box of 100 by 100. Each is one outline (the union of simple shapes, so that the
// stroke shows only around it) and a few inner lines. An emblem per army tells armies apart without colour.

import { svg } from '../dom/element.js';

/** @typedef {import('../position/fen4.js').Role} Role */
/** @typedef {import('../position/squares.js').Seat} Seat */

const BASE = 'M27 77h46a6 6 0 0 1 6 6v4a4 4 0 0 1-4 4H25a4 4 0 0 1-4-4v-4a6 6 0 0 1 6-6z';

/** @type {Readonly<Record<Role, { body: string, lines: string }>>} */
const SHAPES = {
  pawn: {
    body: 'M35.5 34a14.5 14.5 0 1 0 29 0a14.5 14.5 0 1 0-29 0z'
      + 'M37 46h26a3.5 3.5 0 0 1 0 7H37a3.5 3.5 0 0 1 0-7z'
      + 'M42 50h16c1 11 5 19 13 28H29c8-9 12-17 13-28z' + BASE,
    lines: 'M40 53.500h20M30 79h40',
  },
  knight: {
    body: 'M33 79C32 63 40 57 49 48C44 51 38 51 33 53C30 54 29 58 25 58C20 58 16 53 17 48C18 44 22 41 24 37C27 31 29 24 36 19'
      + 'L36 9C36 7 38 6 40 8L48 15C66 16 77 32 77 54C77 64 75 72 73 79z' + BASE,
    lines: 'M30 79h43M49 48c5-3 8-8 8-15M58 22c9 6 13 18 12 32',
  },
  bishop: {
    body: 'M44 14a6 6 0 1 0 12 0a6 6 0 1 0-12 0z'
      + 'M50 17C61 26 68 36 68 46C68 55 61 60 50 60S32 55 32 46C32 36 39 26 50 17z'
      + 'M36 58h28a3.5 3.5 0 0 1 0 7H36a3.5 3.5 0 0 1 0-7z'
      + 'M41 62h18c1 6 5 11 11 16H30c6-5 10-10 11-16z' + BASE,
    lines: 'M57 29L47 42M38 65.500h24M30 79h40',
  },
  rook: {
    body: 'M26 20a2 2 0 0 1 2-2h8a2 2 0 0 1 2 2v6h7v-6a2 2 0 0 1 2-2h6a2 2 0 0 1 2 2v6h7v-6a2 2 0 0 1 2-2h8a2 2 0 0 1 2 2v16'
      + 'a5 5 0 0 1-5 5H31a5 5 0 0 1-5-5z'
      + 'M34 38h32l5 41H29z' + BASE,
    lines: 'M32 41h36M30 79h40',
  },
  queen: {
    body: 'M13.5 31a5.5 5.5 0 1 0 11 0a5.5 5.5 0 1 0-11 0zM31 20a5.5 5.5 0 1 0 11 0a5.5 5.5 0 1 0-11 0z'
      + 'M58 20a5.5 5.5 0 1 0 11 0a5.5 5.5 0 1 0-11 0zM75.5 31a5.5 5.5 0 1 0 11 0a5.5 5.5 0 1 0-11 0z'
      + 'M17 32L32 46L36.5 21L50 44L63.5 21L68 46L83 32L75 66H25z'
      + 'M27 63h46l2 16H25z' + BASE,
    lines: 'M26 64h48M28 79h44',
  },
  king: {
    body: 'M46 6h8a1.5 1.5 0 0 1 1.5 1.500V13H61a1.5 1.5 0 0 1 1.5 1.500v5A1.5 1.5 0 0 1 61 21h-5.500v9h-11v-9H39a1.5 1.5 0 0 1-1.5-1.500v-5'
      + 'A1.5 1.5 0 0 1 39 13h5.500V7.500A1.5 1.5 0 0 1 46 6z'
      + 'M50 36C54 26 66 24 75 29C84 34 85 44 80 52C76 58 74 61 73 66H27C26 61 24 58 20 52C15 44 16 34 25 29C34 24 46 26 50 36z'
      + 'M27 63h46l2 16H25z' + BASE,
    lines: 'M26 64h48M28 79h44M50 37v17',
  },
};

/** Filled marks in a box from -10 to 10, put on the foot of every piece. @type {Readonly<Record<Seat, string>>} */
const EMBLEMS = {
  red: 'M-8 0a8 8 0 1 0 16 0a8 8 0 1 0-16 0z',
  blue: 'M-7-7h14v14h-14z',
  yellow: 'M0-9L9.5 7.500h-19z',
  green: 'M0-10L10 0L0 10L-10 0z',
};

const NS_PREFIX = 'fk-piece-';

/** Put once into a page; every board refers to it. @returns {SVGSVGElement} */
export function pieceSprite() {
  const sprite = svg('svg', { width: '0', height: '0', 'aria-hidden': 'true', class: 'sprite' });
  for (const [role, shape] of Object.entries(SHAPES)) {
    const symbol = svg('symbol', { id: NS_PREFIX + role, viewBox: '0 0 100 100', overflow: 'visible' });
    symbol.append(
      svg('path', { d: shape.body, class: 'piece-body' }),
      svg('path', { d: shape.lines, class: 'piece-lines' }),
    );
    if (role === 'knight') symbol.append(svg('circle', { cx: 40, cy: 32, r: 3.2, class: 'piece-eye' }));
    sprite.append(symbol);
  }
  return sprite;
}

/**
 * A piece of one square's size (1 by 1 in board units).
 * @param {Seat} seat
 * @param {Role} role
 * @param {boolean} promoted
 */
export function pieceGraphic(seat, role, promoted) {
  const group = svg('g', { class: `piece ${seat}` });
  group.append(
    svg('use', { href: `#${NS_PREFIX}${role}`, x: 0.03, y: 0.03, width: 0.94, height: 0.94 }),
    svg('path', { d: EMBLEMS[seat], class: 'piece-emblem', transform: 'translate(.5 .675) scale(.0088)' }),
  );
  if (promoted) {
    group.append(
      svg('circle', { cx: 0.8, cy: 0.8, r: 0.19, class: 'promoted-disc' }),
      svg('path', { d: 'M0-9L2.6-3L9-2.8L4 1.3L5.6 7.500L0 4L-5.6 7.500L-4 1.3L-9-2.8L-2.6-3z', class: 'promoted-star', transform: 'translate(.8 .8) scale(.0145)' }),
    );
  }
  return group;
}

/**
 * A small picture of a piece for lists.
 * @param {Seat} seat
 * @param {Role} role
 * @param {boolean} [promoted]
 */
export function pieceIcon(seat, role, promoted = false) {
  const icon = svg('svg', { viewBox: '0 0 1 1', class: 'piece-icon', 'aria-hidden': 'true', focusable: 'false' });
  icon.append(pieceGraphic(seat, role, promoted));
  return icon;
}

/** An army's colour and emblem. @param {Seat} seat */
export function armyBadge(seat) {
  const badge = svg('svg', { viewBox: '-16 -16 32 32', class: `army-badge ${seat}`, 'aria-hidden': 'true', focusable: 'false' });
  badge.append(
    svg('rect', { x: -15, y: -15, width: 30, height: 30, rx: 9, class: 'army-badge-back' }),
    svg('path', { d: EMBLEMS[seat], class: 'piece-emblem' }),
  );
  return badge;
}
