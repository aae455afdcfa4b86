// The fold's calls over those of the federation: so many of one peer at a time that others of ours keep their places, each ended at its own time.
// What was not sent, since the breaker is open, is no answer until then.
import type { Clock } from '../base/clock.ts';
import type { Limits } from '../base/limits.ts';
import type { ServerId } from '../wire/address.ts';
import type { FoldAnswer, FoldCalls, FoldLeg } from './fold-ports.ts';
import type { Called, PeerCalls } from './stream-ports.ts';

export type FoldCallsDeps = { readonly calls: () => PeerCalls; readonly clock: Clock; readonly limits: Limits };

/** Places on the wire to one peer. */
type Line = { free: number; readonly waiting: (() => void)[] };

export class CallsOfFold implements FoldCalls {
  readonly #deps: FoldCallsDeps;
  readonly #lines = new Map<ServerId, Line>();

  constructor(deps: FoldCallsDeps) {
    this.#deps = deps;
  }

  async call(peer: ServerId, leg: FoldLeg, body: Uint8Array, options: Parameters<FoldCalls['call']>[3] = {}): Promise<FoldAnswer> {
    const { calls, clock } = this.#deps;
    const ending = new AbortController();
    const end = (): void => ending.abort();
    const timer = options.timeoutMs === undefined ? null : clock.after(options.timeoutMs, end);
    options.signal?.addEventListener('abort', end, { once: true });
    if (options.signal?.aborted) end();
    const line = await this.#enter(peer);
    try {
      if (ending.signal.aborted) return { kind: 'transport', reason: 'closed' };
      return this.#answerOf(await calls().call(peer, leg, body, { signal: ending.signal }));
    } finally {
      this.#leave(peer, line);
      timer?.cancel();
      options.signal?.removeEventListener('abort', end);
    }
  }

  async #enter(peer: ServerId): Promise<Line> {
    const line = this.#lines.get(peer) ?? { free: this.#deps.limits.peerCallsAtOnce, waiting: [] };
    this.#lines.set(peer, line);
    if (line.free > 0) line.free -= 1;
    else await new Promise<void>((go) => line.waiting.push(go));
    return line;
  }

  /** Hands the place to the one who waited longest. */
  #leave(peer: ServerId, line: Line): void {
    const next = line.waiting.shift();
    if (next !== undefined) return next();
    line.free += 1;
    if (line.free === this.#deps.limits.peerCallsAtOnce) this.#lines.delete(peer);
  }

  #answerOf(called: Called): FoldAnswer {
    if (called.kind === 'answer') {
      const { body, epoch = '', refusal, status } = called;
      return { kind: 'answer', status, body, epoch, ...(refusal === undefined ? {} : { retryAfterMs: refusal.retryAfterMs }) };
    }
    if (called.kind === 'transport') return { kind: 'transport', reason: called.reason ?? 'unreachable' };
    const waitMs = (called.untilMs ?? 0) - this.#deps.clock.now();
    return { kind: 'transport', reason: 'held', retryAfterMs: Math.max(0, waitMs) };
  }
}
