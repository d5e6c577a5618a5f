// The published time controls, fetched once.

import { h } from '../../dom/element.js';
import { named, t } from '../../i18n/index.js';
import * as api from '../../transport/api.js';

/** @typedef {{ time_control: string, class: string, waiting: { rated: number, casual: number } }} TimeControl */

/** Shown until the list has come, and in place of it. */
export const USUAL = ['1+0', '1+7d', '3+2', '5+5', '10+5', '15+15d'];

/** @returns {Promise<TimeControl[]>} */
export async function loadTimeControls() {
  return (await api.timeControls()).items;
}

/** The class by the published formula. @param {string} text */
export function classOf(text) {
  const [minutes, seconds] = text.replace('d', '').split('+').map(Number);
  const estimate = minutes * 60 + 40 * seconds;
  return estimate < 180 ? 'bullet' : estimate < 600 ? 'blitz' : 'rapid';
}

/** In words, for those who do not know the short form. @param {string} text */
export function timeControlWords(text) {
  const [minutes, seconds] = text.replace('d', '').split('+').map(Number);
  const base = t('time.minutes', { n: minutes });
  if (!seconds) return base;
  return `${base}, ${t(text.endsWith('d') ? 'time.delay' : 'time.increment', { n: seconds })}`;
}

/** A choice among the published ones. @param {string} id @param {string} chosen */
export function timeControlSelect(id, chosen) {
  return h('select', { id }, ...USUAL.map((text) =>
    h('option', { value: text, selected: text === chosen }, `${text} · ${named('class', classOf(text))}`)));
}
