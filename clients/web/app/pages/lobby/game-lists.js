// Games to watch, and the player's own running ones.

import { armyBadge } from '../../board/pieces.js';
import { Board } from '../../board/board.js';
import { fill, h } from '../../dom/element.js';
import { lookOf } from '../../game/record.js';
import { list, named, number, t } from '../../i18n/index.js';
import { parseFen4 } from '../../position/fen4.js';
import { SEATS } from '../../position/squares.js';
import { asyncPart } from '../../shell/async-part.js';
import { seatName } from '../../shell/player-name.js';
import { linkTo } from '../../shell/router.js';
import * as api from '../../transport/api.js';
import { identity } from '../../transport/identity.js';

const REFRESH_MS = 15_000;

/**
 * Public running games; looked up again now and then while nobody is choosing among them.
 * @param {number} limit
 * @returns {{ el: HTMLElement, close: () => void }}
 */
export function runningGames(limit) {
  const load = () => api.games({ status: 'running', limit });
  const tiles = h('ul', { class: 'game-tiles' });
  const more = h('div', { class: 'more' });
  const none = h('p', { class: 'muted empty' }, t('watch.none'));
  let isFirstPage = true;

  /** @param {{ items: any[], next_cursor: string | null }} page */
  const show = ({ items, next_cursor: next }) => {
    tiles.append(...items.map(gameTile));
    none.hidden = tiles.childElementCount > 0;
    fill(more, next && h('button', {
      type: 'button',
      class: 'button quiet',
      onclick: async () => {
        isFirstPage = false;
        show(await api.games({ status: 'running', limit, cursor: next }));
      },
    }, t('common.more')));
  };
  const el = asyncPart(load, (page) => {
    show(page);
    return h('div', {}, none, tiles, more);
  });
  const timer = setInterval(async () => {
    if (document.visibilityState !== 'visible' || !isFirstPage || el.matches(':hover, :focus-within')) return;
    const page = await load().catch(() => null);
    if (!page) return;
    fill(tiles);
    show(page);
  }, REFRESH_MS);
  return { el, close: () => clearInterval(timer) };
}

/** @param {any} game */
function gameTile(game) {
  return h('li', {}, h('a', { class: 'game-tile', href: linkTo(`/game/${game.id}`) },
    game.fen4 ? miniBoard(game) : null,
    h('span', { class: 'game-tile-words' },
      h('span', { class: 'game-tile-head' },
        h('strong', { dir: 'ltr' }, game.time_control),
        h('span', { class: 'muted' }, named('class', game.class ?? ''))),
      ...SEATS.filter((seat) => game.seats?.[seat]).map((seat) => h('span', { class: 'game-tile-seat' },
        armyBadge(seat),
        h('span', { class: 'clip', dir: 'auto' }, seatName(game.seats[seat])),
        h('span', { class: 'tabular muted' }, number(game.seats[seat].points ?? 0)))))));
}

/** @param {any} game */
function miniBoard(game) {
  const board = new Board({ label: t('watch.board'), coordinates: false });
  try {
    const looks = Object.fromEntries(SEATS.map((seat) => [seat, lookOf(game.seats?.[seat]?.army ?? 'playing')]));
    board.setPosition(parseFen4(game.fen4).pieces, /** @type {any} */ (looks), { still: true });
  } catch {
    return null;
  }
  return board.el;
}

/** Running games of whoever is signed in; nothing if there are none. */
export function yourGames() {
  const el = h('div', { class: 'your-games' });
  if (identity()) void load();
  return el;

  async function load() {
    try {
      const me = await api.me();
      const games = [...me.games, ...me.waiting_games];
      if (!games.length) return;
      fill(el, h('section', { class: 'card', 'aria-labelledby': 'yours-title' },
        h('h2', { id: 'yours-title' }, t('lobby.your_games')),
        h('ul', { class: 'plain-list' }, ...games.map((/** @type {any} */ game) => {
          const mine = Boolean(game.turn) && game.seats[game.turn].player?.id === me.player.id;
          const others = SEATS.filter((seat) => game.seats[seat].player && game.seats[seat].player.id !== me.player.id);
          return h('li', {}, h('a', { class: 'row-link', href: linkTo(`/game/${game.id}`) },
            h('strong', { dir: 'ltr' }, game.time_control),
            h('span', { class: 'muted small clip spread' }, list(others.map((seat) => seatName(game.seats[seat])))),
            h('span', { class: mine ? 'chip accent' : 'chip' }, mine ? t('game.your_turn') : t('notice.open'))));
        }))));
    } catch {
      // The lobby is useful without it.
    }
  }
}
