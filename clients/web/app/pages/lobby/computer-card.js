// A game against three computer players.

import { h } from '../../dom/element.js';
import { named, t } from '../../i18n/index.js';
import { describeFailure } from '../../shell/failures.js';
import { icon } from '../../shell/icons.js';
import { go } from '../../shell/router.js';
import { setting } from '../../shell/settings.js';
import * as api from '../../transport/api.js';
import { wishedName } from './name-field.js';
import { timeControlSelect } from './time-controls.js';

const LEVELS = ['easy', 'medium', 'hard'];

export function computerCard() {
  const control = timeControlSelect('computer-time', setting('timeControl'));
  const level = h('select', { id: 'computer-level' }, ...LEVELS.map((name) =>
    h('option', { value: name, selected: name === 'medium' }, named('computer', name))));
  const problem = h('p', { class: 'problem', role: 'alert', hidden: true });
  const start = async (/** @type {Event} */ event) => {
    event.preventDefault();
    button.disabled = true;
    problem.hidden = true;
    try {
      await api.ensurePlayer(wishedName());
      const computer = { computer: level.value };
      const game = await api.createGame({
        time_control: control.value,
        seats: { red: { me: true }, blue: computer, yellow: computer, green: computer },
      });
      go(`/game/${game.id}`);
    } catch (/** @type {any} */ failure) {
      problem.hidden = false;
      problem.textContent = failure.code === 'NOT_AVAILABLE' ? t('computers.not_yet') : describeFailure(failure);
    } finally {
      button.disabled = false;
    }
  };
  const button = h('button', { class: 'button quiet' }, icon('chip'), t('computers.start'));
  return h('section', { class: 'card', 'aria-labelledby': 'computers-title' },
    h('h2', { id: 'computers-title' }, t('computers.title')),
    h('p', { class: 'muted' }, t('computers.text')),
    h('form', { class: 'stack', onsubmit: start },
      h('div', { class: 'field' }, h('label', { for: 'computer-time' }, t('game.time_control')), control),
      h('div', { class: 'field' }, h('label', { for: 'computer-level' }, t('computers.level')), level),
      button, problem));
}
