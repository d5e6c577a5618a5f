// Language, colours, sound and motion, in a box that opens from the header.

import { h } from '../dom/element.js';
import { currentLanguage, LANGUAGES, t } from '../i18n/index.js';
import { icon } from './icons.js';
import { change, setting } from './settings.js';

/** @typedef {import('./settings.js').Settings} Settings */

/** @param {{ languageChanged: () => void }} owner */
export function settingsMenu({ languageChanged }) {
  const language = h('select', {
    id: 'set-language',
    onchange: () => {
      change('language', language.value);
      languageChanged();
    },
  }, ...Object.entries(LANGUAGES).map(([code, name]) =>
    h('option', { value: code, lang: code, selected: code === currentLanguage() }, name)));

  const theme = h('select', {
    id: 'set-theme',
    onchange: () => change('theme', /** @type {Settings['theme']} */ (theme.value)),
  }, .../** @type {const} */ (['auto', 'light', 'dark']).map((name) =>
    h('option', { value: name, selected: name === setting('theme') }, t(`settings.theme_${name}`))));

  const menu = h('details', { class: 'menu' },
    h('summary', { class: 'icon-button', 'aria-label': t('settings.title'), title: t('settings.title') }, icon('globe')),
    h('div', { class: 'menu-box' },
      h('label', { for: 'set-language' }, t('settings.language')), language,
      h('label', { for: 'set-theme' }, t('settings.theme')), theme,
      toggle('sound', t('settings.sound')),
      toggle('motion', t('settings.motion'))));
  menu.addEventListener('keydown', (event) => {
    if (event.key !== 'Escape') return;
    menu.open = false;
    menu.querySelector('summary')?.focus();
  });
  document.addEventListener('pointerdown', (event) => {
    if (menu.open && !menu.contains(/** @type {Node} */ (event.target))) menu.open = false;
  });
  return menu;
}

/** @param {'sound' | 'motion'} name @param {string} label */
function toggle(name, label) {
  const box = h('input', { type: 'checkbox', checked: setting(name), onchange: () => change(name, box.checked) });
  return h('label', { class: 'switch' }, h('span', {}, label), box);
}
