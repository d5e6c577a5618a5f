// Newline-delimited JSON as it arrives.

/**
 * @param {Response} response
 * @returns {AsyncGenerator<Record<string, any>, void, void>} one object a line; empty lines only show that the line is alive
 */
export async function* jsonLines(response) {
  if (!response.body) return;
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  try {
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return;
      rest += value;
      const lines = rest.split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) if (line.trim()) yield JSON.parse(line);
    }
  } finally {
    void reader.cancel().catch(() => {});
  }
}
