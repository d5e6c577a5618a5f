// The moves by rounds, four to a row, with the points they brought; what else happened stands between them.

import { fill, h } from '../../dom/element.js';
import { named, number, signed, t } from '../../i18n/index.js';
import { SEATS } from '../../position/squares.js';
import { armyBadge } from '../../board/pieces.js';
import { noteText } from './words.js';

/** @typedef {import('./table.js').GameTable} GameTable */
/** @typedef {import('../../game/record.js').Moment} Moment */

/** @param {GameTable} table */
export function moveList(table) {
  const body = h('div', { class: 'moves-body' });
  const head = h('div', { class: 'moves-head', 'aria-hidden': 'true' }, h('span', {}),
    ...SEATS.map((seat) => h('span', { class: 'moves-seat' }, armyBadge(seat), h('span', { class: 'moves-seat-name' }, named('army', seat)))));
  const el = h('section', { class: 'moves', 'aria-label': t('moves.title'), tabindex: '0' }, head, body);
  body.addEventListener('click', (event) => {
    const button = /** @type {Element} */ (event.target).closest('button');
    if (button) table.view(Number(button.dataset.ply));
  });

  /** @type {symbol | null} */
  let branch = null;
  /** @type {(HTMLButtonElement | null)[]} */
  let buttons = [];
  /** @type {HTMLElement | null} */
  let row = null;
  let rounds = 0;
  let lastSeat = -1;
  let notesShown = 0;
  let current = -1;
  let height = 0;

  const restart = () => {
    branch = table.record.branch;
    buttons = [null];
    row = null;
    rounds = 0;
    lastSeat = -1;
    notesShown = 0;
    current = -1;
    fill(body, h('p', { class: 'muted empty' }, t('moves.none')));
  };

  const clearEmpty = () => body.querySelector(':scope > .empty')?.remove();

  /** @param {Moment} moment */
  const add = (moment) => {
    const played = moment.played;
    if (!played) return;
    clearEmpty();
    const index = SEATS.indexOf(played.seat);
    if (!row || index <= lastSeat) {
      row = h('div', { class: 'moves-row' }, h('span', { class: 'moves-number tabular' }, number(++rounds)));
      body.append(row);
    }
    lastSeat = index;
    const button = h('button', {
      type: 'button',
      class: `move ${played.seat}${played.byRoaming ? ' roaming' : ''}`,
      'data-ply': moment.ply,
      dir: 'ltr',
      'aria-label': t('moves.entry', { seat: named('army', played.seat), move: played.san }),
    }, h('span', { class: 'move-text' }, ...played.san.split(/(?=x)/).flatMap((part, i) => (i ? [h('wbr'), part] : [part]))), h('span', { class: 'gain tabular' }));
    button.style.gridColumn = String(index + 2);
    row.append(button);
    buttons.push(button);
  };

  /** The notes and the gain of the latest moment grow after its move is shown. */
  const finishEntry = (/** @type {Moment} */ moment) => {
    const gain = buttons[moment.ply]?.querySelector('.gain');
    if (gain && moment.played?.gained) gain.textContent = signed(moment.played.gained);
    for (; notesShown < moment.notes.length; notesShown++) {
      clearEmpty();
      body.append(h('p', { class: 'moves-note' }, noteText(moment.notes[notesShown])));
      row = null;
    }
  };

  const update = () => {
    const { moments } = table.record;
    if (branch !== table.record.branch) restart();
    const before = body.childElementCount;
    let at = buttons.length - 1;
    finishEntry(moments[at]);
    while (buttons.length < moments.length) {
      at = buttons.length;
      notesShown = 0;
      rowAfterNote(moments[at]);
      add(moments[at]);
      finishEntry(moments[at]);
    }
    const looking = table.viewing ?? table.record.ply;
    if (looking === current && body.childElementCount === before && el.clientHeight === height) return;
    buttons[current]?.removeAttribute('aria-current');
    buttons[looking]?.setAttribute('aria-current', 'true');
    current = looking;
    height = el.clientHeight;
    if (table.isLive) el.scrollTop = el.scrollHeight;
    else scrollTo(buttons[looking]);
  };

  /** A note in mid-round interrupts the row; the round goes on below it under the same number. */
  const rowAfterNote = (/** @type {Moment} */ moment) => {
    const index = moment.played ? SEATS.indexOf(moment.played.seat) : 0;
    if (row || lastSeat < 0 || index <= lastSeat) return;
    row = h('div', { class: 'moves-row' }, h('span', { class: 'moves-number' }));
    body.append(row);
  };

  const scrollTo = (/** @type {HTMLElement | null | undefined} */ button) => {
    if (!button) {
      el.scrollTop = 0;
      return;
    }
    const top = button.offsetTop;
    if (top < el.scrollTop + 40 || top > el.scrollTop + el.clientHeight - 40) el.scrollTop = top - el.clientHeight / 2;
  };
  return { el, update };
}
