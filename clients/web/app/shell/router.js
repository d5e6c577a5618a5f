// Pages by the hash, so that any of them can be opened, reloaded and shared without help from the server.

/** @typedef {{ el: HTMLElement, title: string, close?: () => void, wide?: boolean }} Page */
/** @typedef {(params: string[], query: URLSearchParams) => Page} PageMaker */

/** @type {{ pattern: RegExp, make: PageMaker }[]} */
const routes = [];
/** @type {PageMaker} */
let fallback = () => ({ el: document.createElement('div'), title: '' });
/** @type {Page | null} */
let page = null;
/** @type {(page: Page, path: string) => void} */
let show = () => {};

/** @param {string} path `/game/:` where `:` stands for one part @param {PageMaker} make */
export function route(path, make) {
  routes.push({ pattern: new RegExp(`^${path.replaceAll(':', '([^/]+)')}$`), make });
}

/** @param {PageMaker} make */
export function otherwise(make) {
  fallback = make;
}

/** @param {string} path @returns {string} for `href` */
export const linkTo = (path) => `#${path}`;

/** @param {string} path */
export function go(path) {
  if (location.hash === `#${path}`) refresh();
  else location.hash = path;
}

export const currentPath = () => location.hash.replace(/^#/, '').split('?')[0] || '/';

/** Makes the current page again, as after a change of language. */
export function refresh() {
  const [path, search = ''] = (location.hash.replace(/^#/, '') || '/').split('?');
  page?.close?.();
  const found = routes.map(({ pattern, make }) => ({ match: pattern.exec(path), make })).find(({ match }) => match);
  const params = decoded(found?.match?.slice(1) ?? []);
  const make = (params && found?.make) ?? fallback;
  page = make(params ?? [], new URLSearchParams(search));
  show(page, path);
}

/** @param {string[]} parts @returns {string[] | null} nothing if one of them is no text in percent signs: a link that was cut */
function decoded(parts) {
  try {
    return parts.map(decodeURIComponent);
  } catch {
    return null;
  }
}

/** @param {(page: Page, path: string) => void} display */
export function startRouter(display) {
  show = display;
  window.addEventListener('hashchange', refresh);
  refresh();
}
