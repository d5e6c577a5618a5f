// Sounds, spoken words and the tab's title: what tells a player who looks elsewhere.

import { clockOf, LOW_MS } from '../../game/clock.js';
import { play } from '../../game/sounds.js';
import { named, t } from '../../i18n/index.js';
import { alertNow, say } from '../../shell/say.js';
import { noteText, overText } from './words.js';

/** @typedef {import('./table.js').GameTable} GameTable */
/** @typedef {import('../../game/sounds.js').Sound} Sound */

const APP = 'Four Kingdoms';

export class Announcer {
  /** @param {GameTable} table */
  constructor(table) {
    this.table = table;
    this.warnedAtPly = -1;
    this.toldTurnAtPly = -1;
    /** @type {Sound | null} */
    this.sound = null;
    this.timer = setInterval(() => this.watchClock(), 200);
  }

  /** @param {Record<string, any>} event @param {boolean} isNew */
  event(event, isNew) {
    if (!isNew) return;
    const seat = event.seat ? named('army', event.seat) : '';
    switch (event.type) {
      case 'started':
        this.sound = 'start';
        say(t('say.started'));
        break;
      case 'move': {
        const played = this.table.record.last?.played;
        const checks = event.check ?? [];
        this.sound = checks.length ? 'check' : played?.captured ? 'capture' : 'move';
        say([
          t('say.move', { seat, move: event.move }),
          played?.captured ? t('say.captures', { piece: named('piece', played.captured.role), seat: named('army', played.captured.seat) }) : '',
          ...checks.map((/** @type {string} */ checked) => t('say.check', { seat: named('army', checked) })),
        ].filter(Boolean).join(' '));
        break;
      }
      case 'resigned':
      case 'timed_out':
      case 'army_out':
        say(noteText({ type: event.type, seat: event.seat, how: event.how, by: event.by, points: event.awarded }));
        break;
      case 'over':
        this.sound = 'end';
        alertNow(overText(this.table));
        break;
      case 'aborted':
        this.sound = 'end';
        alertNow(t('game.aborted'));
        break;
    }
    this.tellTurn();
    if (document.visibilityState !== 'visible') this.flush();
  }

  /** The turn is told once, on arrival too. */
  tellTurn() {
    const { player, record } = this.table;
    const mine = player.isMyTurn;
    document.title = `${mine ? `● ${t('game.your_turn')}` : t('game.title')} · ${APP}`;
    if (!mine || this.toldTurnAtPly === record.ply) return;
    this.toldTurnAtPly = record.ply;
    this.sound = this.sound === 'check' || this.sound === 'start' ? this.sound : 'turn';
    say(t('game.your_turn'));
  }

  /** After a frame was drawn: one sound for all that happened. */
  drawn() {
    this.tellTurn();
    this.flush();
  }

  flush() {
    if (this.sound) play(this.sound);
    this.sound = null;
  }

  watchClock() {
    const { record, mySeat, follower, player } = this.table;
    if (!mySeat || !player.canPlay || this.warnedAtPly === record.ply) return;
    const { remainingMs, running, firstMoveMs } = clockOf(record, mySeat, follower.time.now());
    const left = firstMoveMs ?? (running ? remainingMs : Infinity);
    if (left >= LOW_MS || left <= 0) return;
    this.warnedAtPly = record.ply;
    play('low');
    alertNow(t('say.low_time', { n: Math.ceil(left / 1000) }));
  }

  close() {
    clearInterval(this.timer);
  }
}
