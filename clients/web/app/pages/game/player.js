// What the player at this table wants: moves under way and a premove for later.

import { applyMove, parseMove } from '../../position/apply.js';
import { nameOf } from '../../position/squares.js';
import { reach } from '../../position/reach.js';
import { t } from '../../i18n/index.js';
import { failureText } from '../../shell/failures.js';
import { say, toast } from '../../shell/say.js';

/** @typedef {import('../../position/fen4.js').Pieces} Pieces */
/** @typedef {import('./table.js').GameTable} GameTable */

export class Player {
  /** @param {GameTable} table */
  constructor(table) {
    this.table = table;
    /** Sent and not yet in the record. @type {{ ply: number, move: string, squares: { from: number, to: number } | null } | null} */
    this.pending = null;
    /** @type {{ from: number, to: number } | null} */
    this.premove = null;
  }

  /** Whether whoever looks at this page still has an army to command. */
  get canPlay() {
    const { record, mySeat } = this.table;
    return Boolean(mySeat && record.status === 'running' && record.last?.armies[mySeat] === 'playing');
  }

  get isMyTurn() {
    return this.canPlay && this.table.record.turn === this.table.mySeat && !this.pending;
  }

  /** @param {number} square */
  canPick(square) {
    return this.canPlay && this.table.isLive && this.table.board.pieces[square]?.seat === this.table.mySeat;
  }

  /** @param {number} from @returns {number[]} */
  targets(from) {
    const pieces = this.table.board.pieces;
    if (!this.isMyTurn) return reach(pieces, from, true);
    const { legal } = this.table.follower;
    if (legal?.ply !== this.table.record.ply) return reach(pieces, from, false);
    const found = [];
    for (const move of legal.moves) {
      const squares = parseMove(move);
      if (squares?.from === from) found.push(squares.to);
    }
    return found;
  }

  /** @param {number} from @param {number} to @param {boolean} dragged */
  propose(from, to, dragged) {
    if (this.isMyTurn) {
      this.table.still = dragged;
      void this.send(`${nameOf(from)}-${nameOf(to)}`);
    } else {
      this.premove = { from, to };
      say(t('premove.set', { move: `${nameOf(from)}-${nameOf(to)}` }));
    }
    this.table.changed();
  }

  dropPremove() {
    if (!this.premove) return;
    this.premove = null;
    say(t('premove.dropped'));
    this.table.changed();
  }

  /** @param {string} move @returns {Promise<boolean>} whether it was accepted */
  async send(move) {
    const mine = { ply: this.table.record.ply, move, squares: parseMove(move) };
    this.pending = mine;
    this.table.changed();
    const answer = await this.table.follower.move(move);
    if (answer.ok) return true;
    if (this.pending === mine) this.pending = null;
    this.table.changed();
    if (answer.code !== 'ABORTED') toast(failureText(answer.code), { kind: 'problem' });
    return false;
  }

  /** Called after each event: a premove goes out the moment the turn has come. */
  eventHappened() {
    this.settle();
    if (!this.premove || !this.isMyTurn) return;
    const { from, to } = this.premove;
    this.premove = null;
    if (this.table.record.last?.pieces[from]?.seat === this.table.mySeat) void this.send(`${nameOf(from)}-${nameOf(to)}`);
  }

  /** Lets go of what is settled, and asks for what is legal when the turn has come. */
  settle() {
    const { record, follower } = this.table;
    if (this.pending && record.ply > this.pending.ply) this.pending = null;
    if (!this.canPlay) this.premove = null;
    if (this.isMyTurn) void follower.learnLegalMoves();
  }

  /** The position with a move under way already made. @param {Pieces} pieces @returns {Pieces} */
  piecesToShow(pieces) {
    const squares = this.pending?.squares;
    return squares ? applyMove(pieces, squares.from, squares.to).pieces : pieces;
  }

  /** @returns {number[] | null} */
  shownMove() {
    const squares = this.pending?.squares;
    return squares ? [squares.from, squares.to] : null;
  }

  /** @returns {number[]} */
  premoveSquares() {
    return this.premove ? [this.premove.from, this.premove.to] : [];
  }
}
