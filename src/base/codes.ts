// Generated from proto/reedbed/v1/common.proto by `npm run gen`; not edited by hand.
// Every error and close code with what its receiver does about it.

export type ErrorCode =
  | 'UNSPECIFIED'
  | 'BAD_REQUEST'
  | 'UNAUTHENTICATED'
  | 'FORBIDDEN'
  | 'BLOCKED'
  | 'NOT_FOUND'
  | 'METHOD_NOT_ALLOWED'
  | 'CONFLICT'
  | 'TIP_MISMATCH'
  | 'USERNAME_TAKEN'
  | 'REMOVED'
  | 'TOO_LARGE'
  | 'UNSUPPORTED_MEDIA_TYPE'
  | 'INVALID'
  | 'RATE_LIMITED'
  | 'TOO_MANY_OPEN'
  | 'INTERNAL'
  | 'UNIMPLEMENTED'
  | 'UNAVAILABLE'
  | 'SIGNUP_CLOSED'
  | 'INVITE_INVALID'
  | 'KEY_REVOKED'
  | 'EXPIRED'
  | 'NOT_ACKNOWLEDGED'
  | 'CLOCK_DIFFERS';

export type CloseCode =
  | 'CLOSE_UNSPECIFIED'
  | 'CLOSE_GOING_AWAY'
  | 'CLOSE_UNAUTHENTICATED'
  | 'CLOSE_AUTHENTICATION_TIMEOUT'
  | 'CLOSE_MALFORMED_FRAME'
  | 'CLOSE_TEXT_FRAME'
  | 'CLOSE_FRAME_TOO_LARGE'
  | 'CLOSE_RATE_LIMITED'
  | 'CLOSE_SLOW_READER'
  | 'CLOSE_SILENT'
  | 'CLOSE_REPLACED'
  | 'CLOSE_SESSION_ENDED'
  | 'CLOSE_PRESENCE_LOST'
  | 'CLOSE_TOO_MANY_CONNECTIONS'
  | 'CLOSE_UNSUPPORTED_PROTOCOL'
  | 'CLOSE_INTERNAL'
  | 'CLOSE_UNEXPECTED_FRAME';

/** What a client does after a close: connect again with back-off, sign in anew, or stop. */
export type ClientPolicy = 'reconnect' | 'sign-in' | 'stop';

export type ErrorCodeEntry = { readonly number: number; readonly httpStatus: number; readonly retryable: boolean };
export type CloseCodeEntry = { readonly number: number; readonly clientPolicy: ClientPolicy };

export const ERROR_CODES: Readonly<Record<ErrorCode, ErrorCodeEntry>> = {
  UNSPECIFIED: { number: 0, httpStatus: 500, retryable: false },
  BAD_REQUEST: { number: 1, httpStatus: 400, retryable: false },
  UNAUTHENTICATED: { number: 2, httpStatus: 401, retryable: false },
  FORBIDDEN: { number: 3, httpStatus: 403, retryable: false },
  BLOCKED: { number: 4, httpStatus: 403, retryable: false },
  NOT_FOUND: { number: 5, httpStatus: 404, retryable: false },
  METHOD_NOT_ALLOWED: { number: 6, httpStatus: 405, retryable: false },
  CONFLICT: { number: 7, httpStatus: 409, retryable: false },
  TIP_MISMATCH: { number: 8, httpStatus: 409, retryable: false },
  USERNAME_TAKEN: { number: 9, httpStatus: 409, retryable: false },
  REMOVED: { number: 10, httpStatus: 410, retryable: false },
  TOO_LARGE: { number: 11, httpStatus: 413, retryable: false },
  UNSUPPORTED_MEDIA_TYPE: { number: 12, httpStatus: 415, retryable: false },
  INVALID: { number: 13, httpStatus: 422, retryable: false },
  RATE_LIMITED: { number: 14, httpStatus: 429, retryable: true },
  TOO_MANY_OPEN: { number: 15, httpStatus: 429, retryable: true },
  INTERNAL: { number: 16, httpStatus: 500, retryable: true },
  UNIMPLEMENTED: { number: 17, httpStatus: 501, retryable: false },
  UNAVAILABLE: { number: 18, httpStatus: 503, retryable: true },
  SIGNUP_CLOSED: { number: 19, httpStatus: 403, retryable: false },
  INVITE_INVALID: { number: 20, httpStatus: 403, retryable: false },
  KEY_REVOKED: { number: 21, httpStatus: 403, retryable: false },
  EXPIRED: { number: 22, httpStatus: 410, retryable: true },
  NOT_ACKNOWLEDGED: { number: 23, httpStatus: 408, retryable: true },
  CLOCK_DIFFERS: { number: 24, httpStatus: 401, retryable: true },
};

export const CLOSE_CODES: Readonly<Record<CloseCode, CloseCodeEntry>> = {
  CLOSE_UNSPECIFIED: { number: 0, clientPolicy: 'reconnect' },
  CLOSE_GOING_AWAY: { number: 4000, clientPolicy: 'reconnect' },
  CLOSE_UNAUTHENTICATED: { number: 4001, clientPolicy: 'sign-in' },
  CLOSE_AUTHENTICATION_TIMEOUT: { number: 4002, clientPolicy: 'reconnect' },
  CLOSE_MALFORMED_FRAME: { number: 4003, clientPolicy: 'stop' },
  CLOSE_TEXT_FRAME: { number: 4004, clientPolicy: 'stop' },
  CLOSE_FRAME_TOO_LARGE: { number: 4005, clientPolicy: 'stop' },
  CLOSE_RATE_LIMITED: { number: 4006, clientPolicy: 'reconnect' },
  CLOSE_SLOW_READER: { number: 4007, clientPolicy: 'reconnect' },
  CLOSE_SILENT: { number: 4008, clientPolicy: 'reconnect' },
  CLOSE_REPLACED: { number: 4009, clientPolicy: 'stop' },
  CLOSE_SESSION_ENDED: { number: 4010, clientPolicy: 'sign-in' },
  CLOSE_PRESENCE_LOST: { number: 4011, clientPolicy: 'reconnect' },
  CLOSE_TOO_MANY_CONNECTIONS: { number: 4012, clientPolicy: 'reconnect' },
  CLOSE_UNSUPPORTED_PROTOCOL: { number: 4013, clientPolicy: 'stop' },
  CLOSE_INTERNAL: { number: 4014, clientPolicy: 'reconnect' },
  CLOSE_UNEXPECTED_FRAME: { number: 4015, clientPolicy: 'stop' },
};

/** Whether a text names an error code. */
export const isErrorCode = (name: string): name is ErrorCode => Object.hasOwn(ERROR_CODES, name);

const ERROR_NAMES = new Map(Object.entries(ERROR_CODES).map(([name, { number }]) => [number, name as ErrorCode]));
const CLOSE_NAMES = new Map(Object.entries(CLOSE_CODES).map(([name, { number }]) => [number, name as CloseCode]));

/** The error code with this number on the wire; 'UNSPECIFIED' for a number that this version does not know. */
export const errorCodeOf = (number: number): ErrorCode => ERROR_NAMES.get(number) ?? 'UNSPECIFIED';

/** The close code with this number; 'CLOSE_UNSPECIFIED' for any other, such as the 1006 of a lost connection. */
export const closeCodeOf = (number: number): CloseCode => CLOSE_NAMES.get(number) ?? 'CLOSE_UNSPECIFIED';
