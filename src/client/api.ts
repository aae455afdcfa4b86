// Calls to the server's HTTP API. Every refusal becomes an AppError with the code of its problem document; no text is ever parsed.
// A call that needs a session and is answered UNAUTHENTICATED is made once more with a new token.

import type { Clock } from '../base/clock.ts';
import type { ErrorCode } from '../base/codes.ts';
import { ERROR_CODES } from '../base/codes.ts';
import { AppError } from '../base/errors.ts';
import type { HttpFetch } from './ports.ts';

const TIMEOUT_MS = 15_000;

export type TokenSource = {
  /** The token of the running session, or a new one. */
  token(): Promise<string>;
  /** The server no longer takes this token. */
  refused(token: string): void;
};

export type Call = {
  readonly method?: 'GET' | 'POST' | 'DELETE';
  readonly body?: unknown;
  /** Absent: the call needs no session. */
  readonly session?: TokenSource;
};

/** Takes the certificate with an answer that something was taken back, before the caller hears of it. Never rejects. */
export type RemovalTold = (certificate: object) => Promise<void>;

export class Api {
  readonly #origin: string;
  readonly #fetch: HttpFetch;
  readonly #clock: Clock;
  readonly #removed: RemovalTold | null;

  constructor(serverUrl: string, fetch: HttpFetch, clock: Clock, removed: RemovalTold | null = null) {
    this.#origin = new URL(serverUrl).origin;
    this.#fetch = fetch;
    this.#clock = clock;
    this.#removed = removed;
  }

  /** The same server, for calls whose 410 is news to be kept. */
  telling(removed: RemovalTold): Api {
    return new Api(this.#origin, this.#fetch, this.#clock, removed);
  }

  /** The server's web origin. */
  get origin(): string {
    return this.#origin;
  }

  get socketUrl(): string {
    return `${this.#origin.replace(/^http/, 'ws')}/socket`;
  }

  /**
   * Calls `/api/v1/<path>`; `path` is already encoded.
   * @returns the decoded JSON, undefined if there is no body; its shape is checked by whoever asked
   * @throws AppError with the problem's code; UNAVAILABLE if there was no answer
   */
  async call(path: string, call: Call = {}): Promise<unknown> {
    try {
      return await this.#inSession(path, call);
    } catch (error) {
      if (error instanceof AppError && error.code === 'REMOVED' && error.certificate) await this.#removed?.(error.certificate);
      throw error;
    }
  }

  async #inSession(path: string, call: Call): Promise<unknown> {
    if (!call.session) return this.#once(path, call, null);
    const token = await call.session.token();
    try {
      return await this.#once(path, call, token);
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'UNAUTHENTICATED') throw error;
      call.session.refused(token);
      return this.#once(path, call, await call.session.token());
    }
  }

  async #once(path: string, { method = 'GET', body }: Call, token: string | null): Promise<unknown> {
    const headers = new Headers({ accept: 'application/json' });
    if (body !== undefined) headers.set('content-type', 'application/json');
    if (token !== null) headers.set('authorization', `Bearer ${token}`);
    const abort = new AbortController();
    const timer = this.#clock.after(TIMEOUT_MS, () => abort.abort());
    try {
      const response = await this.#fetch(`${this.#origin}/api/v1/${path}`, {
        method,
        headers,
        signal: abort.signal,
        credentials: 'omit',
        redirect: 'error',
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const text = await response.text();
      if (!response.ok) throw problemOf(response, text);
      return text === '' ? undefined : JSON.parse(text);
    } catch (error) {
      if (error instanceof AppError) throw error;
      throw new AppError('UNAVAILABLE', 'the server could not be reached', { cause: error });
    } finally {
      timer.cancel();
    }
  }
}

function problemOf(response: Response, text: string): AppError {
  const problem = objectIn(text);
  const code = typeof problem.code === 'string' && Object.hasOwn(ERROR_CODES, problem.code) ? (problem.code as ErrorCode) : null;
  const retryAfterMs = typeof problem.retryAfterMs === 'number' ? problem.retryAfterMs : headerMs(response);
  const { certificate } = problem;
  return new AppError(code ?? codeOfStatus(response.status), typeof problem.detail === 'string' ? problem.detail : response.statusText, {
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    ...(typeof certificate === 'object' && certificate !== null ? { certificate } : {}),
  });
}

function objectIn(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

function headerMs(response: Response): number | undefined {
  const seconds = Number(response.headers.get('retry-after') ?? Number.NaN);
  return Number.isFinite(seconds) ? seconds * 1_000 : undefined;
}

/** For answers that are no problem documents of ours: something in between spoke. */
function codeOfStatus(status: number): ErrorCode {
  if (status === 429) return 'RATE_LIMITED';
  if (status >= 500) return 'UNAVAILABLE';
  return status === 404 ? 'NOT_FOUND' : 'BAD_REQUEST';
}
