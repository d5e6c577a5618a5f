// The player's own event stream (a game started, a turn came, a rematch is wanted), read by one tab and passed on to the
// others, since browsers allow few connections to one host.

import { backoffMs, pause } from './backoff.js';
import { identity, onIdentity } from './identity.js';
import { jsonLines } from './lines.js';
import { send } from './request.js';

/** @typedef {{ type: string, [field: string]: any }} MeEvent */

const CHANNEL = 'fk.me-events';

/** @type {Set<(event: MeEvent) => void>} */
const listeners = new Set();

/** @type {AbortController | null} */
let reading = null;

const channel = 'BroadcastChannel' in window ? new BroadcastChannel(CHANNEL) : null;
if (channel) channel.onmessage = (message) => tell(message.data);

/** @param {MeEvent} event */
function tell(event) {
  for (const listener of listeners) listener(event);
}

/** @param {(event: MeEvent) => void} listener @returns {() => void} stops listening */
export function onMeEvent(listener) {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Follows whoever is signed in, from now on. */
export function startMeEvents() {
  restart();
  onIdentity(restart);
}

let readingFor = '';

function restart() {
  const token = identity()?.token ?? '';
  if (token === readingFor) return;
  readingFor = token;
  reading?.abort();
  reading = null;
  if (!token) return;
  const control = new AbortController();
  reading = control;
  const read = () => readUntilAborted(control.signal);
  if (navigator.locks) navigator.locks.request(CHANNEL, { signal: control.signal }, read).catch(() => {});
  else void read();
}

/** @param {AbortSignal} signal */
async function readUntilAborted(signal) {
  for (let attempt = 0; !signal.aborted; attempt++) {
    try {
      const response = await send('GET', '/me/events', { signal });
      for await (const event of jsonLines(response)) {
        attempt = 0;
        tell(/** @type {MeEvent} */ (event));
        channel?.postMessage(event);
      }
    } catch (error) {
      if (signal.aborted) return;
    }
    await pause(backoffMs(attempt + 1), signal);
  }
}
