import { h } from '../dom/element.js';
import { t } from '../i18n/index.js';
import { emblem } from '../shell/icons.js';
import { linkTo } from '../shell/router.js';

export function notFoundPage() {
  return {
    title: t('not_found.title'),
    el: h('section', { class: 'page narrow centred' },
      emblem(),
      h('h1', {}, t('not_found.title')),
      h('p', { class: 'muted' }, t('not_found.text')),
      h('a', { class: 'button', href: linkTo('/') }, t('not_found.home'))),
  };
}
