// Whether a peer is called at all: a pure function of what is stored about it and the time. Faults of transport open it, for longer each
// time; once that has passed one probe is let through, and its outcome closes it or opens it again.
import { doubling, jittered } from '../base/backoff.ts';
import type { Limits } from '../base/limits.ts';

export type Stored = {
  /** Faults of transport in a row. */
  readonly failures: number;
  /** Milliseconds since the epoch until which nothing is tried; null: nothing failed. */
  readonly retryAtMs: number | null;
};

/** open: nothing is sent before `untilMs` · half-open: one probe */
export type Breaker = { readonly state: 'closed' } | { readonly state: 'open'; readonly untilMs: number } | { readonly state: 'half-open' };

export const CLOSED: Stored = { failures: 0, retryAtMs: null };

export function breakerOf({ failures, retryAtMs }: Stored, nowMs: number): Breaker {
  if (failures === 0 || retryAtMs === null) return { state: 'closed' };
  return nowMs < retryAtMs ? { state: 'open', untilMs: retryAtMs } : { state: 'half-open' };
}

/** After one more fault of transport. `random` gives 0 ≤ x < 1. */
export function afterFault({ failures }: Stored, now: { readonly nowMs: number; readonly random: () => number }, limits: Limits): Stored {
  const delayMs = doubling(failures + 1, limits.peerBackoffFirstMs, limits.peerBackoffMaxMs);
  return { failures: failures + 1, retryAtMs: now.nowMs + jittered(delayMs, now.random) };
}
