// A socket to one game. It comes back after every loss, asks for what it missed, and sends again what was not acknowledged;
// the server knows a repeated move by its ply and changes nothing.

import { backoffMs } from './backoff.js';
import { identity } from './identity.js';

/** @typedef {'connecting' | 'open' | 'waiting' | 'ended' | 'missing'} SocketStatus */
/** @typedef {{ type: 'move', ply: number, move: string } | { type: 'resign' }} Command */
/** @typedef {{ ok: true, ply: number } | { ok: false, code: string, ply: number }} Answer */

/**
 * @typedef {object} SocketOwner
 * @property {() => number} head the version of the last event known
 * @property {(event: Record<string, any>) => void} onEvent a frame with `v`
 * @property {(frame: Record<string, any>) => void} onPassing presence, rematch
 * @property {(status: SocketStatus) => void} onStatus
 * @property {(serverNow: string, roundTripMs: number) => void} onServerTime
 * @property {() => void} onTokenDead whoever this was is nobody now; without a token one may still watch
 * @property {() => void} onAhead the server knows less than this client: start over from nothing
 */

const PING_EVERY_MS = 15000;
/** The server pings every 15 s and answers ours; silence for longer than this is a dead line. */
const SILENCE_MS = 40000;
/** Close codes of the API. */
const FINISHED = 1000;
const TOKEN_DEAD = 4401;
const NO_SUCH_GAME = 4404;

export class GameSocket {
  /** @param {string} gameId @param {SocketOwner} owner */
  constructor(gameId, owner) {
    this.gameId = gameId;
    this.owner = owner;
    /** @type {WebSocket | null} */
    this.socket = null;
    /** @type {Map<string, { frame: object, settle: (answer: Answer) => void }>} */
    this.unanswered = new Map();
    this.attempt = 0;
    this.nextId = 1;
    this.closed = false;
    this.heardAt = 0;
    this.pingedAt = 0;
    /** @type {number | undefined} */
    this.timer = undefined;
    this.onOnline = () => this.reconnectNow();
    this.onVisible = () => document.visibilityState === 'visible' && this.keepAlive();
    window.addEventListener('online', this.onOnline);
    // Timers sleep with the machine; whoever comes back to the page wants to know at once.
    window.addEventListener('visibilitychange', this.onVisible, true);
    this.beat = window.setInterval(() => this.keepAlive(), PING_EVERY_MS);
    this.connect();
  }

  connect() {
    if (this.closed) return;
    clearTimeout(this.timer);
    this.owner.onStatus('connecting');
    const token = identity()?.token;
    const url = `${location.origin.replace(/^http/, 'ws')}/v1/games/${encodeURIComponent(this.gameId)}/socket?after=${this.owner.head()}`;
    const socket = new WebSocket(url, token ? ['four-kingdoms.v1', `bearer.${token}`] : ['four-kingdoms.v1']);
    this.socket = socket;
    socket.onopen = () => {
      this.heardAt = Date.now();
      this.attempt = 0;
      this.owner.onStatus('open');
      this.ping();
      for (const { frame } of this.unanswered.values()) socket.send(JSON.stringify(frame));
    };
    socket.onmessage = (message) => this.receive(message.data);
    socket.onclose = (event) => {
      if (this.socket === socket) this.lost(event);
    };
  }

  /** @param {CloseEvent} event */
  lost(event) {
    this.socket = null;
    if (this.closed) return;
    if (event.code === FINISHED || event.code === NO_SUCH_GAME) {
      this.owner.onStatus(event.code === FINISHED ? 'ended' : 'missing');
      this.failUnanswered(event.code === FINISHED ? 'GAME_OVER' : 'NOT_FOUND');
      return;
    }
    if (event.code === TOKEN_DEAD) {
      this.failUnanswered('UNAUTHENTICATED');
      this.owner.onTokenDead();
    }
    const hint = Number(/retry_ms=(\d+)/.exec(event.reason)?.[1] ?? 0);
    this.owner.onStatus('waiting');
    this.timer = window.setTimeout(() => this.connect(), Math.max(hint, backoffMs(this.attempt++)));
  }

  reconnectNow() {
    if (this.closed || this.socket || this.attempt === 0) return;
    this.attempt = 0;
    this.connect();
  }

  /** Drops the line and comes back with what is known, as after a gap. */
  resync() {
    const socket = this.socket;
    this.socket = null;
    socket?.close(4000, 'resync');
    this.connect();
  }

  /** @param {string} text */
  receive(text) {
    this.heardAt = Date.now();
    const frame = JSON.parse(text);
    if (frame.type === 'pong') {
      this.owner.onServerTime(frame.server_now, performance.now() - this.pingedAt);
      if (typeof frame.v === 'number' && frame.v < this.owner.head()) this.owner.onAhead();
    } else if (typeof frame.v === 'number') {
      this.owner.onEvent(frame);
    } else if (frame.type === 'ack') {
      this.answer(frame.id, { ok: true, ply: frame.ply });
    } else if (frame.type === 'refused') {
      if (frame.code === 'RESYNC') this.owner.onAhead();
      this.answer(frame.id, { ok: false, code: frame.code, ply: frame.ply });
    } else {
      this.owner.onPassing(frame);
    }
  }

  /** @param {string} id @param {Answer} answer */
  answer(id, answer) {
    const waiting = this.unanswered.get(id);
    this.unanswered.delete(id);
    waiting?.settle(answer);
  }

  /** @param {string} code */
  failUnanswered(code) {
    for (const id of [...this.unanswered.keys()]) this.answer(id, { ok: false, code, ply: -1 });
  }

  /**
   * Sends a command, now or as soon as there is a line again.
   * @param {Command} command
   * @returns {Promise<Answer>}
   */
  send(command) {
    const id = `c${this.nextId++}`;
    const frame = { ...command, id };
    return new Promise((settle) => {
      this.unanswered.set(id, { frame, settle });
      if (this.socket?.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify(frame));
      else this.reconnectNow();
    });
  }

  ping() {
    if (this.socket?.readyState !== WebSocket.OPEN) return;
    this.pingedAt = performance.now();
    this.socket.send('{"type":"ping"}');
  }

  keepAlive() {
    if (this.socket?.readyState !== WebSocket.OPEN) return;
    if (Date.now() - this.heardAt > SILENCE_MS) this.resync();
    else this.ping();
  }

  close() {
    this.closed = true;
    clearTimeout(this.timer);
    clearInterval(this.beat);
    window.removeEventListener('online', this.onOnline);
    window.removeEventListener('visibilitychange', this.onVisible, true);
    this.failUnanswered('ABORTED');
    this.socket?.close(1000);
    this.socket = null;
  }
}
