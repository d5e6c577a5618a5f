// Short sounds made by the browser itself: no files, nothing to load.

import { setting } from '../shell/settings.js';

/** @typedef {'move' | 'capture' | 'check' | 'turn' | 'low' | 'start' | 'end'} Sound */

/** Each sound is notes: frequency in Hz, start and length in seconds, loudness. @type {Readonly<Record<Sound, number[][]>>} */
const SOUNDS = {
  move: [[220, 0, 0.05, 0.25]],
  capture: [[180, 0, 0.06, 0.35], [120, 0.03, 0.09, 0.35]],
  check: [[520, 0, 0.08, 0.22], [650, 0.07, 0.1, 0.22]],
  turn: [[440, 0, 0.09, 0.2], [660, 0.1, 0.14, 0.2]],
  low: [[880, 0, 0.07, 0.2], [880, 0.14, 0.07, 0.2]],
  start: [[330, 0, 0.1, 0.2], [440, 0.1, 0.1, 0.2], [550, 0.2, 0.16, 0.2]],
  end: [[550, 0, 0.12, 0.2], [440, 0.12, 0.12, 0.2], [330, 0.24, 0.22, 0.2]],
};

/** @type {AudioContext | null} */
let context = null;

/** @param {Sound} name */
export function play(name) {
  if (!setting('sound')) return;
  if (context?.state !== 'running') return;
  const now = context.currentTime;
  for (const [hertz, start, length, loudness] of SOUNDS[name]) {
    const oscillator = context.createOscillator();
    const volume = context.createGain();
    oscillator.type = 'triangle';
    oscillator.frequency.value = hertz;
    volume.gain.setValueAtTime(loudness, now + start);
    volume.gain.exponentialRampToValueAtTime(0.001, now + start + length);
    oscillator.connect(volume).connect(context.destination);
    oscillator.start(now + start);
    oscillator.stop(now + start + length);
  }
}

/** Browsers let a page make sounds only after a touch or a key, and may silence it again, as during a call. */
export function wakeSounds() {
  const wake = () => {
    if (!('AudioContext' in window)) return;
    context ??= new AudioContext();
    if (context.state !== 'running') void context.resume().catch(() => {});
  };
  window.addEventListener('pointerdown', wake);
  window.addEventListener('keydown', wake);
}
