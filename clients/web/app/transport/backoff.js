// How long to wait before trying again.

const FIRST_MS = 250;
const LONGEST_MS = 8000;

/**
 * Doubles from a quarter of a second to eight seconds; half of it is left to chance so that clients do not come in step.
 * @param {number} attempt from 0
 * @param {() => number} [random]
 */
export function backoffMs(attempt, random = Math.random) {
  const ceiling = Math.min(LONGEST_MS, FIRST_MS * 2 ** attempt);
  return Math.round(ceiling / 2 + (ceiling / 2) * random());
}

/**
 * @param {number} ms
 * @param {AbortSignal} [signal] ends the wait early, without an error
 * @returns {Promise<void>}
 */
export function pause(ms, signal) {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve();
    const done = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal?.addEventListener('abort', done);
  });
}
