// The board: draws squares, marks and pieces, and moves pieces smoothly. It knows SVG and squares; what a move means and
// whether it is allowed is asked of its owner.

import { svg } from '../dom/element.js';
import { SQUARES, toView } from '../position/squares.js';
import { coordinateLabels, squareTiles } from './ground.js';
import { markShapes } from './marks.js';
import { matchPieces } from './match-pieces.js';
import { pieceGraphic } from './pieces.js';

/** @typedef {import('../position/squares.js').Seat} Seat */
/** @typedef {import('../position/fen4.js').Pieces} Pieces */
/** @typedef {import('../position/fen4.js').Piece} Piece */
/** @typedef {'playing' | 'roaming' | 'out'} ArmyLook */
/** @typedef {Record<Seat, ArmyLook>} ArmyLooks */
/** @typedef {import('./marks.js').Marks} Marks */

/** @type {ArmyLooks} */
const ALL_PLAYING = { red: 'playing', blue: 'playing', yellow: 'playing', green: 'playing' };

export class Board {
  /** @param {{ label: string, coordinates?: boolean }} options */
  constructor({ label, coordinates = true }) {
    /** @type {Seat} */
    this.bottom = 'red';
    /** @type {Pieces} */
    this.pieces = [];
    /** @type {ArmyLooks} */
    this.looks = ALL_PLAYING;
    /** @type {Map<number, SVGGElement>} */
    this.shown = new Map();
    /** @type {Marks} */
    this.marks = {};
    this.coordinates = coordinates;
    this.ground = svg('g', { class: 'ground' });
    this.under = svg('g', { class: 'marks' });
    this.labels = svg('g', { class: 'labels' });
    this.men = svg('g', { class: 'men' });
    this.over = svg('g', { class: 'marks over' });
    this.el = svg('svg', { viewBox: '0 0 14 14', class: 'board', role: 'img', 'aria-label': label }, this.ground, this.under, this.labels, this.men, this.over);
    this.drawGround();
  }

  /** @param {Seat} bottom */
  setOrientation(bottom) {
    if (bottom === this.bottom) return;
    this.bottom = bottom;
    this.drawGround();
    this.el.classList.add('still');
    for (const [square, graphic] of this.shown) this.place(graphic, square);
    this.setMarks(this.marks);
    requestAnimationFrame(() => this.el.classList.remove('still'));
  }

  /**
   * Shows a position; pieces that went from one square to another glide there.
   * @param {Pieces} pieces
   * @param {ArmyLooks} [looks]
   * @param {{ still?: boolean }} [options] still: no gliding
   */
  setPosition(pieces, looks = ALL_PLAYING, { still = false } = {}) {
    this.el.classList.toggle('still', still);
    const { moves, gone, come } = matchPieces(this.pieces, pieces);
    for (const square of gone) {
      this.shown.get(square)?.remove();
      this.shown.delete(square);
    }
    const moving = moves.map(({ from, to }) => ({ to, graphic: this.shown.get(from), from }));
    for (const { from } of moving) this.shown.delete(from);
    for (const { to, graphic } of moving) {
      if (!graphic) continue;
      this.raise(graphic);
      this.place(graphic, to);
      this.shown.set(to, graphic);
    }
    for (const square of come) this.addPiece(square, /** @type {Piece} */ (pieces[square]));
    this.pieces = pieces;
    this.setLooks(looks);
  }

  /** @param {ArmyLooks} looks */
  setLooks(looks) {
    this.looks = looks;
    for (const [square, graphic] of this.shown) {
      const seat = this.pieces[square]?.seat;
      if (!seat) continue;
      graphic.classList.toggle('out', looks[seat] === 'out');
      graphic.classList.toggle('roaming', looks[seat] === 'roaming');
    }
  }

  /** @param {Marks} marks */
  setMarks(marks) {
    this.marks = marks;
    const { under, over } = markShapes(marks, (square) => toView(square, this.bottom), (square) => Boolean(this.pieces[square]));
    this.under.replaceChildren(...under);
    this.over.replaceChildren(...over);
  }

  /** @param {string} label */
  setLabel(label) {
    this.el.setAttribute('aria-label', label);
  }

  /**
   * Holds a piece at a point in board units, as while dragging; null puts it back on its square.
   * @param {number} square
   * @param {{ x: number, y: number } | null} point
   */
  hold(square, point) {
    const graphic = this.shown.get(square);
    if (!graphic) return;
    graphic.classList.toggle('held', point !== null);
    if (point) {
      this.raise(graphic);
      graphic.style.transform = `translate(${point.x - 0.5}px, ${point.y - 0.5}px)`;
    } else {
      this.place(graphic, square);
    }
  }

  /** @param {number} square @param {Piece} piece */
  addPiece(square, piece) {
    const graphic = pieceGraphic(piece.seat, piece.role, piece.promoted);
    this.place(graphic, square);
    this.men.append(graphic);
    this.shown.set(square, graphic);
  }

  /**
   * Above all others. An element put elsewhere in the page glides only once its style was computed there.
   * @param {SVGGElement} graphic
   */
  raise(graphic) {
    if (this.men.lastElementChild === graphic) return;
    this.men.append(graphic);
    void getComputedStyle(graphic).opacity;
  }

  /** @param {SVGGElement} graphic @param {number} square */
  place(graphic, square) {
    const { x, y } = toView(square, this.bottom);
    graphic.style.transform = `translate(${x}px, ${y}px)`;
  }

  drawGround() {
    this.ground.replaceChildren(...squareTiles(SQUARES, this.bottom));
    if (this.coordinates) this.labels.replaceChildren(...coordinateLabels(this.bottom));
  }
}
