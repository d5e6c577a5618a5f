// Telling the user: live regions for those who listen, toasts for everybody.

import { h } from '../dom/element.js';

const TOAST_MS = 6000;

/** @param {string} text read out when the reader is idle */
export function say(text) {
  const region = document.getElementById('live-polite');
  if (!region || !text) return;
  region.append(h('p', {}, text));
  while (region.childElementCount > 8) region.firstElementChild?.remove();
}

/** @param {string} text read out at once */
export function alertNow(text) {
  const region = document.getElementById('live-assertive');
  if (!region) return;
  region.textContent = '';
  region.textContent = text;
}

/**
 * @param {string} text
 * @param {{ kind?: 'info' | 'problem', action?: { label: string, run: () => void } }} [options]
 */
export function toast(text, { kind = 'info', action } = {}) {
  const box = document.getElementById('toasts');
  if (!box) return;
  const close = () => item.remove();
  const item = h('div', { class: `toast ${kind}` }, h('span', {}, text));
  if (action) {
    const run = () => {
      close();
      action.run();
    };
    item.append(h('button', { type: 'button', class: 'toast-action', onclick: run }, action.label));
  }
  box.append(item);
  while (box.childElementCount > 3) box.firstElementChild?.remove();
  setTimeout(close, TOAST_MS);
}
