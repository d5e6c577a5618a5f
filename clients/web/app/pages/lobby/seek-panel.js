// What a player sees while opponents are looked for.

import { h, setText } from '../../dom/element.js';
import { onSeek, seek, stopSeek } from '../../game/seek.js';
import { named, number, t, waitText } from '../../i18n/index.js';
import { emblem } from '../../shell/icons.js';
import { tellFailure } from '../../shell/failures.js';
import { classOf } from './time-controls.js';

export function seekPanel() {
  const control = h('strong', { class: 'seek-control', dir: 'ltr' });
  const kind = h('span', { class: 'muted' });
  const waited = h('span', { class: 'tabular' });
  const range = h('span', { class: 'tabular' });
  const stop = h('button', { type: 'button', class: 'button quiet', onclick: () => stopSeek().catch(tellFailure) }, t('seek.cancel'));
  const el = h('div', { class: 'seek-panel' },
    h('div', { class: 'seek-mark' }, emblem()),
    h('p', { class: 'seek-title', role: 'status' }, t('seek.title')),
    h('p', { class: 'seek-what' }, control, kind),
    h('dl', { class: 'facts' },
      h('div', {}, h('dt', {}, t('seek.waited')), h('dd', {}, waited)),
      h('div', {}, h('dt', {}, t('seek.window')), h('dd', {}, range))),
    stop);
  const show = () => {
    const current = seek();
    if (!current) return;
    setText(control, current.timeControl);
    setText(kind, `${named('class', classOf(current.timeControl))} · ${t(current.rated ? 'game.rated' : 'game.unrated')}`);
    setText(waited, waitText(Date.now() - current.since));
    setText(range, current.id ? windowText(current.window) : '…');
  };
  show();
  const unsubscribe = onSeek(show);
  const timer = setInterval(show, 1000);
  return {
    el,
    close() {
      unsubscribe();
      clearInterval(timer);
    },
  };
}

/** @param {{ low: number | null, high: number | null } | null} window */
function windowText(window) {
  const plain = { useGrouping: false, maximumFractionDigits: 0 };
  if (!window || (window.low === null && window.high === null)) return t('seek.any');
  return `${window.low === null ? '' : number(window.low, plain)} – ${window.high === null ? '' : number(window.high, plain)}`;
}
