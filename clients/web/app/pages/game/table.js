// The table of a game that has begun: board, cards, lists, and what the player does with them. Drawing happens once a frame
// however many events came.

import { Board } from '../../board/board.js';
import { Hand } from '../../board/hand.js';
import { h } from '../../dom/element.js';
import { lookOf } from '../../game/record.js';
import { t } from '../../i18n/index.js';
import { kings } from '../../position/fen4.js';
import { SEATS } from '../../position/squares.js';
import { ratingTag } from '../../shell/player-name.js';
import { say } from '../../shell/say.js';
import { actionBar } from './actions.js';
import { Announcer } from './announcer.js';
import { cornerCards } from './cards.js';
import { endPanel } from './end-panel.js';
import { gameFacts } from './facts.js';
import { measureNextPaint } from './measure.js';
import { moveEntry } from './move-entry.js';
import { moveList } from './move-list.js';
import { Player } from './player.js';
import { positionWords, squareWords } from './position-words.js';
import { reviewBar } from './review-bar.js';
import { scoreboard } from './scoreboard.js';
import { statusLine } from './status-line.js';

/** @typedef {import('../../game/follow.js').GameFollower} GameFollower */
/** @typedef {import('../../position/squares.js').Seat} Seat */
/** @typedef {import('../../game/record.js').Standing} Standing */
/** @typedef {{ el: HTMLElement, update: () => void, close?: () => void }} Part */

export class GameTable {
  /** @param {GameFollower} follower */
  constructor(follower) {
    this.follower = follower;
    /** The ply that is looked at; null follows the game. @type {number | null} */
    this.viewing = null;
    /** Set by who turned the board by hand. @type {Seat | null} */
    this.turnedTo = null;
    this.frame = 0;
    this.still = true;
    this.board = new Board({ label: t('board.label') });
    this.player = new Player(this);
    this.hand = new Hand(this.board, {
      canPick: (square) => this.player.canPick(square),
      targets: (square) => this.player.targets(square),
      propose: (from, to, dragged) => this.player.propose(from, to, dragged),
      cancel: () => this.player.dropPremove(),
      describe: (square) => squareWords(square, this.board.pieces, this.board.looks),
      say,
      changed: () => this.drawMarks(),
    });
    this.announcer = new Announcer(this);
    const cards = cornerCards(this);
    const status = statusLine(this);
    const moves = moveList(this);
    const review = reviewBar(this);
    const actions = actionBar(this);
    const end = endPanel(this);
    const score = scoreboard(this);
    const facts = gameFacts(this);
    const entry = moveEntry(this);
    const words = positionWords(this);
    /** @type {Part[]} */
    this.parts = [cards, status, end, review, entry, actions, score, facts, words, moves];
    this.boardBox = h('div', { class: 'board-box', dir: 'ltr' }, this.board.el, ...cards.corners);
    this.el = h('div', { class: 'table' },
      h('h1', { class: 'visually-hidden' }, t('game.title')),
      h('div', { class: 'table-board' }, this.boardBox),
      h('div', { class: 'table-side' }, status.el, end.el, review.el, moves.el, entry.el, actions.el),
      h('div', { class: 'table-more' }, score.el, facts.el, words.el));
    this.onKey = (/** @type {KeyboardEvent} */ event) => this.key(event);
    document.addEventListener('keydown', this.onKey);
    this.draw();
  }

  get record() {
    return this.follower.record;
  }

  get mySeat() {
    return this.follower.mySeat;
  }

  /** Seats that have an army in this game. @returns {Seat[]} */
  get seats() {
    const seats = this.follower.state?.seats;
    return SEATS.filter((seat) => !seats || seats[seat]);
  }

  /** Places after the end. The state's know the ratings; the record's are there at once. @returns {Standing[]} */
  get standing() {
    const fromState = this.follower.state?.over?.standing;
    const standing = fromState?.length ? fromState : this.record.over?.standing ?? [];
    return [...standing].filter((entry) => this.seats.includes(entry.seat)).sort((a, b) => a.place - b.place);
  }

  /** A player's rating, after a rated game the new one. @param {Seat} seat */
  ratingOf(seat) {
    const player = this.follower.state?.seats?.[seat]?.player;
    return player ? ratingTag(this.standing.find((entry) => entry.seat === seat)?.rating_after ?? player.rating, player.provisional) : null;
  }

  /** The seat at the bottom of the board. @returns {Seat} */
  get bottom() {
    return this.turnedTo ?? this.mySeat ?? 'red';
  }

  /** The moment on the board. */
  get moment() {
    const { moments } = this.record;
    return moments[Math.min(this.viewing ?? moments.length - 1, moments.length - 1)];
  }

  get isLive() {
    return this.viewing === null;
  }

  /** @param {Record<string, any>} event @param {boolean} isNew */
  event(event, isNew) {
    if (isNew && event.type === 'move') measureNextPaint();
    if (!isNew) this.still = true;
    this.player.eventHappened();
    this.announcer.event(event, isNew);
  }

  changed() {
    this.frame ||= requestAnimationFrame(() => this.draw());
  }

  /** @param {number | null} ply null for the present */
  view(ply) {
    const last = this.record.ply;
    this.viewing = ply === null || ply >= last ? null : Math.max(0, ply);
    this.hand.release();
    this.changed();
  }

  turnBoard() {
    this.turnedTo = SEATS[(SEATS.indexOf(this.bottom) + 1) % 4];
    this.changed();
  }

  draw() {
    cancelAnimationFrame(this.frame);
    this.frame = 0;
    const moment = this.moment;
    if (!moment) return;
    this.player.settle();
    this.board.setOrientation(this.bottom);
    const looks = Object.fromEntries(SEATS.map((seat) => [seat, lookOf(moment.armies[seat])]));
    const pieces = this.isLive ? this.player.piecesToShow(moment.pieces) : moment.pieces;
    this.board.setPosition(pieces, /** @type {any} */ (looks), { still: this.still });
    this.board.el.classList.toggle('mine', this.isLive && this.player.canPlay);
    if (this.hand.picked !== null && !this.player.canPick(this.hand.picked)) this.hand.release();
    this.makeReachable();
    this.still = false;
    this.drawMarks();
    for (const part of this.parts) part.update();
    this.announcer.drawn();
  }

  drawMarks() {
    const moment = this.moment;
    if (!moment) return;
    const king = kings(this.board.pieces);
    const shown = this.isLive ? this.player.shownMove() : null;
    const played = moment.played;
    this.board.setMarks({
      last: shown ?? (played ? [played.from, played.to] : []),
      checks: moment.check.filter((seat) => lookOf(moment.armies[seat]) !== 'out').map((seat) => king[seat]).filter((square) => square !== undefined),
      premove: this.isLive ? this.player.premoveSquares() : [],
      ...this.hand.marks,
    });
  }

  /** Whoever plays reaches the board by keyboard; for others it is a picture. */
  makeReachable() {
    const board = this.board.el;
    const playing = this.player.canPlay;
    if (playing === board.hasAttribute('tabindex')) return;
    if (playing) {
      board.setAttribute('tabindex', '0');
      board.setAttribute('role', 'application');
      board.setAttribute('aria-label', t('board.label_playing'));
    } else {
      board.removeAttribute('tabindex');
      board.setAttribute('role', 'img');
      board.setAttribute('aria-label', t('board.label'));
    }
  }

  /** The arrow keys leaf through the game wherever they are not needed for something else. @param {KeyboardEvent} event */
  key(event) {
    const target = /** @type {Element} */ (event.target);
    if (event.ctrlKey || event.metaKey || event.altKey || target.closest('input, select, textarea, dialog, [role=application]')) return;
    const at = this.viewing ?? this.record.ply;
    const steps = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: null };
    if (!Object.hasOwn(steps, event.key)) return;
    event.preventDefault();
    this.view(/** @type {Record<string, number | null>} */ (steps)[event.key]);
  }

  close() {
    cancelAnimationFrame(this.frame);
    document.removeEventListener('keydown', this.onKey);
    for (const part of this.parts) part.close?.();
    this.announcer.close();
  }
}
