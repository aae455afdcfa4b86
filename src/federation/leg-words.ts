// Whose word an answer is: the leg's own, which decides something, or that of what stands before every leg (inbound.ts), which says nothing of what
// was asked: clocks differ, the peering rests, too much at once, something failed.
import type { Called } from './stream-ports.ts';

type Answer = Extract<Called, { kind: 'answer' }>;

const UNDECIDED: ReadonlySet<number> = new Set([408, 425, 429]);

/** Whether the peer takes nothing of ours just now. A block's 403, and others of a leg's own, have codes of their own. */
export const isClosed = ({ refusal, status }: Answer): boolean => status === 401 || (status === 403 && refusal?.code === 'FORBIDDEN');

/** Whether the leg was asked and has decided. */
export const isOfTheLeg = (answer: Answer): boolean => answer.status < 500 && !UNDECIDED.has(answer.status) && !isClosed(answer);
