// Signing in, keeping a guest's games under a name, signing out.

import { fill, h } from '../dom/element.js';
import { t } from '../i18n/index.js';
import { describeFailure, tellFailure } from '../shell/failures.js';
import { go, linkTo } from '../shell/router.js';
import { toast } from '../shell/say.js';
import * as api from '../transport/api.js';
import { identity } from '../transport/identity.js';

const SHORTEST_PASSWORD = 8;

export function accountPage() {
  const player = identity()?.player;
  const el = h('section', { class: 'page narrow account' }, h('h1', {}, t('account.title')));
  if (player) {
    el.append(h('div', { class: 'card' },
      h('p', {}, t('account.playing_as'), ' ', h('strong', {}, h('bdi', {}, player.name)), ' ', player.guest ? h('span', { class: 'chip' }, t('player.guest')) : null),
      h('div', { class: 'button-row' },
        h('a', { class: 'button quiet', href: linkTo(`/player/${player.id}`) }, t('account.profile')),
        h('button', { type: 'button', class: 'button quiet', onclick: leave }, t('account.sign_out')))));
  }
  if (!player || player.guest) {
    el.append(h('div', { class: 'account-forms' },
      credentials({
        title: player ? t('account.keep') : t('account.create'),
        text: player ? t('account.keep_text') : t('account.create_text'),
        button: t('account.create_button'),
        id: 'register',
        autocomplete: 'new-password',
        submit: api.register,
      }),
      credentials({
        title: t('account.sign_in'),
        text: t('account.sign_in_text'),
        button: t('account.sign_in'),
        id: 'sign-in',
        autocomplete: 'current-password',
        submit: api.signIn,
      })));
  }
  return { el, title: t('account.title') };
}

async function leave() {
  try {
    await api.signOut();
  } catch (failure) {
    tellFailure(failure);
  }
  go('/account');
}

/**
 * @param {{ title: string, text: string, button: string, id: string, autocomplete: string,
 *   submit: (name: string, password: string) => Promise<void> }} form
 */
function credentials({ title, text, button, id, autocomplete, submit }) {
  const problem = h('p', { class: 'problem', role: 'alert' });
  const name = h('input', { id: `${id}-name`, type: 'text', required: true, minlength: 3, maxlength: 20, pattern: '[A-Za-z0-9_\\-]+', title: t('name.placeholder'), autocomplete: 'username', spellcheck: 'false', dir: 'auto' });
  const password = h('input', { id: `${id}-password`, type: 'password', required: true, minlength: SHORTEST_PASSWORD, autocomplete });
  const send = async (/** @type {Event} */ event) => {
    event.preventDefault();
    fill(problem);
    try {
      await submit(name.value.trim(), password.value);
      toast(t('account.welcome', { name: name.value.trim() }));
      go('/');
    } catch (/** @type {any} */ failure) {
      fill(problem, failure.status === 401 ? t('account.wrong') : describeFailure(failure));
    }
  };
  return h('form', { class: 'card stack', onsubmit: send, id },
    h('h2', {}, title), h('p', { class: 'muted' }, text),
    h('div', { class: 'field' }, h('label', { for: `${id}-name` }, t('account.name')), name),
    h('div', { class: 'field' }, h('label', { for: `${id}-password` }, t('account.password')), password),
    problem, h('button', { class: 'button' }, button));
}
