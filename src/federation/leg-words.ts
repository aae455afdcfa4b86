// Whose word an answer is: the leg's own, which decides something, or that of what stands before every leg (inbound.ts), which says nothing of what
// was asked: clocks differ, the peering rests, too much at once, something failed.
import type { Called } from './stream-ports.ts';

type Answer = Extract<Called, { kind: 'answer' }>;

const UNDECIDED: ReadonlySet<number> = new Set([408, 425, 429]);

/** Whether the peer takes nothing of ours just now. A block's 403, and others of a leg's own, have codes of their own. */
export const isClosed = ({ refusal, status }: Answer): boolean => status === 401 || (status === 403 && refusal?.code === 'FORBIDDEN');

/** What of a transport's faults this side did: it ended the call, or had too many. */
const OURS: ReadonlySet<string> = new Set(['closed', 'busy']);

/** Whether a call came to nothing by this side's doing, which says nothing of the peer. */
export const isOurs = (called: Called): boolean => called.kind === 'transport' && OURS.has(called.reason ?? '');

/** Whether the peer is there and has enough of our calls, or was not called for that. */
export const isSated = (called: Called): boolean =>
  called.kind === 'answer' ? called.status === 429 : called.kind === 'held' && called.isSated === true;

/** Whether it was not called since it is no peer that may be: none any more, or not now. */
export const isNoPeer = (called: Called): boolean => called.kind === 'held' && called.untilMs === null;

/** Whether a call that brought no answer of the leg says that the peer is lost to whoever waits for it. */
export const isLost = (called: Called): boolean => !isOurs(called) && !isSated(called);

/** Whether the leg was asked and has decided. */
export const isOfTheLeg = (answer: Answer): boolean => answer.status < 500 && !UNDECIDED.has(answer.status) && !isClosed(answer);
