// The line to a game: coming back, sending again, starting over.

import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';

/** @type {FakeSocket[]} */
const sockets = [];

class FakeSocket {
  static OPEN = 1;

  /** @param {string} url @param {string[]} protocols */
  constructor(url, protocols) {
    this.url = url;
    this.protocols = protocols;
    this.readyState = 0;
    /** @type {any[]} */
    this.sent = [];
    sockets.push(this);
  }

  open() {
    this.readyState = 1;
    /** @type {any} */ (this).onopen();
  }

  /** @param {object} frame */
  tell(frame) {
    /** @type {any} */ (this).onmessage({ data: JSON.stringify(frame) });
  }

  /** @param {number} code @param {string} [reason] */
  drop(code, reason = '') {
    this.readyState = 3;
    /** @type {any} */ (this).onclose({ code, reason });
  }

  /** @param {string} text */
  send(text) {
    this.sent.push(JSON.parse(text));
  }

  close() {
    this.readyState = 3;
  }

  get commands() {
    return this.sent.filter((frame) => frame.type !== 'ping');
  }
}

const identity = { player: { id: 'p1', name: 'Ann', guest: true }, token: 'abc' };
/** @type {any} */ (globalThis).window = { addEventListener() {}, removeEventListener() {}, setTimeout, setInterval };
/** @type {any} */ (globalThis).localStorage = { getItem: () => JSON.stringify(identity), setItem() {}, removeItem() {} };
/** @type {any} */ (globalThis).location = { origin: 'http://play.test' };
/** @type {any} */ (globalThis).WebSocket = FakeSocket;

const { GameSocket } = await import('../../app/transport/game-socket.js');
const { GameFollower } = await import('../../app/game/follow.js');

const soon = (ms = 5) => new Promise((resolve) => setTimeout(resolve, ms));
const newest = () => sockets[sockets.length - 1];

/** @param {Partial<import('../../app/transport/game-socket.js').SocketOwner>} [owner] */
const listen = (owner = {}) => new GameSocket('g1', {
  head: () => 0, onEvent() {}, onPassing() {}, onStatus() {}, onServerTime() {}, onTokenDead() {}, onAhead() {}, ...owner,
});

beforeEach(() => {
  sockets.length = 0;
});

test('it says who it is by subprotocol and asks for what comes after what it knows', () => {
  const socket = listen({ head: () => 17 });
  assert.equal(newest().url, 'ws://play.test/v1/games/g1/socket?after=17');
  assert.deepEqual(newest().protocols, ['four-kingdoms.v1', 'bearer.abc']);
  socket.close();
});

test('a command that was not acknowledged is sent again, the same, after a loss; an acknowledged one is not', async () => {
  const socket = listen();
  newest().open();
  const first = socket.send({ type: 'move', ply: 0, move: 'h2-h4' });
  const second = socket.send({ type: 'move', ply: 4, move: 'e1-f3' });
  const [a, b] = newest().commands;
  newest().tell({ type: 'ack', id: a.id, ply: 1 });
  assert.deepEqual(await first, { ok: true, ply: 1 });
  newest().drop(1012, 'retry_ms=10');
  await soon(320);
  assert.equal(sockets.length, 2);
  newest().open();
  assert.deepEqual(newest().commands, [b]);
  newest().tell({ type: 'refused', id: b.id, code: 'STALE_PLY', ply: 6 });
  assert.deepEqual(await second, { ok: false, code: 'STALE_PLY', ply: 6 });
  socket.close();
});

test('a restart’s hint is kept, and nothing comes back after the last event', async () => {
  /** @type {string[]} */
  const told = [];
  const socket = listen({ onStatus: (status) => told.push(status) });
  newest().open();
  newest().drop(1012, 'retry_ms=600');
  await soon(400);
  assert.equal(sockets.length, 1, 'not before the hint');
  await soon(300);
  assert.equal(sockets.length, 2);
  newest().open();
  newest().drop(1000);
  await soon(400);
  assert.equal(sockets.length, 2);
  assert.deepEqual(told, ['connecting', 'open', 'waiting', 'connecting', 'open', 'ended']);
  socket.close();
});

test('a gap between events makes it ask again from the last one it knows', async () => {
  /** @type {any} */ (globalThis).fetch = async () => new Response(JSON.stringify({ id: 'g1', v: 1, status: 'running', seats: {} }));
  const follower = new GameFollower('g1', {});
  await soon();
  newest().open();
  newest().tell({ v: 1, type: 'created' });
  newest().tell({ v: 3, type: 'seated', seat: 'red' });
  assert.equal(sockets.length, 2);
  assert.match(newest().url, /after=1$/);
  newest().open();
  newest().tell({ v: 1, type: 'created' });
  newest().tell({ v: 2, type: 'seated', seat: 'red' });
  newest().tell({ v: 3, type: 'seated', seat: 'blue' });
  assert.equal(follower.record.v, 3);
  follower.close();
});

test('a server that knows less makes it start over from nothing', async () => {
  /** @type {any} */ (globalThis).fetch = async () => new Response(JSON.stringify({ id: 'g1', v: 2, status: 'running', seats: {} }));
  const follower = new GameFollower('g1', {});
  await soon();
  newest().open();
  newest().tell({ v: 1, type: 'created' });
  newest().tell({ v: 2, type: 'seated', seat: 'red' });
  newest().tell({ type: 'pong', v: 1, ply: 0, server_now: '2026-01-01T00:00:00Z' });
  assert.match(newest().url, /after=0$/);
  assert.equal(follower.record.v, 0);
  follower.close();
});
