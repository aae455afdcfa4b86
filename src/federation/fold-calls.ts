// The fold's calls over those of the federation: so many of one peer at a time that others of ours keep their places, a bounded line behind them,
// each ended at its own time. What was not sent, since the breaker is open, is no answer until then.
import type { Clock } from '../base/clock.ts';
import type { Limits } from '../base/limits.ts';
import type { ServerId } from '../wire/address.ts';
import type { FoldAnswer, FoldBody, FoldCalls, FoldLeg } from './fold-ports.ts';
import { isOurs, isSated } from './leg-words.ts';
import type { Called, PeerCalls } from './stream-ports.ts';

export type FoldCallsDeps = { readonly calls: () => PeerCalls; readonly clock: Clock; readonly limits: Limits };

const TOO_MANY = 429;

/** Places on the wire to one peer. */
type Line = { free: number; readonly waiting: (() => void)[] };

const ended = (reason: 'closed' | 'busy'): FoldAnswer => ({ kind: 'transport', reason, isOurs: true });

export class CallsOfFold implements FoldCalls {
  readonly #deps: FoldCallsDeps;
  readonly #lines = new Map<ServerId, Line>();

  constructor(deps: FoldCallsDeps) {
    this.#deps = deps;
  }

  async call(peer: ServerId, leg: FoldLeg, body: FoldBody, options: Parameters<FoldCalls['call']>[3] = {}): Promise<FoldAnswer> {
    const { calls, clock, limits } = this.#deps;
    const line = this.#lines.get(peer) ?? { free: limits.peerCallsAtOnce, waiting: [] };
    if (line.waiting.length >= limits.foldCallsWaiting) return ended('busy');
    this.#lines.set(peer, line);
    const ending = new AbortController();
    const end = (): void => ending.abort();
    const timer = options.timeoutMs === undefined ? null : clock.after(options.timeoutMs, end);
    options.signal?.addEventListener('abort', end, { once: true });
    if (options.signal?.aborted) end();
    try {
      if (!(await enter(line, ending.signal))) return ended('closed');
      try {
        const said = typeof body === 'function' ? await body() : body;
        return said === null ? ended('closed') : this.#answerOf(await calls().call(peer, leg, said, { signal: ending.signal }));
      } finally {
        this.#leave(peer, line);
      }
    } finally {
      timer?.cancel();
      options.signal?.removeEventListener('abort', end);
    }
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
      const { code, retryAfterMs } = refusal ?? {};
      const refused = { ...(code === undefined ? {} : { code }), ...(retryAfterMs === undefined ? {} : { retryAfterMs }) };
      return { kind: 'answer', status, body, epoch, ...refused };
    }
    const retry = typeof called.untilMs === 'number' ? { retryAfterMs: Math.max(0, called.untilMs - this.#deps.clock.now()) } : {};
    // As if it had said so once more.
    if (isSated(called)) return { kind: 'answer', status: TOO_MANY, body: new Uint8Array(0), epoch: '', code: 'RATE_LIMITED', ...retry };
    const reason = called.kind === 'held' ? 'held' : (called.reason ?? 'unreachable');
    return { kind: 'transport', reason, ...(isOurs(called) ? { isOurs: true } : {}), ...retry };
  }
}

/** @returns false: the call has ended before it was its turn */
async function enter(line: Line, signal: AbortSignal): Promise<boolean> {
  if (signal.aborted) return false;
  if (line.free > 0) {
    line.free -= 1;
    return true;
  }
  return new Promise((resolve) => {
    const go = (): void => {
      signal.removeEventListener('abort', leave);
      resolve(true);
    };
    const leave = (): void => {
      line.waiting.splice(line.waiting.indexOf(go), 1);
      resolve(false);
    };
    line.waiting.push(go);
    signal.addEventListener('abort', leave, { once: true });
  });
}
