// What follows an ERROR about a request: waiting and asking again, or an end. What passes by itself is waited out, within bounds; what
// the server counts per hour is repeated so seldom that waiting never becomes the reason for being refused.
import { doubling } from '../base/backoff.ts';
import type { ErrorCode } from '../base/codes.ts';
import type { FrameBodies } from '../wire/frames.ts';
import type { Pending } from './pending.ts';
import { RequestFailure, type RequestOutcome } from './types.ts';

const RETRY_FIRST_MS = 2_000;
const RETRY_MAX_MS = 60_000;
/** A refusal that lasts longer than this is told instead of waited out. */
const WAIT_MAX_MS = 120_000;
export const REFUSALS_MAX = 5;
/** Up to here a rate limit is the budget as a whole, which has room for one request after the other. */
const BUDGET_WAIT_MAX_MS = 10_000;
/** The server counts repetitions of a request: so far apart, no more than it takes (5) fall into one hour. */
const REPEAT_GROWTH = 5;
const REPEAT_MAX_MS = 3_600_000;

const OUTCOMES: Partial<Record<ErrorCode, RequestOutcome>> = {
  NOT_FOUND: 'not-found',
  REMOVED: 'removed',
  BLOCKED: 'blocked',
  EXPIRED: 'expired',
  NOT_ACKNOWLEDGED: 'not-acknowledged',
  RATE_LIMITED: 'rate-limited',
  TOO_MANY_OPEN: 'too-many-open',
};
const PASSING: ReadonlySet<ErrorCode> = new Set<ErrorCode>(['RATE_LIMITED', 'TOO_MANY_OPEN', 'INTERNAL', 'UNAVAILABLE']);
/** What passes without our doing, and must not be asked after too often. */
const LACKS: Partial<Record<ErrorCode, 'place' | 'time'>> = { TOO_MANY_OPEN: 'place', UNAVAILABLE: 'time' };

/** `inTurn`: one after the other with those that are held back already. `freed`: the server had a place for it until now. */
export type Verdict =
  | { readonly waitMs: number; readonly state: 'held-back' | 'sending'; readonly inTurn: boolean }
  | { readonly failure: RequestFailure; readonly freed: boolean };

/** The wait after so many vain tries in a row, ms. */
export const retryDelayMs = (tries: number): number => doubling(tries, RETRY_FIRST_MS, RETRY_MAX_MS);

/** Notes a refusal with the request. @returns what to do about it */
export function judgeRefusal(pending: Pending, error: FrameBodies['error']): Verdict {
  const isRepetition = pending.known || pending.record.want === 'confirmation' || pending.lacks !== null;
  if (error.code === 'RATE_LIMITED' && isRepetition) return heldBack(pending, error.retryAfterMs);
  pending.refusals++;
  pending.lacks = LACKS[error.code] ?? null;
  const passing = PASSING.has(error.code);
  const retryAfterMs = error.retryAfterMs || retryDelayMs(pending.refusals);
  if (passing && retryAfterMs <= WAIT_MAX_MS && (pending.lacks === 'place' || pending.refusals < REFUSALS_MAX)) {
    const waitMs = pending.lacks === null ? retryAfterMs : apart(pending.refusals, error.retryAfterMs || RETRY_FIRST_MS);
    return { waitMs, state: error.code === 'RATE_LIMITED' ? 'held-back' : 'sending', inTurn: false };
  }
  return { failure: new RequestFailure(OUTCOMES[error.code] ?? 'refused', passing ? { retryAfterMs } : {}), freed: !passing };
}

/**
 * The budget has no room for a repetition. What it repeats may still stand on the server, or was refused only because it was repeated, so
 * nothing has ended; but it is not repeated sooner than the server says, on whatever connection.
 */
function heldBack(pending: Pending, retryAfterMs: number): Verdict {
  const waitMs = retryAfterMs || RETRY_MAX_MS;
  pending.lacks = 'budget';
  return { waitMs, state: 'held-back', inTurn: waitMs <= BUDGET_WAIT_MAX_MS };
}

const apart = (refusals: number, firstMs: number): number => Math.min(REPEAT_MAX_MS, firstMs * REPEAT_GROWTH ** (refusals - 1));
