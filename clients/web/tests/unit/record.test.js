// A game told by its events.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { captures } from '../../app/game/captures.js';
import { clockOf } from '../../app/game/clock.js';
import { GameRecord, lookOf } from '../../app/game/record.js';
import { START } from '../../app/position/fen4.js';

const zero = { red: 0, blue: 0, yellow: 0, green: 0 };
const playing = { red: 'playing', blue: 'playing', yellow: 'playing', green: 'playing' };
const time = { red: 180000, blue: 180000, yellow: 180000, green: 180000 };

/** @param {object[]} events */
function tell(events) {
  const record = new GameRecord();
  events.forEach((event, i) => assert.equal(record.apply({ v: i + 1, at: '2026-01-01T00:00:00Z', ...event }), 'applied'));
  return record;
}

const opening = [
  { type: 'created', ply: 0, turn: null },
  { type: 'started', ply: 0, turn: 'red', fen4: START, points: zero, armies: playing, remaining_ms: time, deadline: '2026-01-01T00:00:30Z', clock_runs_from: null },
];

test('moves follow one another and what was captured is known', () => {
  const record = tell([
    ...opening,
    { type: 'move', seat: 'red', move: 'e1-d3', san: 'Ne1-d3', check: [], by_roaming: false, ply: 1, turn: 'blue', points: zero },
    { type: 'move', seat: 'blue', move: 'm4-k4', san: 'm4-k4', check: ['red'], by_roaming: false, ply: 2, turn: 'yellow', points: { ...zero, blue: 3 } },
  ]);
  assert.equal(record.ply, 2);
  assert.equal(record.turn, 'yellow');
  assert.deepEqual(record.last?.check, ['red']);
  assert.equal(record.moments[2].played?.gained, 3);
  assert.equal(record.moments[1].played?.san, 'Ne1-d3');
});

test('the points of a mate go to the move that made it, a frozen result stays', () => {
  const record = tell([
    ...opening,
    { type: 'resigned', seat: 'blue', ply: 0, turn: 'red', points: zero, armies: { ...playing, blue: 'resigned' } },
    { type: 'move', seat: 'red', move: 'e1-f3', check: ['green'], by_roaming: false, ply: 1, turn: 'blue', points: zero },
    { type: 'army_out', seat: 'green', how: 'checkmated', by: 'red', awarded: 20, points: { ...zero, red: 20 }, armies: { ...playing, blue: 'resigned', green: 'checkmated' } },
    { type: 'move', seat: 'blue', move: 'm7-l7', check: [], by_roaming: true, ply: 2, turn: 'yellow', points: { ...zero, red: 20, blue: 5 } },
  ]);
  assert.equal(record.moments[1].played?.gained, 20);
  assert.equal(record.moments[1].notes[0].how, 'checkmated');
  assert.equal(record.moments[1].notes[0].points, 20);
  assert.equal(record.result('blue'), 0);
  assert.equal(record.last?.points.blue, 5);
  assert.equal(record.moments[2].played?.byRoaming, true);
  assert.equal(lookOf('resigned'), 'roaming');
  assert.equal(lookOf('stalemated'), 'out');
});

test('an event that is known is passed over, a gap is told', () => {
  const record = tell(opening);
  assert.equal(record.apply({ v: 2, type: 'started', fen4: START }), 'known');
  assert.equal(record.apply({ v: 4, type: 'move', seat: 'red', move: 'h2-h4' }), 'gap');
  assert.equal(record.v, 2);
  assert.equal(record.ply, 0);
});

test('the end brings the standing', () => {
  const record = tell([...opening, { type: 'over', reason: 'last_player', standing: [{ seat: 'green', place: 1, result: 40 }] }]);
  assert.equal(record.status, 'over');
  assert.equal(record.turn, null);
  assert.equal(record.over?.standing[0].seat, 'green');
});

test('captured pieces are grouped by who took them, the most valuable first', () => {
  const record = tell([
    ...opening,
    { type: 'move', seat: 'red', move: 'g1-b7', check: [], by_roaming: false },
    { type: 'move', seat: 'blue', move: 'n7-a7', check: [], by_roaming: false },
    { type: 'move', seat: 'red', move: 'b7-a8', check: [], by_roaming: false },
  ]);
  assert.deepEqual(captures(record.moments).red.map((piece) => piece.role), ['queen', 'pawn']);
  assert.deepEqual(captures(record.moments).blue.map((piece) => piece.role), ['king']);
});

test('before a first move the clock stands and the time for it counts', () => {
  const record = tell(opening);
  const now = Date.parse('2026-01-01T00:00:10Z');
  assert.deepEqual(clockOf(record, 'red', now), { remainingMs: 180000, running: false, firstMoveMs: 20000 });
  assert.equal(clockOf(record, 'blue', now).firstMoveMs, null);
});

test('a running clock counts from when the server says, after the delay', () => {
  const record = tell([
    ...opening,
    ...['red', 'blue', 'yellow', 'green'].map((seat, i) => ({
      type: 'move', seat, move: ['h2-h3', 'm7-l7', 'g13-g12', 'b8-c8'][i], check: [], by_roaming: false,
      turn: ['blue', 'yellow', 'green', 'red'][i], remaining_ms: time, clock_runs_from: '2026-01-01T00:01:07Z', deadline: '2026-01-01T00:04:07Z',
    })),
  ]);
  assert.equal(clockOf(record, 'red', Date.parse('2026-01-01T00:01:03Z')).remainingMs, 180000);
  assert.equal(clockOf(record, 'red', Date.parse('2026-01-01T00:01:17Z')).remainingMs, 170000);
  assert.equal(clockOf(record, 'red', Date.parse('2026-01-01T01:00:00Z')).remainingMs, 0);
});
