// What went wrong, in words.

import { named, t } from '../i18n/index.js';
import { ApiError } from '../transport/request.js';
import { toast } from './say.js';

/** @param {string} code a code of the API @param {number | null} [retryAfterS] */
export function failureText(code, retryAfterS) {
  if ((code === 'COOLDOWN' || code === 'RATE_LIMITED') && retryAfterS) return t('error.wait', { n: Math.ceil(retryAfterS) });
  const text = named('error', code);
  return text === code ? t('error.other', { code }) : text;
}

/** @param {unknown} failure */
export function describeFailure(failure) {
  if (failure instanceof ApiError) return failureText(failure.code, failure.retryAfterS);
  console.error(failure);
  return t('error.other', { code: failure instanceof Error ? failure.name : String(failure) });
}

/** @param {unknown} failure */
export function tellFailure(failure) {
  toast(describeFailure(failure), { kind: 'problem' });
}
