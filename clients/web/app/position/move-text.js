// Moves as people type them.

import { nameOf, parseSquare } from './squares.js';

/**
 * `h2-h4`, `h2h4`, `h2 h4`, `Ng1xf3`, `g7-g8=D+` become `h2-h4`; `o-o` and `0-0-0` become `O-O` and `O-O-O`.
 * @param {string} text
 * @returns {string | null} null if it is no move
 */
export function readMove(text) {
  const plain = text.trim().replace(/[+#!?]+$/, '');
  if (/^[oO0]-?[oO0]$/.test(plain)) return 'O-O';
  if (/^[oO0]-?[oO0]-?[oO0]$/.test(plain)) return 'O-O-O';
  const found = /^[KQRBNPD]?([a-n]\d{1,2})\s*(?:[-x:\s]\s*[KQRBNPD]?)?([a-n]\d{1,2})(?:=?[QD])?$/.exec(plain);
  if (!found) return null;
  const from = parseSquare(found[1]);
  const to = parseSquare(found[2]);
  if (from === null || to === null || from === to) return null;
  return `${nameOf(from)}-${nameOf(to)}`;
}
