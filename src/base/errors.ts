// The one error class. Its code maps to an HTTP status, a problem document or an ERROR frame once, at the edge;
// `detail` is written for the caller, `cause` goes to the log only.
import type { ErrorCode } from './codes.ts';

export type AppErrorOptions = {
  readonly cause?: unknown;
  /** How long the caller should wait before trying again, in milliseconds. */
  readonly retryAfterMs?: number;
  /** A certificate that explains the refusal (a block, a removal, a revocation). */
  readonly certificate?: object;
  /** The cause has been told to the log already, once for all who get this error. */
  readonly isLogged?: boolean;
};

export class AppError extends Error {
  override readonly name = 'AppError';
  readonly code: ErrorCode;
  readonly detail: string;
  readonly retryAfterMs: number | undefined;
  readonly certificate: object | undefined;
  readonly isLogged: boolean;

  constructor(code: ErrorCode, detail: string, options: AppErrorOptions = {}) {
    super(`${code}: ${detail}`, { cause: options.cause });
    this.code = code;
    this.detail = detail;
    this.retryAfterMs = options.retryAfterMs;
    this.certificate = options.certificate;
    this.isLogged = options.isLogged ?? false;
  }
}
