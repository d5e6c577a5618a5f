// Finding three opponents: choose a time control, then wait with the window and the time in view.

import { fill, h } from '../../dom/element.js';
import { onSeek, resumeSeek, seek, startSeek } from '../../game/seek.js';
import { named, number, t } from '../../i18n/index.js';
import { tellFailure } from '../../shell/failures.js';
import { icon } from '../../shell/icons.js';
import { change, setting } from '../../shell/settings.js';
import * as api from '../../transport/api.js';
import { identity, onIdentity } from '../../transport/identity.js';
import { nameField, wishedName } from './name-field.js';
import { seekPanel } from './seek-panel.js';
import { classOf, loadTimeControls, timeControlWords, USUAL } from './time-controls.js';

/** @typedef {import('./time-controls.js').TimeControl} TimeControl */

/** How long to wait before computers fill the table, when the player wants that. */
const FILL_AFTER_S = 20;
const REFRESH_MS = 10_000;

export function findCard() {
  /** @type {TimeControl[]} */
  let controls = USUAL.map((text) => ({ time_control: text, class: classOf(text), waiting: { rated: 0, casual: 0 } }));
  let busy = false;
  const name = nameField();
  const rated = h('input', {
    type: 'checkbox',
    checked: setting('rated'),
    onchange: () => {
      change('rated', rated.checked);
      drawGrid();
    },
  });
  /** @param {TimeControl} control */
  const waiting = (control) => (rated.checked ? control.waiting.rated : control.waiting.casual);
  const fillIn = h('input', { type: 'checkbox' });
  const grid = h('div', { class: 'time-grid' });
  const options = h('div', { class: 'find-options' },
    h('label', { class: 'switch' }, h('span', {}, t('find.rated')), rated),
    h('label', { class: 'switch' }, h('span', {}, t('find.fill')), fillIn));
  const body = h('div', { class: 'find-body' });
  const el = h('section', { class: 'card find-card', 'aria-labelledby': 'find-title' }, h('h2', { id: 'find-title' }, t('find.title')), body);

  /** @param {string} timeControl */
  const start = async (timeControl) => {
    if (busy) return;
    busy = true;
    change('timeControl', timeControl);
    try {
      await api.ensurePlayer(wishedName());
      await startSeek({ timeControl, rated: rated.checked, fillAfterS: fillIn.checked ? FILL_AFTER_S : undefined });
    } catch (failure) {
      tellFailure(failure);
    } finally {
      busy = false;
    }
  };
  const drawGrid = () => fill(grid, ...controls.map((control) => h('button', {
    type: 'button',
    class: control.time_control === setting('timeControl') ? 'time-tile last-used' : 'time-tile',
    'data-time-control': control.time_control,
    'aria-label': `${timeControlWords(control.time_control)}, ${named('class', control.class)}, ${t('find.waiting', { n: waiting(control) })}`,
    onclick: () => start(control.time_control),
  },
    h('span', { class: 'time-figures tabular', dir: 'ltr' }, control.time_control),
    h('span', { class: 'time-class' }, named('class', control.class)),
    h('span', { class: waiting(control) ? 'time-waiting some' : 'time-waiting' }, ...(waiting(control) ? [icon('people'), number(waiting(control))] : [])))));

  let panel = seekPanel();
  const draw = () => {
    const seeking = Boolean(seek());
    if (seeking && body.contains(panel.el)) return;
    panel.close();
    if (seeking) {
      panel = seekPanel();
      fill(body, panel.el);
    } else {
      fill(body, identity() ? null : name, grid, options);
    }
  };
  const update = async () => {
    try {
      controls = await loadTimeControls();
      const focused = document.activeElement instanceof HTMLElement ? document.activeElement.dataset.timeControl : undefined;
      drawGrid();
      if (focused) grid.querySelector(/** @type {'button'} */ (`[data-time-control="${focused}"]`))?.focus();
    } catch {
      // The usual list stays; the numbers come with the next try.
    }
  };
  drawGrid();
  draw();
  void update();
  void adoptTicket();
  const timer = setInterval(() => document.visibilityState === 'visible' && void update(), REFRESH_MS);
  const stops = [onSeek(draw), onIdentity(draw)];
  return {
    el,
    close() {
      clearInterval(timer);
      panel.close();
      for (const stop of stops) stop();
    },
  };
}

/** A search that a reload interrupted goes on. */
async function adoptTicket() {
  if (!identity() || seek()) return;
  try {
    const me = await api.me();
    if (me.ticket?.status === 'waiting') await resumeSeek(me.ticket.id);
  } catch {
    // Nothing to take up then.
  }
}
