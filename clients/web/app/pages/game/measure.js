// How long a move takes from its event to the screen, left in the browser's performance timeline under this name.

const EVENT_TO_PAINT = 'fk:event-to-paint';

export function measureNextPaint() {
  if (document.visibilityState !== 'visible') return;
  const start = performance.now();
  requestAnimationFrame(() => {
    // A message posted in the frame is handled once that frame has been painted.
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      performance.measure(EVENT_TO_PAINT, { start, end: performance.now() });
      port1.close();
    };
    port2.postMessage(null);
  });
}
