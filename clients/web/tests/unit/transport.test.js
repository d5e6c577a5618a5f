import assert from 'node:assert/strict';
import { test } from 'node:test';
import { backoffMs } from '../../app/transport/backoff.js';
import { jsonLines } from '../../app/transport/lines.js';

test('waiting doubles up to eight seconds, half of it by chance', () => {
  assert.equal(backoffMs(0, () => 0), 125);
  assert.equal(backoffMs(0, () => 1), 250);
  assert.equal(backoffMs(3, () => 1), 2000);
  assert.equal(backoffMs(30, () => 1), 8000);
});

test('lines are put together whatever the chunks, empty ones are signs of life only', async () => {
  const chunks = ['{"type":"a"}\n{"ty', 'pe":"b"', '}\n\n', '{"type":"c"}\n'];
  const body = new ReadableStream({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(new TextEncoder().encode(chunk));
      controller.close();
    },
  });
  const types = [];
  for await (const event of jsonLines(new Response(body))) types.push(event.type);
  assert.deepEqual(types, ['a', 'b', 'c']);
});
