// Whether a connection is alive, as a pure decision. Any byte is a sign of life. After the ping interval without one comes a PING,
// and then a wait that grows with what we are sending: a PONG behind a megabyte comes late on a thin line.
import type { Limits } from '../base/limits.ts';

export type Heart = {
  /** When a byte last arrived, or the latest moment before which it surely had not: never later than the truth. */
  heardAt: number;
  /** When the unanswered PING was sent; -1: none is. */
  pingedAt: number;
  /** Bytes sent since the last byte arrived. */
  sentBytes: number;
};

export type Beat = { readonly act: 'wait' | 'ping' | 'silent'; readonly dueAt: number };

type HeartLimits = Pick<Limits, 'pingIntervalMs' | 'pongWaitMs' | 'pongWaitPer16KibMs' | 'pongWaitMaxMs'>;

const SIXTEEN_KIB = 16 * 1024;

/** How long a PONG may take after `sentBytes` were sent since the last byte arrived. */
export const pongWaitMs = (sentBytes: number, limits: HeartLimits): number =>
  Math.min(limits.pongWaitMaxMs, limits.pongWaitMs + Math.floor(sentBytes / SIXTEEN_KIB) * limits.pongWaitPer16KibMs);

/** What to do at `now`, and when to look again. */
export function nextBeat(heart: Heart, now: number, limits: HeartLimits): Beat {
  if (heart.pingedAt >= 0) {
    const deadline = heart.pingedAt + pongWaitMs(heart.sentBytes, limits);
    return { act: now >= deadline ? 'silent' : 'wait', dueAt: deadline };
  }
  const quietUntil = heart.heardAt + limits.pingIntervalMs;
  if (now < quietUntil) return { act: 'wait', dueAt: quietUntil };
  return { act: 'ping', dueAt: now + pongWaitMs(heart.sentBytes, limits) };
}
