// The name a guest would like; asked only while nobody is signed in, and kept for every way into a game.

import { h } from '../../dom/element.js';
import { t } from '../../i18n/index.js';

const NAME = /^[A-Za-z0-9_-]{3,20}$/;

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
    'aria-describedby': `${id}-problem`,
    oninput: () => {
      typed = input.value;
      problem.textContent = '';
    },
    onchange: () => {
      problem.textContent = typed.trim() && !wishedName() ? t('name.invalid') : '';
    },
  });
  const problem = h('p', { class: 'problem', role: 'alert', id: `${id}-problem` });
  return h('div', { class: 'field' }, h('label', { for: id }, t('name.label')), input, problem);
}
