// The front page: from here one plays within a minute.

import { Board } from '../board/board.js';
import { h } from '../dom/element.js';
import { t } from '../i18n/index.js';
import { parseFen4, START } from '../position/fen4.js';
import { computerCard } from './lobby/computer-card.js';
import { findCard } from './lobby/find-card.js';
import { friendsCard } from './lobby/friends-card.js';
import { runningGames, yourGames } from './lobby/game-lists.js';

export function lobbyPage() {
  const find = findCard();
  const running = runningGames(6);
  const board = new Board({ label: t('lobby.board_label'), coordinates: false });
  board.setPosition(parseFen4(START).pieces);
  const el = h('div', { class: 'page lobby' },
    h('section', { class: 'lobby-hero' },
      h('div', { class: 'lobby-words' },
        h('h1', {}, t('lobby.title')),
        h('p', { class: 'lead' }, t('lobby.lead'))),
      h('div', { class: 'lobby-board' }, board.el)),
    h('div', { class: 'lobby-main' }, find.el, yourGames(),
      h('div', { class: 'lobby-pair' }, friendsCard(), computerCard()),
      h('section', { class: 'card', 'aria-labelledby': 'running-title' },
        h('h2', { id: 'running-title' }, t('watch.title')), running.el)));
  const close = () => {
    find.close();
    running.close();
  };
  return { el, title: t('nav.play'), close };
}
