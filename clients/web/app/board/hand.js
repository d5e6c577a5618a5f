// The hand on a board: drag, tap and tap, arrow keys and Enter. It picks pieces and proposes moves; its owner answers
// which squares may be picked and where each may go.

import { fromView, SIZE, toView } from '../position/squares.js';

/** @typedef {import('./board.js').Board} Board */

/**
 * @typedef {object} HandOwner
 * @property {(square: number) => boolean} canPick
 * @property {(square: number) => number[]} targets where the piece on a square may go
 * @property {(from: number, to: number, dragged: boolean) => void} propose
 * @property {() => void} cancel nothing is wanted any more: drop a premove, say
 * @property {(square: number) => string} describe for those who hear the board
 * @property {(text: string) => void} say
 * @property {() => void} changed the picked square, targets or cursor differ: draw the marks again
 */

/** How far a pointer goes, in CSS pixels, before a press becomes a drag. */
const DRAG_PX = 4;

export class Hand {
  /**
   * @param {Board} board
   * @param {HandOwner} owner
   */
  constructor(board, owner) {
    this.board = board;
    this.owner = owner;
    /** @type {number | null} */
    this.picked = null;
    /** @type {number | null} */
    this.cursor = null;
    /** @type {{ from: number, x: number, y: number, dragging: boolean, wasPicked: boolean, box: DOMRect } | null} */
    this.press = null;
    const el = board.el;
    el.addEventListener('pointerdown', (event) => this.down(event));
    el.addEventListener('pointermove', (event) => this.move(event));
    el.addEventListener('pointerup', (event) => this.up(event));
    el.addEventListener('pointercancel', () => this.abandon());
    el.addEventListener('keydown', (event) => this.key(event));
    el.addEventListener('blur', () => this.setCursor(null));
    el.addEventListener('contextmenu', (event) => {
      if (this.picked !== null) event.preventDefault();
    });
  }

  /** @returns {{ picked: number | null, targets: number[], cursor: number | null }} */
  get marks() {
    return { picked: this.picked, targets: this.picked === null ? [] : this.owner.targets(this.picked), cursor: this.cursor };
  }

  /** Forgets the picked piece, as when the position changed under it. */
  release() {
    if (this.press?.dragging) this.board.hold(this.press.from, null);
    this.press = null;
    if (this.picked === null) return;
    this.picked = null;
    this.owner.changed();
  }

  /** @param {number} square */
  pick(square) {
    this.picked = square;
    this.owner.changed();
  }

  /** @param {number} from @param {number} to @param {boolean} [dragged] the piece lies there already */
  propose(from, to, dragged = false) {
    this.picked = null;
    this.owner.propose(from, to, dragged);
    this.owner.changed();
  }

  /** @param {PointerEvent} event @param {DOMRect} [known] */
  point(event, known) {
    const box = known ?? this.board.el.getBoundingClientRect();
    const x = ((event.clientX - box.left) / box.width) * SIZE;
    const y = ((event.clientY - box.top) / box.height) * SIZE;
    return { x, y, square: fromView(Math.floor(x), Math.floor(y), this.board.bottom), box };
  }

  /** @param {PointerEvent} event */
  down(event) {
    if (event.button > 0) {
      this.owner.cancel();
      this.release();
      return;
    }
    const { square, box } = this.point(event);
    if (square === null) return;
    if (this.picked !== null && square !== this.picked && this.owner.targets(this.picked).includes(square)) {
      this.propose(this.picked, square);
      return;
    }
    if (!this.owner.canPick(square)) {
      this.owner.cancel();
      this.release();
      return;
    }
    this.press = { from: square, x: event.clientX, y: event.clientY, dragging: false, wasPicked: this.picked === square, box };
    try {
      this.board.el.setPointerCapture(event.pointerId);
    } catch {
      // A pointer that has gone already cannot be captured; the press then simply ends.
    }
    this.pick(square);
  }

  /** @param {PointerEvent} event */
  move(event) {
    const press = this.press;
    if (!press) return;
    if (!press.dragging && Math.hypot(event.clientX - press.x, event.clientY - press.y) < DRAG_PX) return;
    press.dragging = true;
    this.board.hold(press.from, this.point(event, press.box));
  }

  /** @param {PointerEvent} event */
  up(event) {
    const press = this.press;
    if (!press) return;
    this.press = null;
    const { square } = this.point(event);
    if (press.dragging) {
      const lands = square !== null && square !== press.from && this.owner.targets(press.from).includes(square);
      if (!lands) this.board.hold(press.from, null);
      else {
        this.board.el.classList.add('still');
        this.board.hold(press.from, null);
        this.propose(press.from, square, true);
        return;
      }
      if (square !== press.from) this.release();
    } else if (press.wasPicked) {
      this.release();
    }
  }

  abandon() {
    if (this.press?.dragging) this.board.hold(this.press.from, null);
    this.press = null;
  }

  /** @param {number | null} square */
  setCursor(square) {
    if (this.cursor === square) return;
    this.cursor = square;
    this.owner.changed();
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const step = STEPS[event.key];
    if (step && !event.shiftKey) {
      event.preventDefault();
      event.stopPropagation();
      this.walk(step);
    } else if (event.key === 'Enter' || event.key === ' ') {
      event.preventDefault();
      this.press = null;
      this.choose();
    } else if (event.key === 'Escape') {
      this.owner.cancel();
      this.release();
    }
  }

  /** @param {readonly [number, number]} step */
  walk([dx, dy]) {
    if (this.cursor === null) {
      this.setCursor(fromView(7, 12, this.board.bottom));
    } else {
      let { x, y } = toView(this.cursor, this.board.bottom);
      x += dx;
      y += dy;
      const next = fromView(x, y, this.board.bottom);
      if (next !== null) this.setCursor(next);
    }
    if (this.cursor !== null) this.owner.say(this.owner.describe(this.cursor));
  }

  choose() {
    const square = this.cursor;
    if (square === null) return this.walk([0, 0]);
    if (this.picked === square) return this.release();
    if (this.picked !== null && this.owner.targets(this.picked).includes(square)) return this.propose(this.picked, square);
    if (this.owner.canPick(square)) {
      this.pick(square);
      this.owner.say(this.owner.describe(square));
    }
  }
}

/** @type {Readonly<Record<string, readonly [number, number]>>} */
const STEPS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
