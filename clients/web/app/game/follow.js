// Follows one game: its state, its events by version, its socket. Views listen; what they show is always `record`.

import * as api from '../transport/api.js';
import { identity, setIdentity } from '../transport/identity.js';
import { GameSocket } from '../transport/game-socket.js';
import { SEATS } from '../position/squares.js';
import { ServerTime } from './clock.js';
import { GameRecord } from './record.js';

/** @typedef {import('../position/squares.js').Seat} Seat */
/** @typedef {import('../transport/game-socket.js').SocketStatus} SocketStatus */
/** @typedef {import('../transport/game-socket.js').Answer} Answer */

/**
 * @typedef {object} FollowListener
 * @property {(event: Record<string, any>, isNew: boolean) => void} [event] isNew: it happened while this page was watching
 * @property {() => void} [changed] something to draw differs
 * @property {(failure: any) => void} [failed] the game cannot be shown
 * @property {() => void} [signedOut] the token died
 */

/** Events that change what only the state tells: names, seats, ratings. */
const STATE_EVENTS = new Set(['seated', 'left', 'started', 'over', 'rated', 'aborted']);

export class GameFollower {
  /** @param {string} id @param {FollowListener} listener */
  constructor(id, listener) {
    this.id = id;
    this.listener = listener;
    this.record = new GameRecord();
    this.time = new ServerTime();
    /** The last state the server gave. @type {Record<string, any> | null} */
    this.state = null;
    /** @type {SocketStatus} */
    this.status = 'connecting';
    /** @type {Partial<Record<Seat, boolean>>} */
    this.connected = {};
    /** @type {Set<Seat>} */
    this.wantRematch = new Set();
    /** Legal moves of the army to move at `ply`. @type {{ ply: number, moves: string[] } | null} */
    this.legal = null;
    this.legalAskedFor = -1;
    /** @type {GameSocket | null} */
    this.socket = null;
    /** Events up to here happened before this page looked. */
    this.seenBefore = 0;
    this.failures = 0;
    this.gone = false;
    void this.open();
  }

  /** The seat of whoever uses this browser. @returns {Seat | null} */
  get mySeat() {
    const me = identity()?.player.id;
    if (!me || !this.state) return null;
    return SEATS.find((seat) => this.state?.seats?.[seat]?.player?.id === me) ?? null;
  }

  /** @param {Seat} seat */
  isComputer(seat) {
    return Boolean(this.state?.seats?.[seat]?.computer);
  }

  async open() {
    try {
      await this.refreshState();
      this.seenBefore = this.state?.v ?? 0;
    } catch (failure) {
      if (!this.gone) this.listener.failed?.(failure);
      return;
    }
    if (this.gone) return;
    this.socket = new GameSocket(this.id, {
      head: () => this.record.v,
      onEvent: (event) => this.receive(event),
      onPassing: (frame) => this.pass(frame),
      onStatus: (status) => this.connection(status),
      onServerTime: (now, trip) => this.time.learn(now, trip),
      onAhead: () => this.startOver(),
      onTokenDead: () => {
        setIdentity(null);
        this.listener.signedOut?.();
      },
    });
  }

  async refreshState() {
    const asked = performance.now();
    const state = await api.game(this.id);
    if (state.clock?.server_now) this.time.learn(state.clock.server_now, performance.now() - asked);
    this.state = state;
    this.listener.changed?.();
  }

  /** @param {Record<string, any>} event */
  receive(event) {
    const outcome = this.record.apply(event);
    if (outcome === 'gap') return this.socket?.resync();
    if (outcome === 'known') return;
    const isNew = event.v > this.seenBefore;
    if (isNew && STATE_EVENTS.has(event.type)) void this.refreshState().catch(() => {});
    this.listener.event?.(event, isNew);
    this.listener.changed?.();
  }

  /** @param {Record<string, any>} frame */
  pass(frame) {
    if (frame.type === 'presence') this.connected[/** @type {Seat} */ (frame.seat)] = Boolean(frame.connected);
    else if (frame.type === 'rematch') this.wantRematch.add(frame.seat);
    else return;
    this.listener.changed?.();
  }

  /** @param {SocketStatus} status */
  connection(status) {
    this.status = status;
    this.failures = status === 'open' ? 0 : status === 'waiting' ? this.failures + 1 : this.failures;
    if (status === 'missing') this.listener.failed?.({ status: 404 });
    if (status === 'waiting' && this.failures % 3 === 0) void this.diagnose();
    this.listener.changed?.();
  }

  /** A socket that will not open does not say why; the state does. */
  async diagnose() {
    try {
      await this.refreshState();
      if ((this.state?.v ?? 0) < this.record.v) this.startOver();
    } catch (/** @type {any} */ failure) {
      if (failure.status === 404) this.listener.failed?.(failure);
    }
  }

  /** The server lost events this page has seen: believe the server. */
  startOver() {
    this.record = new GameRecord();
    this.legal = null;
    this.socket?.resync();
    this.listener.changed?.();
  }

  /** Asks for the legal moves of this ply, once. */
  async learnLegalMoves() {
    const { ply, branch } = this.record;
    if (this.legal?.ply === ply || this.legalAskedFor === ply) return;
    this.legalAskedFor = ply;
    const state = await api.game(this.id, { legalMoves: true }).catch(() => null);
    this.legalAskedFor = -1;
    if (!state || this.record.branch !== branch || state.ply !== this.record.ply) return;
    this.legal = { ply: state.ply, moves: state.legal_moves ?? [] };
    this.listener.changed?.();
  }

  /** @param {string} move @returns {Promise<Answer>} */
  move(move) {
    return this.command({ type: 'move', ply: this.record.ply, move });
  }

  /** @returns {Promise<Answer>} */
  resign() {
    return this.command({ type: 'resign' });
  }

  /** @param {import('../transport/game-socket.js').Command} command @returns {Promise<Answer>} */
  command(command) {
    return this.socket?.send(command) ?? Promise.resolve({ ok: false, code: 'UNAVAILABLE', ply: this.record.ply });
  }

  close() {
    this.gone = true;
    this.socket?.close();
  }
}
