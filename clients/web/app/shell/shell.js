// What surrounds every page: header, navigation, settings.

import { h, fill, setText } from '../dom/element.js';
import { loadLanguage, t } from '../i18n/index.js';
import { identity, onIdentity } from '../transport/identity.js';
import { emblem, icon } from './icons.js';
import { linkTo, refresh } from './router.js';
import { seekPill } from './seek-pill.js';
import { settingsMenu } from './settings-menu.js';

/** @typedef {import('./router.js').Page} Page */

const APP = 'Four Kingdoms';

/** @type {readonly { path: string, key: import('../i18n/index.js').TextKey, icon: import('./icons.js').IconName }[]} */
const PLACES = [
  { path: '/', key: 'nav.play', icon: 'people' },
  { path: '/watch', key: 'nav.watch', icon: 'eye' },
  { path: '/leaderboard', key: 'nav.leaderboard', icon: 'trophy' },
  { path: '/rules', key: 'nav.rules', icon: 'book' },
];

/**
 * @param {HTMLElement} root
 * @returns {{ show: (page: Page, path: string) => void }}
 */
export function buildShell(root) {
  const main = h('main', { id: 'main', tabindex: '-1' });
  const nav = h('nav', { class: 'places' });
  const skip = h('a', { class: 'skip', href: '#main' });
  const account = h('a', { class: 'account-link', href: linkTo('/account') });
  const settings = h('div', { class: 'settings-place' });
  const pill = h('div', { class: 'pill-place' });
  const header = h('header', { class: 'top' },
    h('a', { class: 'brand', href: linkTo('/'), 'aria-label': APP }, emblem(), h('span', { class: 'brand-name' }, APP)),
    nav, pill, h('div', { class: 'top-end' }, account, settings));
  skip.addEventListener('click', (event) => {
    event.preventDefault();
    main.focus();
  });
  fill(root, skip, header, main);

  let path = '/';
  const dress = () => {
    setText(skip, t('nav.skip'));
    nav.setAttribute('aria-label', t('nav.label'));
    fill(nav, ...PLACES.map((place) => h('a', {
      href: linkTo(place.path),
      class: 'place',
      'aria-current': isAt(place.path, path) ? 'page' : null,
    }, icon(place.icon), h('span', {}, t(place.key)))));
    const player = identity()?.player;
    fill(account, icon('person'), h('span', { class: 'account-name' }, player?.name ?? t('nav.sign_in')));
    account.setAttribute('aria-label', player ? t('nav.account', { name: player.name }) : t('nav.sign_in'));
  };
  const relabel = () => {
    fill(settings, settingsMenu({ languageChanged }));
    fill(pill, seekPill());
    dress();
  };
  const languageChanged = async () => {
    await loadLanguage();
    relabel();
    refresh();
  };
  onIdentity(dress);
  relabel();

  return {
    show(page, newPath) {
      const moved = newPath !== path;
      path = newPath;
      dress();
      document.body.dataset.page = newPath.split('/')[1] || 'lobby';
      document.title = page.title ? `${page.title} · ${APP}` : APP;
      fill(main, page.el);
      if (!moved) return;
      window.scrollTo(0, 0);
      main.focus({ preventScroll: true });
    },
  };
}

/** @param {string} place @param {string} path */
function isAt(place, path) {
  return place === '/' ? path === '/' : path === place || path.startsWith(`${place}/`);
}
