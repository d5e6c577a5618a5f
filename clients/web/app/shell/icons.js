// Line icons in a box of 24 by 24.

import { svg } from '../dom/element.js';

const PATHS = {
  menu: 'M4 7h16M4 12h16M4 17h16',
  close: 'M6 6l12 12M18 6L6 18',
  sound: 'M4 9.5v5h3.5L12 18V6L7.5 9.5zM15.5 9a4.2 4.2 0 0 1 0 6M18 6.5a8 8 0 0 1 0 11',
  mute: 'M4 9.5v5h3.5L12 18V6L7.5 9.5zM16 9.5l5 5M21 9.5l-5 5',
  flag: 'M6 21V4M6 4.5c5-2.5 7 2.5 12 0v9c-5 2.5-7-2.5-12 0',
  first: 'M17 6l-7 6 7 6M7 6v12',
  back: 'M15 6l-7 6 7 6',
  forward: 'M9 6l7 6-7 6',
  latest: 'M7 6l7 6-7 6M17 6v12',
  copy: 'M9 9h10v11H9zM5 15V4h10',
  check: 'M5 12.5l5 5L19.5 7',
  clock: 'M12 3.5a8.5 8.5 0 1 0 .01 0zM12 7.5V12l3 2',
  person: 'M12 4a4 4 0 1 0 .01 0zM4.5 20c.8-4 3.6-6 7.5-6s6.7 2 7.5 6',
  people: 'M9 5a3.5 3.5 0 1 0 .01 0zM2.5 19c.6-3.5 3-5.3 6.5-5.3s5.9 1.8 6.5 5.3M15.5 5.3a3.3 3.3 0 0 1 0 6.4M17.5 14.2c2.2.6 3.6 2.2 4 4.8',
  chip: 'M7 7h10v10H7zM10 3v4M14 3v4M10 17v4M14 17v4M3 10h4M3 14h4M17 10h4M17 14h4',
  turn: 'M5 12a7 7 0 0 1 12-5l2 2M19 4v5h-5M19 12a7 7 0 0 1-12 5l-2-2M5 20v-5h5',
  download: 'M12 4v11M7 11l5 5 5-5M5 20h14',
  eye: 'M2.5 12C5 7.5 8.2 5.5 12 5.5s7 2 9.5 6.5c-2.5 4.5-5.7 6.5-9.5 6.5S5 16.5 2.5 12zM12 9a3 3 0 1 0 .01 0z',
  trophy: 'M8 4h8v5a4 4 0 0 1-8 0zM8 5.5H4.5c0 3 1.3 4.5 3.8 4.5M16 5.5h3.5c0 3-1.3 4.5-3.8 4.5M12 13v4M8 20h8M9.5 17h5v3h-5z',
  book: 'M4 5.5c3-1 5.5-.7 8 1 2.5-1.7 5-2 8-1V19c-3-1-5.5-.7-8 1-2.5-1.7-5-2-8-1zM12 6.5V20',
  globe: 'M12 3.5a8.5 8.5 0 1 0 .01 0zM3.5 12h17M12 3.5c5 5.5 5 11.5 0 17M12 3.5c-5 5.5-5 11.5 0 17',
  share: 'M12 15V4M8 7.5L12 3.5l4 4M5 12v8h14v-8',
};

/** @typedef {keyof typeof PATHS} IconName */

/** @param {IconName} name */
export function icon(name) {
  return svg('svg', { viewBox: '0 0 24 24', class: `icon icon-${name}`, 'aria-hidden': 'true', focusable: 'false' },
    svg('path', { d: PATHS[name] }));
}

/** The four arms of the board in the colours of the armies. */
export function emblem() {
  return svg('svg', { viewBox: '0 0 48 48', class: 'emblem', 'aria-hidden': 'true', focusable: 'false' },
    svg('path', { d: 'M16 0h16v14H16z', class: 'fill-yellow' }),
    svg('path', { d: 'M34 16h14v16H34z', class: 'fill-blue' }),
    svg('path', { d: 'M16 34h16v14H16z', class: 'fill-red' }),
    svg('path', { d: 'M0 16h14v16H0z', class: 'fill-green' }),
    svg('path', { d: 'M16 16h16v16H16z', class: 'fill-centre' }));
}
