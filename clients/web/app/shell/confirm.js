// A question that must be answered before something final happens.

import { h } from '../dom/element.js';
import { t } from '../i18n/index.js';

/**
 * @param {{ title: string, text: string, yes: string, danger?: boolean }} question
 * @returns {Promise<boolean>}
 */
export function confirmed({ title, text, yes, danger = false }) {
  return new Promise((resolve) => {
    const dialog = h('dialog', { class: 'dialog', 'aria-labelledby': 'dialog-title', 'aria-describedby': 'dialog-text' },
      h('form', { method: 'dialog' },
        h('h2', { id: 'dialog-title' }, title),
        h('p', { id: 'dialog-text' }, text),
        h('div', { class: 'dialog-buttons' },
          h('button', { value: 'no', class: 'button quiet' }, t('common.cancel')),
          h('button', { value: 'yes', class: danger ? 'button danger' : 'button' }, yes))));
    dialog.addEventListener('close', () => {
      resolve(dialog.returnValue === 'yes');
      dialog.remove();
    });
    document.body.append(dialog);
    dialog.showModal();
  });
}
