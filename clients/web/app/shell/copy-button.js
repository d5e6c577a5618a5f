// A button that copies a text and says that it did.

import { fill, h } from '../dom/element.js';
import { t } from '../i18n/index.js';
import { icon } from './icons.js';
import { say } from './say.js';

const SHOWN_MS = 2000;

/** @param {() => string} text @param {string} label */
export function copyButton(text, label) {
  const button = h('button', { type: 'button', class: 'button quiet copy', onclick: copy }, icon('copy'), label);
  async function copy() {
    if (!(await put(text()))) return;
    fill(button, icon('check'), t('common.copied'));
    say(t('common.copied'));
    setTimeout(() => fill(button, icon('copy'), label), SHOWN_MS);
  }
  return button;
}

/** @param {string} text */
async function put(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    // Outside secure pages there is only the old way.
    const field = h('textarea', { class: 'visually-hidden', readonly: true });
    field.value = text;
    document.body.append(field);
    field.select();
    const done = document.execCommand('copy');
    field.remove();
    return done;
  }
}
