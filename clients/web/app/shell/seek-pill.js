// While a search runs, every page shows it and can stop it.

import { h, setText } from '../dom/element.js';
import { onSeek, seek, stopSeek } from '../game/seek.js';
import { t, waitText } from '../i18n/index.js';
import { tellFailure } from './failures.js';
import { icon } from './icons.js';
import { linkTo } from './router.js';

/** @type {(() => void) | null} */
let forgetLast = null;

export function seekPill() {
  forgetLast?.();
  const control = h('span', { class: 'pill-control', dir: 'ltr' });
  const waited = h('span', { class: 'tabular' });
  const stop = h('button', {
    type: 'button',
    class: 'icon-button small',
    'aria-label': t('seek.cancel'),
    onclick: () => stopSeek().catch(tellFailure),
  }, icon('close'));
  const el = h('div', { class: 'seek-pill', hidden: true }, h('a', { href: linkTo('/') }, icon('clock'), control, waited), stop);
  const show = () => {
    const current = seek();
    el.hidden = !current;
    if (!current) return;
    setText(control, current.timeControl);
    setText(waited, waitText(Date.now() - current.since));
  };
  const unsubscribe = onSeek(show);
  const timer = setInterval(show, 1000);
  forgetLast = () => {
    unsubscribe();
    clearInterval(timer);
  };
  show();
  return el;
}
