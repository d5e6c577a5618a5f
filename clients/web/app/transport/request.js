// One HTTP request to the API: token, JSON, problem documents, retries of what may be repeated.

import { backoffMs, pause } from './backoff.js';
import { identity, setIdentity } from './identity.js';

export class ApiError extends Error {
  /**
   * @param {number} status 0 if no answer came
   * @param {string} code
   * @param {Record<string, any>} problem
   * @param {number | null} retryAfterS
   */
  constructor(status, code, problem, retryAfterS) {
    super(String(problem.detail ?? problem.title ?? code));
    this.status = status;
    this.code = code;
    this.problem = problem;
    this.retryAfterS = retryAfterS;
  }
}

/**
 * @typedef {object} RequestOptions
 * @property {unknown} [body]
 * @property {AbortSignal} [signal]
 * @property {boolean} [creates] sent with an idempotency key, so that a repeat cannot create twice
 */

const RETRIES = 3;

/**
 * @param {string} method
 * @param {string} path below `/v1`
 * @param {RequestOptions} [options]
 * @returns {Promise<any>} the JSON answer, or null if it has no body
 */
export async function request(method, path, options = {}) {
  const response = await send(method, path, options);
  if (response.status === 204) return null;
  return response.json();
}

/**
 * @param {string} method
 * @param {string} path
 * @param {RequestOptions} [options]
 * @returns {Promise<Response>} a successful response
 */
export async function send(method, path, { body, signal, creates = false } = {}) {
  /** @type {Record<string, string>} */
  const headers = { Accept: 'application/json, application/x-ndjson' };
  const token = identity()?.token;
  if (token) headers.Authorization = `Bearer ${token}`;
  if (body !== undefined) headers['Content-Type'] = 'application/json';
  if (creates) headers['Idempotency-Key'] = crypto.randomUUID?.() ?? String(Math.random()).slice(2);
  const repeatable = method === 'GET' || method === 'DELETE' || creates;
  for (let attempt = 0; ; attempt++) {
    const failure = await attemptOnce();
    if (failure instanceof Response) return failure;
    if (signal?.aborted) throw failure;
    const passing = failure.status === 0 || failure.status === 503;
    if (!passing || !repeatable || attempt >= RETRIES) throw forget(failure, token);
    await pause(backoffMs(attempt + 1), signal);
  }

  /** @returns {Promise<Response | ApiError>} */
  async function attemptOnce() {
    try {
      const response = await fetch(`/v1${path}`, {
        method,
        headers,
        body: body === undefined ? undefined : JSON.stringify(body),
        signal,
        cache: 'no-store',
      });
      return response.ok ? response : await problemOf(response);
    } catch (error) {
      return new ApiError(0, signal?.aborted ? 'ABORTED' : 'OFFLINE', { detail: String(error) }, null);
    }
  }
}

/** @param {Response} response @returns {Promise<ApiError>} */
async function problemOf(response) {
  /** @type {Record<string, any>} */
  let problem = {};
  try {
    problem = await response.json();
  } catch {
    // A proxy's own error page; the status says enough.
  }
  const wait = Number(response.headers.get('Retry-After'));
  const code = typeof problem.code === 'string' ? problem.code : response.status >= 500 ? 'UNAVAILABLE' : 'BAD_REQUEST';
  return new ApiError(response.status, code, problem, Number.isFinite(wait) && wait > 0 ? wait : null);
}

/**
 * A token the server does not know any more is dropped, so that the next step makes a new guest.
 * @param {ApiError} failure
 * @param {string | undefined} token
 */
function forget(failure, token) {
  if (failure.status === 401 && token && identity()?.token === token) setIdentity(null);
  return failure;
}
