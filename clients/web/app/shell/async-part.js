// A part of a page that shows something fetched: a sign of waiting, the thing, or what went wrong and a way to try again.

import { h, fill } from '../dom/element.js';
import { t } from '../i18n/index.js';
import { ApiError } from '../transport/request.js';
import { describeFailure } from './failures.js';
import { linkTo } from './router.js';

/** Answers that stay the same however often one asks: what was asked for is no id, or is nowhere. */
const LASTING = [400, 404, 422];

/**
 * @template T
 * @param {() => Promise<T>} load
 * @param {(value: T) => Node} draw
 * @returns {HTMLElement}
 */
export function asyncPart(load, draw) {
  const el = h('div', { class: 'async', 'aria-busy': 'true' });
  const run = async () => {
    fill(el, h('p', { class: 'loading' }, t('common.loading')));
    try {
      const value = await load();
      fill(el, draw(value));
    } catch (failure) {
      fill(el, h('div', { class: 'failed' },
        h('p', {}, describeFailure(failure)),
        failure instanceof ApiError && LASTING.includes(failure.status)
          ? h('a', { class: 'button quiet', href: linkTo('/') }, t('not_found.home'))
          : h('button', { type: 'button', class: 'button quiet', onclick: run }, t('common.retry'))));
    }
    el.removeAttribute('aria-busy');
  };
  void run();
  return el;
}
