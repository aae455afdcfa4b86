// The fold's decisions: what follows from an answer, and when. Pure, so that every answer a server can give, or fail to give, has its row in a test.
import type { Limits } from '../base/limits.ts';
import type { FoldAnswer } from './fold-ports.ts';

/** blocked: by the author, or of it. key: not proven to be the requester's. size: too long. form: anything else that is of this request alone. */
export type CarrierRefused = 'blocked' | 'key' | 'size' | 'form';

/**
 * open: there is an event there. reed: nobody there has it. carrier: this request is not taken. next: another server is to be asked. again: as if it
 * had not been asked. away: the peer does not answer, nothing is known. unasked: this side ended the call; it is asked again when that is due.
 */
export type AfterRequest =
  | { readonly kind: 'open' }
  | { readonly kind: 'reed'; readonly isFound: boolean }
  | { readonly kind: 'carrier'; readonly why: CarrierRefused }
  | { readonly kind: 'next'; readonly isUnheld: boolean }
  | { readonly kind: 'again' }
  | { readonly kind: 'away' }
  | { readonly kind: 'unasked' };

/** Whether a peer takes nothing from us at all: a 403 of the peering, which a block's is not. */
const isClosed = (answer: FoldAnswer): boolean => answer.kind === 'answer' && answer.status === 403 && answer.code === 'FORBIDDEN';

/** Statuses below 500 that say nothing of the request itself: our clock or key, its time, or how many there were. */
const OF_THE_MOMENT: ReadonlySet<number> = new Set([401, 408, 425, 429]);

const isAccepted = (status: number): boolean => status >= 200 && status < 300;

/** What a request, or a fallback, came to. */
export function afterRequest(answer: FoldAnswer, isFallback: boolean): AfterRequest {
  if (answer.kind === 'transport') return { kind: answer.isOurs === true ? 'unasked' : 'away' };
  const { status } = answer;
  if (isAccepted(status)) return { kind: 'open' };
  // Of the peering, not of who asks: the peer takes no calls of ours, and may not have told us yet.
  if (isClosed(answer)) return { kind: 'away' };
  if (status === 403) return { kind: 'carrier', why: 'blocked' };
  if (status === 400) return { kind: 'carrier', why: 'key' };
  if (status === 410) return { kind: 'again' };
  if (isFallback && [404, 409, 422, 425].includes(status)) return { kind: 'next', isUnheld: status === 404 || status === 409 };
  if (status === 404 || status === 409) return { kind: 'reed', isFound: status === 409 };
  if (status < 400 || status >= 500 || OF_THE_MOMENT.has(status)) return { kind: 'away' };
  // The home took it; another server that has it may as well.
  if (isFallback) return { kind: 'next', isUnheld: false };
  return { kind: 'carrier', why: status === 413 ? 'size' : 'form' };
}

/** again: one more try from memory. */
export type AfterDelivery = 'relayed' | 'gone' | 'again' | 'failed';

/** What passing a copy on came to. It is held for `forwardMs` in all, and sent twice at most. */
export function afterDelivery(answer: FoldAnswer, of: { readonly leftMs: number; readonly tries: number }, limits: Limits): AfterDelivery {
  if (answer.kind === 'answer' && isAccepted(answer.status)) return 'relayed';
  if (answer.kind === 'answer' && (answer.status === 404 || answer.status === 410)) return 'gone';
  return of.tries < 2 && of.leftMs >= limits.forwardAgainMs ? 'again' : 'failed';
}

/** Whether a peer took a word, or has nothing that it could be about: both end what is owed. */
export const isSettled = (answer: FoldAnswer): boolean => answer.kind === 'answer' && (isAccepted(answer.status) || answer.status === 404);

/** Whether a peer could not be talked to: no answer, or one that says so. What this side ended says nothing of it. */
export const isFailing = (answer: FoldAnswer): boolean =>
  answer.kind === 'transport' ? answer.isOurs !== true : answer.status === 401 || answer.status >= 500 || isClosed(answer);

/** Whether a peer is there and has enough for now: nothing of it is lost, and nothing more is asked for a while. */
export const isBusy = (answer: FoldAnswer): boolean => answer.kind === 'answer' && answer.status === 429;

/** For how long a peer that could not be talked to, or has enough, is left alone: as the breaker says, or the peer itself, within bounds. */
export const awayMs = (answer: FoldAnswer, limits: Limits): number =>
  Math.min(limits.peerAwayMaxMs, Math.max(answer.retryAfterMs ?? 0, limits.peerAwayMs));
