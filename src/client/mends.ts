// What to do about a refusal, in words for the person: the detail of an error says what was wrong, this says what helps.
import type { ErrorCode } from '../base/codes.ts';
import { AppError } from '../base/errors.ts';

const MENDS: Partial<Record<ErrorCode, string>> = {
  UNAUTHENTICATED: 'link this device again',
  BLOCKED: 'only the member who blocks you can end it',
  REMOVED: 'it will not come back; leave the reference to it out',
  NOT_FOUND: 'check the id; it may not be published yet',
  TOO_LARGE: 'make it shorter',
  CONFLICT: 'make it anew, so that it gets an id of its own',
  USERNAME_TAKEN: 'choose another name',
  KEY_REVOKED: 'sign with a key that is not revoked: rotate it, or restore from the newest backup',
  FORBIDDEN: 'sign in as the member whose act this is',
  UNAVAILABLE: 'try again when the server can be reached',
  INTERNAL: 'try again later',
  RATE_LIMITED: 'wait a while, then try again',
  TOO_MANY_OPEN: 'wait until some of what is open has ended',
};

const SAYS_SO = '; ';

/** The same error with the mend behind its detail; one that has none, or has it already, as it is. */
export function withMend(error: AppError, mend = MENDS[error.code]): AppError {
  if (mend === undefined || error.detail.endsWith(mend)) return error;
  const detail = error.detail === '' ? mend : `${error.detail}${SAYS_SO}${mend}`;
  return new AppError(error.code, detail, {
    cause: error,
    ...(error.retryAfterMs === undefined ? {} : { retryAfterMs: error.retryAfterMs }),
    ...(error.certificate === undefined ? {} : { certificate: error.certificate }),
  });
}

/** Runs a call whose refusal is shown to a person. */
export async function mended<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof AppError ? withMend(error) : error;
  }
}
