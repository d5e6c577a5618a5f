// The name a guest would like; asked only while nobody is signed in, and kept for every way into a game.

import { h } from '../../dom/element.js';
import { t } from '../../i18n/index.js';

const NAME = /^[\p{L}\p{N}_-]{3,20}$/u;

let typed = '';
let count = 0;

/** @returns {string | undefined} nothing if what was typed is no name */
export const wishedName = () => (NAME.test(typed.trim()) ? typed.trim() : undefined);

export function nameField() {
  const id = `guest-name-${++count}`;
  const input = h('input', {
    id,
    type: 'text',
    maxlength: 20,
    autocomplete: 'nickname',
    spellcheck: 'false',
    dir: 'auto',
    value: typed,
    placeholder: t('name.placeholder'),
    oninput: () => {
      typed = input.value;
    },
  });
  return h('div', { class: 'field' }, h('label', { for: id }, t('name.label')), input);
}
