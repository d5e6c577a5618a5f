// What a player or a watcher can do besides moving.

import { h } from '../../dom/element.js';
import { t } from '../../i18n/index.js';
import { confirmed } from '../../shell/confirm.js';
import { failureText } from '../../shell/failures.js';
import { icon } from '../../shell/icons.js';
import { toast } from '../../shell/say.js';
import { change, onSettings, setting } from '../../shell/settings.js';

/** @param {import('./table.js').GameTable} table */
export function actionBar(table) {
  const resign = h('button', { type: 'button', class: 'button quiet', id: 'resign', onclick: askToResign }, icon('flag'), t('actions.resign'));
  const turn = h('button', { type: 'button', class: 'icon-button', 'aria-label': t('actions.turn_board'), title: t('actions.turn_board'), onclick: () => table.turnBoard() }, icon('turn'));
  const sound = h('button', {
    type: 'button',
    class: 'icon-button',
    title: t('settings.sound'),
    'aria-label': t('settings.sound'),
    onclick: () => change('sound', !setting('sound')),
  });
  const el = h('div', { class: 'actions' }, resign, h('span', { class: 'spread' }), turn, sound);

  async function askToResign() {
    const sure = await confirmed({ title: t('resign.title'), text: t('resign.text'), yes: t('actions.resign'), danger: true });
    if (!sure) return;
    const answer = await table.follower.resign();
    if (!answer.ok && answer.code !== 'ABORTED') toast(failureText(answer.code), { kind: 'problem' });
  }

  const update = () => {
    resign.hidden = !table.player.canPlay;
    const on = setting('sound');
    if (sound.getAttribute('aria-pressed') === String(on)) return;
    sound.setAttribute('aria-pressed', String(on));
    sound.replaceChildren(icon(on ? 'sound' : 'mute'));
  };
  // The menu in the header changes it too.
  const stop = onSettings(update);
  return { el, update, close: stop };
}
