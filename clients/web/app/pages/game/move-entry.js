// Moves typed as text.

import { h } from '../../dom/element.js';
import { t } from '../../i18n/index.js';
import { readMove } from '../../position/move-text.js';

/** @param {import('./table.js').GameTable} table */
export function moveEntry(table) {
  const problem = h('p', { class: 'problem', role: 'alert', id: 'move-problem' });
  const input = h('input', {
    id: 'move-entry',
    type: 'text',
    dir: 'ltr',
    autocomplete: 'off',
    autocapitalize: 'off',
    spellcheck: 'false',
    placeholder: 'h2-h4',
    'aria-describedby': 'move-problem',
    oninput: () => {
      problem.textContent = '';
    },
  });
  const submit = async (/** @type {Event} */ event) => {
    event.preventDefault();
    const move = readMove(input.value);
    if (!move) problem.textContent = t('entry.unreadable');
    else if (!table.player.isMyTurn) problem.textContent = t('error.NOT_YOUR_TURN');
    else {
      input.value = '';
      table.view(null);
      if (!(await table.player.send(move))) input.value = move;
    }
  };
  const el = h('form', { class: 'entry', onsubmit: submit },
    h('label', { for: 'move-entry' }, t('entry.label')),
    h('div', { class: 'entry-row' }, input, h('button', { class: 'button quiet' }, t('entry.play'))), problem);
  const update = () => {
    el.hidden = !table.player.canPlay;
  };
  return { el, update };
}
