// What a peer's answer means for our place in an author's stream. A pure function: stored state, what was sent, what came back, and now.
// The cursor follows what the peer says it has; what it refuses is parked, what it can't take yet is tried again, and nothing is passed over unseen.
import { doubling, jittered } from '../base/backoff.ts';
import type { Limits } from '../base/limits.ts';
import { decodeStreamAnswer, type StreamAnswer } from '../wire/streams.ts';
import type { Called } from './stream-ports.ts';

export type CursorState = {
  /** What came before the peering. */
  readonly start: number;
  /** What the peer has, as far as we know. */
  readonly cursor: number;
  /** The highest cursor ever: up to here the numbers mean the same to both. */
  readonly acked: number;
  /** The highest number that was ever on the wire, as far as we remember; this request's come to it when its answer is taken. */
  readonly sent: number;
  /** How many items the next request may have. */
  readonly items: number;
  readonly failures: number;
  /** Since when the item after the cursor is put off; milliseconds since the epoch. */
  readonly laterSinceMs: number | null;
};

export type Reply =
  | { readonly kind: 'answer'; readonly answer: StreamAnswer }
  /** Signed, and no answer of the leg. */
  | { readonly kind: 'status'; readonly status: number; readonly retryAfterMs: number }
  | { readonly kind: 'transport' };

export type Settlement = {
  readonly state: CursorState;
  /** Null: at once. */
  readonly retryAtMs: number | null;
  readonly parked: readonly { readonly number: number; readonly reason: string }[];
  /** Our stream came back from a backup: facts after `acked` are to be numbered anew, above this. */
  readonly liftAbove: number | null;
  /** Nothing more is to be sent to this peer for now. */
  readonly stopsPeer: boolean;
};

export type SettleInput = {
  readonly state: CursorState;
  /** The numbers of the request's items in their order. */
  readonly numbers: readonly number[];
  readonly reply: Reply;
  readonly now: number;
  readonly limits: Limits;
  /** 0 ≤ x < 1 */
  readonly random: () => number;
};

const NOT_FOR_US = new Set([401, 403, 404, 405, 501]);
const BUSY = new Set([408, 425, 429, 503]);
const OK = 200;

/** What a signed status other than the leg's own says: of the peering, of the moment, or of what was sent. */
export const statusMeans = (status: number): 'not-for-us' | 'busy' | 'fault' => {
  if (NOT_FOR_US.has(status)) return 'not-for-us';
  return BUSY.has(status) ? 'busy' : 'fault';
};

const backoff = ({ limits, random }: SettleInput, failures: number): number =>
  jittered(doubling(failures, limits.streamRetryFirstMs, limits.streamRetryMaxMs), random);

const unchanged = (state: CursorState): Settlement => ({ state, retryAtMs: null, parked: [], liftAbove: null, stopsPeer: false });

export function settle(input: SettleInput): Settlement {
  const settlement = judge(input);
  const sent = Math.max(settlement.state.sent, input.numbers.at(-1) ?? 0);
  return { ...settlement, state: { ...settlement.state, sent } };
}

function judge(input: SettleInput): Settlement {
  const { reply, state } = input;
  switch (reply.kind) {
    case 'transport':
      return { ...unchanged(state), stopsPeer: true };
    case 'status':
      return settleStatus(input, reply);
    case 'answer':
      return settleAnswer(input, reply.answer);
  }
}

function settleStatus(input: SettleInput, { status, retryAfterMs }: { status: number; retryAfterMs: number }): Settlement {
  const { limits, numbers, now, state } = input;
  const means = statusMeans(status);
  if (means === 'not-for-us') return { ...unchanged(state), retryAtMs: now + limits.streamEveryMs, stopsPeer: true };
  if (means === 'busy') {
    const waitMs = Math.max(Math.min(retryAfterMs, limits.peerPauseMaxMs), backoff(input, state.failures + 1));
    return { ...unchanged(state), retryAtMs: now + waitMs, stopsPeer: true };
  }
  const [first] = numbers;
  // Which of many it was is found by halves; at one alone the faults are counted.
  if (numbers.length > 1 || first === undefined) {
    const fewer = Math.max(1, Math.ceil(Math.min(state.items, Math.max(1, numbers.length)) / 2));
    return { ...unchanged({ ...state, items: fewer, failures: 0 }), retryAtMs: now + backoff(input, 1) };
  }
  const failures = state.failures + 1;
  if (failures < limits.streamFaults) return { ...unchanged({ ...state, items: 1, failures }), retryAtMs: now + backoff(input, failures) };
  return { ...unchanged({ ...state, failures: 0, laterSinceMs: null }), parked: [{ number: first, reason: `status ${status}` }] };
}

function settleAnswer(input: SettleInput, answer: StreamAnswer): Settlement {
  const { limits, now, state } = input;
  const have = Math.max(answer.have, state.start);
  if (have > Math.max(state.sent, lastTaken(input, answer))) return settleLift(input, have);
  if (have < state.cursor) {
    // The peer came back from a backup; one that says so again and again is not believed any faster.
    const failures = state.failures + 1;
    return { ...unchanged({ ...state, cursor: have, failures, laterSinceMs: null }), retryAtMs: now + backoff(input, failures) };
  }
  const hasMoved = have > state.cursor;
  const moved = {
    ...state,
    cursor: have,
    acked: Math.max(state.acked, have),
    failures: hasMoved ? 0 : state.failures,
    laterSinceMs: hasMoved ? null : state.laterSinceMs,
  };
  const next = input.numbers.find((number) => number > have);
  if (next === undefined) return unchanged({ ...moved, failures: 0, items: Math.min(limits.streamItems, state.items * 2) });
  return settleNext(input, { moved, hasMoved, next, outcome: answer.outcomes.find(({ number }) => number === next) });
}

/** The last item of this request that the answer names as taken. */
const lastTaken = ({ numbers }: SettleInput, { outcomes }: StreamAnswer): number => {
  const taken = outcomes.flatMap(({ number, verdict }) => (verdict === 'accepted' || verdict === 'known' ? [number] : []));
  return Math.max(0, ...taken.filter((number) => numbers.includes(number)));
};

type Next = {
  readonly moved: CursorState;
  readonly hasMoved: boolean;
  readonly next: number;
  readonly outcome: StreamAnswer['outcomes'][number] | undefined;
};

/** The first item that the peer has not taken. */
function settleNext(input: SettleInput, { moved, hasMoved, next, outcome }: Next): Settlement {
  const { limits, now } = input;
  if (outcome?.verdict === 'refused')
    return { ...unchanged({ ...moved, failures: 0, laterSinceMs: null }), parked: [{ number: next, reason: reasonOf(outcome.reason) }] };
  const failures = moved.failures + 1;
  const laterSinceMs = moved.laterSinceMs ?? now;
  if (outcome?.verdict === 'later' && now - laterSinceMs >= limits.streamLaterMs)
    return {
      ...unchanged({ ...moved, failures: 0, laterSinceMs: null }),
      parked: [{ number: next, reason: `later: ${reasonOf(outcome.reason)}` }],
    };
  // Not named, with others taken before it: there was no time for it.
  if (outcome === undefined && hasMoved) return unchanged(moved);
  return { ...unchanged({ ...moved, failures, laterSinceMs }), retryAtMs: now + backoff(input, failures) };
}

/** The peer has what we never sent, as far as we remember. */
function settleLift(input: SettleInput, have: number): Settlement {
  const { limits, now, state } = input;
  if (have - state.sent > limits.streamLiftNumbers) {
    const failures = state.failures + 1;
    return { ...unchanged({ ...state, failures }), retryAtMs: now + backoff(input, failures) };
  }
  const lifted = { ...state, cursor: have, acked: have, sent: have, failures: 0, laterSinceMs: null };
  return { ...unchanged(lifted), liftAbove: have };
}

/** Words of a peer: for an operator's eyes, so nothing but what can't disturb them. */
export const reasonOf = (text: string): string => text.replace(/[^\x20-\x7e]/g, '?').slice(0, 200) || 'no reason given';

/** What came back of a call of the leg. */
export function replyOf(called: Called): Reply {
  if (called.kind !== 'answer') return { kind: 'transport' };
  const { refusal, status } = called;
  const retryAfterMs = refusal?.retryAfterMs ?? 0;
  if (status !== OK) return { kind: 'status', status, retryAfterMs };
  const answer = decodeStreamAnswer(called.body);
  // Signed and not to be read: a fault of that stream's alone.
  return answer.ok ? { kind: 'answer', answer: answer.value } : { kind: 'status', status: 500, retryAfterMs };
}
