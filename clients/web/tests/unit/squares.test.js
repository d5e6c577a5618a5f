import assert from 'node:assert/strict';
import { test } from 'node:test';
import { applyMove, parseMove } from '../../app/position/apply.js';
import { parseFen4, START } from '../../app/position/fen4.js';
import { readMove } from '../../app/position/move-text.js';
import { reach } from '../../app/position/reach.js';
import { fromView, lineOf, nameOf, parseSquare, SEATS, SQUARES, toView } from '../../app/position/squares.js';
import { matchPieces } from '../../app/board/match-pieces.js';

const at = (/** @type {string} */ name) => /** @type {number} */ (parseSquare(name));
const start = parseFen4(START).pieces;

test('the cross has 160 squares and no corners', () => {
  assert.equal(SQUARES.length, 160);
  assert.equal(parseSquare('a1'), null);
  assert.equal(parseSquare('n14'), null);
  assert.equal(nameOf(at('n11')), 'n11');
});

test('every seat sees its own king at the bottom and the next seat at its right', () => {
  const home = { red: 'h1', blue: 'n8', yellow: 'g14', green: 'a7' };
  SEATS.forEach((seat, i) => {
    assert.equal(toView(at(home[seat]), seat).y, 13, seat);
    assert.equal(toView(at(home[SEATS[(i + 1) % 4]]), seat).x, 13, `right of ${seat}`);
    for (const square of SQUARES) {
      const { x, y } = toView(square, seat);
      assert.equal(fromView(x, y, seat), square);
    }
  });
});

test('every army stands with its queen on its king’s left', () => {
  for (const seat of SEATS) {
    const x = (/** @type {string} */ role) => toView(start.findIndex((piece) => piece?.seat === seat && piece.role === role), seat).x;
    assert.equal(x('queen'), 6, seat);
    assert.equal(x('king'), 7, seat);
  }
});

test('lines count from an army’s own edge', () => {
  assert.equal(lineOf('red', at('h8')), 8);
  assert.equal(lineOf('blue', at('g5')), 8);
  assert.equal(lineOf('yellow', at('f7')), 8);
  assert.equal(lineOf('green', at('h10')), 8);
});

test('a FEN4 with an army that is out, a promoted queen and an extra field is read', () => {
  const text = "Y-1,0,0,0-0,0,0,0-0,0,0,0-7,12,0,3-4-{'resigned':(false,true,false,false),'frozen':('','12','','')}-"
    + 'x,x,x,8,x,x,x/3,8,3/3,8,3/14/14/14/10,bK,3/gK,5,rD,7/14/5,drP,8/14/3,8,3/3,8,3/3,4,drK,3,3';
  const position = parseFen4(text);
  assert.equal(position.turn, 'yellow');
  assert.equal(position.dead.red, true);
  assert.deepEqual(position.points, { red: 7, blue: 12, yellow: 0, green: 3 });
  assert.deepEqual(position.pieces[at('g7')], { seat: 'red', role: 'queen', promoted: true });
  assert.deepEqual(position.pieces[at('f5')], { seat: 'red', role: 'pawn', promoted: false });
});

test('castling moves the rook of the side the king goes to', () => {
  const cleared = start.slice();
  for (const name of ['i1', 'j1', 'e1', 'f1', 'g1']) cleared[at(name)] = null;
  const short = applyMove(cleared, at('h1'), at('j1')).pieces;
  assert.equal(short[at('i1')]?.role, 'rook');
  assert.equal(short[at('k1')], null);
  const long = applyMove(cleared, at('h1'), at('f1')).pieces;
  assert.equal(long[at('g1')]?.role, 'rook');
  assert.equal(long[at('d1')], null);
});

test('a pawn that reaches line 8 becomes a queen that remembers it', () => {
  const pieces = start.slice();
  pieces[at('h7')] = { seat: 'red', role: 'pawn', promoted: false };
  const { pieces: after, promoted } = applyMove(pieces, at('h7'), at('h8'));
  assert.equal(promoted, true);
  assert.deepEqual(after[at('h8')], { seat: 'red', role: 'queen', promoted: true });
  pieces[at('g9')] = { seat: 'yellow', role: 'pawn', promoted: false };
  assert.equal(applyMove(pieces, at('g9'), at('g8')).promoted, false);
});

test('pieces reach what their way of moving allows, and wishes reach further', () => {
  const names = (/** @type {number[]} */ squares) => squares.map(nameOf).sort();
  assert.deepEqual(names(reach(start, at('h2'), false)), ['h3', 'h4']);
  assert.deepEqual(names(reach(start, at('m7'), false)), ['k7', 'l7']);
  assert.deepEqual(names(reach(start, at('e1'), false)), ['d3', 'f3']);
  assert.deepEqual(names(reach(start, at('h2'), true)), ['g3', 'h3', 'h4', 'i3']);
  assert.deepEqual(reach(start, at('d1'), false), []);
  assert.ok(reach(start, at('d1'), true).includes(at('d14')));
});

test('moves are read as people write them', () => {
  for (const text of ['h2-h4', 'h2h4', 'h2 h4', 'H2-H4'.toLowerCase(), 'h2xh4', 'h2-h4+', 'h2-h4=Q', 'h2-h4=D#']) assert.equal(readMove(text), 'h2-h4', text);
  assert.equal(readMove('Ng1xBf3'), 'g1-f3');
  assert.equal(readMove('Qn10-a10'), 'n10-a10');
  assert.equal(readMove('o-o'), 'O-O');
  assert.equal(readMove('0-0-0'), 'O-O-O');
  for (const text of ['', 'h2', 'a1-a2', 'h2-h2', 'z9-h4', 'hello']) assert.equal(readMove(text), null, text);
  assert.deepEqual(parseMove('h2-h4'), { from: at('h2'), to: at('h4') });
});

test('pieces glide from where they were, and captured ones vanish', () => {
  const pieces = start.slice();
  pieces[at('h3')] = { seat: 'blue', role: 'knight', promoted: false };
  const after = applyMove(pieces, at('i2'), at('h3')).pieces;
  assert.deepEqual(matchPieces(pieces, after), { moves: [{ from: at('i2'), to: at('h3') }], gone: [at('h3')], come: [] });
});
