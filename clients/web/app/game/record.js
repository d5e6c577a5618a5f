// A game as its events tell it: every position, every move, what each was worth. Applying the events in order is all it
// takes; nothing here asks the network or the clock.

import { applyMove, parseMove } from '../position/apply.js';
import { parseFen4 } from '../position/fen4.js';
import { SEATS } from '../position/squares.js';

/** @typedef {import('../position/squares.js').Seat} Seat */
/** @typedef {import('../position/fen4.js').Pieces} Pieces */
/** @typedef {import('../position/fen4.js').Piece} Piece */
/** @typedef {'playing'|'resigned'|'timed_out'|'checkmated'|'stalemated'|'king_captured'} Army */
/** @template T @typedef {Record<Seat, T>} PerSeat */

/** What happened at a ply besides the move. @typedef {{ type: string, seat: Seat, how?: Army, by?: Seat, points?: number }} Note */

/**
 * The game after a number of moves.
 * @typedef {object} Moment
 * @property {number} ply
 * @property {Pieces} pieces
 * @property {Seat | null} turn
 * @property {PerSeat<Army>} armies
 * @property {PerSeat<number>} points
 * @property {PerSeat<number>} remainingMs
 * @property {readonly Seat[]} check
 * @property {Note[]} notes
 * @property {PlayedMove | null} played the move that led here
 */

/**
 * @typedef {object} PlayedMove
 * @property {Seat} seat
 * @property {string} move
 * @property {string} san
 * @property {number} from
 * @property {number} to
 * @property {Piece | null} captured
 * @property {boolean} promoted
 * @property {boolean} byRoaming
 * @property {number} gained points of the mover through this move, mates included
 */

/** @typedef {{ seat: Seat, place: number, result: number, rating_before?: number | null, rating_after?: number | null }} Standing */

/** @template T @param {T} value @returns {PerSeat<T>} */
const everySeat = (value) => ({ red: value, blue: value, yellow: value, green: value });

export class GameRecord {
  constructor() {
    this.v = 0;
    /** @type {'waiting' | 'running' | 'over' | 'aborted'} */
    this.status = 'waiting';
    /** Moment n is the game after n moves. @type {Moment[]} */
    this.moments = [];
    /** Results frozen by resigning or flagging. @type {Partial<PerSeat<number>>} */
    this.frozen = {};
    /** @type {string | null} */
    this.deadline = null;
    /** @type {string | null} */
    this.runsFrom = null;
    /** @type {{ reason: string, standing: Standing[] } | null} */
    this.over = null;
    /** @type {string | null} */
    this.abortReason = null;
    /** Changes with every game begun anew, so that views know to draw everything again. */
    this.branch = Symbol('branch');
  }

  get ply() {
    return Math.max(0, this.moments.length - 1);
  }

  /** @returns {Moment | null} */
  get last() {
    return this.moments.at(-1) ?? null;
  }

  get turn() {
    return this.status === 'running' ? this.last?.turn ?? null : null;
  }

  /** @param {Seat} seat */
  result(seat) {
    return this.frozen[seat] ?? this.last?.points[seat] ?? 0;
  }

  /** Whether a seat has made a move by its player's choice yet. @param {Seat} seat */
  hasMoved(seat) {
    return this.moments.some((moment) => moment.played?.seat === seat);
  }

  /**
   * @param {Record<string, any>} event
   * @returns {'applied' | 'known' | 'gap'}
   */
  apply(event) {
    if (event.v <= this.v) return 'known';
    if (event.v !== this.v + 1) return 'gap';
    this.v = event.v;
    this.tell(event);
    this.count(event);
    return 'applied';
  }

  /** @param {Record<string, any>} event */
  tell(event) {
    switch (event.type) {
      case 'started': return this.start(event);
      case 'move': return this.play(event);
      case 'resigned':
      case 'timed_out':
        this.frozen[/** @type {Seat} */ (event.seat)] = this.last?.points[/** @type {Seat} */ (event.seat)] ?? 0;
        return this.note({ type: event.type, seat: event.seat });
      case 'army_out':
        return this.note({ type: 'army_out', seat: event.seat, how: event.how, by: event.by, points: event.awarded });
      case 'over':
        this.status = 'over';
        this.over = { reason: event.reason, standing: event.standing ?? [] };
        return undefined;
      case 'aborted':
        this.status = 'aborted';
        this.abortReason = event.reason ?? null;
        return undefined;
      default:
        return undefined;
    }
  }

  /** @param {Record<string, any>} event */
  start(event) {
    const position = parseFen4(event.fen4);
    this.status = 'running';
    this.moments = [{
      ply: 0,
      pieces: position.pieces,
      turn: position.turn,
      armies: armiesAtStart(position.dead),
      points: position.points,
      remainingMs: everySeat(0),
      check: [],
      notes: [],
      played: null,
    }];
  }

  /** @param {Record<string, any>} event */
  play(event) {
    const before = this.last;
    const squares = parseMove(event.move);
    if (!before || !squares) return;
    const { pieces, captured, promoted } = applyMove(before.pieces, squares.from, squares.to);
    this.moments.push({
      ...before,
      ply: before.ply + 1,
      pieces,
      check: event.check ?? [],
      notes: [],
      played: {
        seat: event.seat,
        move: event.move,
        san: event.san ?? event.move,
        ...squares,
        captured,
        promoted,
        byRoaming: Boolean(event.by_roaming),
        gained: 0,
      },
    });
  }

  /** @param {Note} note */
  note(note) {
    this.last?.notes.push(note);
  }

  /** Takes the counters that every event carries. @param {Record<string, any>} event */
  count(event) {
    if (event.deadline !== undefined) this.deadline = event.deadline;
    if (event.clock_runs_from !== undefined) this.runsFrom = event.clock_runs_from;
    const moment = this.last;
    if (!moment) return;
    if (event.turn !== undefined) moment.turn = event.turn;
    if (event.armies) moment.armies = { ...moment.armies, ...present(event.armies) };
    if (event.remaining_ms) moment.remainingMs = { ...moment.remainingMs, ...present(event.remaining_ms) };
    if (!event.points) return;
    const mover = moment.played?.seat;
    const earned = event.type === 'move' || (event.type === 'army_out' && event.by === mover);
    if (mover && moment.played && earned) moment.played.gained += (event.points[mover] ?? 0) - moment.points[mover];
    moment.points = { ...moment.points, ...present(event.points) };
  }
}

/**
 * Only the entries that say something: seats without an army may be null.
 * @template T
 * @param {Partial<PerSeat<T | null>>} perSeat
 * @returns {Partial<PerSeat<T>>}
 */
function present(perSeat) {
  return /** @type {Partial<PerSeat<T>>} */ (Object.fromEntries(Object.entries(perSeat).filter(([, value]) => value !== null)));
}

/** @param {PerSeat<boolean>} dead @returns {PerSeat<Army>} */
function armiesAtStart(dead) {
  const armies = everySeat(/** @type {Army} */ ('playing'));
  for (const seat of SEATS) if (dead[seat]) armies[seat] = 'checkmated';
  return armies;
}

/** How an army is drawn. @param {Army} army @returns {import('../board/board.js').ArmyLook} */
export function lookOf(army) {
  if (army === 'playing') return 'playing';
  return army === 'resigned' || army === 'timed_out' ? 'roaming' : 'out';
}
