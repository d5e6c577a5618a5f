// The client's picture of a game against the rule vectors: whatever was played, the pieces end where the rules say.

import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { applyMove, parseMove } from '../../app/position/apply.js';
import { parseFen4, START } from '../../app/position/fen4.js';

const FOLDER = new URL('../../../../libs/rules/tests/vectors/', import.meta.url);

for (const name of ['games.jsonl', 'sparse.jsonl', 'rare.jsonl']) {
  test(`${name}: castling, promotion and captures come out the same`, () => {
    const file = new URL(name, FOLDER);
    assert.ok(existsSync(file), `${file.pathname} is there`);
    const games = readFileSync(file, 'utf8').trim().split('\n').map((line) => JSON.parse(line));
    for (const game of games) {
      let { pieces } = parseFen4(game.start === 'startpos' ? START : game.start);
      for (const [action] of game.steps) {
        if (/^(resign|timeout) /.test(action)) continue;
        const squares = parseMove(action);
        assert.ok(squares, `${game.id}: ${action}`);
        ({ pieces } = applyMove(pieces, squares.from, squares.to));
      }
      assert.deepEqual(pieces, parseFen4(game.end.fen4).pieces, game.id);
    }
  });
}
