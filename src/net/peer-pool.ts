// The connections to one origin: at most so many calls at once and a second, a bounded line behind them, each cut off after its time. Owns a
// pool of undici, opened by the first call and closed with this object; nothing of it is shared with another origin.
import { buildConnector, type Dispatcher, errors, Pool } from 'undici';
import { type Bucket, type Rate, take } from '../base/bucket.ts';
import { type Clock, pause } from '../base/clock.ts';
import type { Limits } from '../base/limits.ts';
import { fail, ok, type Result } from '../base/result.ts';
import type { OriginRules } from './origin.ts';
import { AddressRefused, type Resolve, vettedLookup } from './resolve.ts';

/**
 * Why there is no answer. `refused-address`: its name leads where we do not go · `unreachable`: no connection, or one that broke · `untrusted`:
 * its certificate is not that of its name · `busy`: too many calls wait already, or its turn did not come in time · `closed`: this side ended.
 */
export type CallFailure = 'refused-address' | 'unreachable' | 'untrusted' | 'timeout' | 'too-large' | 'redirect' | 'busy' | 'closed';

export type Call = {
  readonly method: 'GET' | 'POST';
  /** From the first slash on. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
  /** Ends the call: `closed`. */
  readonly signal?: AbortSignal;
};

export type Answer = {
  readonly status: number;
  /** A field that came several times is a list. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Uint8Array;
};

export type PoolDeps = {
  readonly clock: Clock;
  readonly limits: Limits;
  readonly rules: OriginRules;
  readonly resolve: Resolve;
};

const SECOND_MS = 1_000;
const REDIRECTS_FROM = 300;
const REDIRECTS_TO = 399;
/** What TLS says of a certificate, beside OpenSSL's own words. */
const CERTIFICATE_CODES = /^(ERR_TLS_CERT_|CERT_|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_|HOSTNAME_MISMATCH|INVALID_)/;

class TooLarge extends Error {}

export class PeerPool {
  readonly #deps: PoolDeps;
  readonly #origin: URL;
  readonly #ending = new AbortController();
  readonly #waiting: (() => void)[] = [];
  readonly #rate: Rate;
  readonly #pace: Bucket;
  #pool: Pool | null = null;
  #running = 0;
  #usedAt: number;

  constructor(origin: URL, deps: PoolDeps) {
    this.#origin = origin;
    this.#deps = deps;
    const { peerCallsPerSecond: burst } = deps.limits;
    this.#rate = { burst, perMs: burst / SECOND_MS };
    this.#usedAt = deps.clock.monotonicMs();
    this.#pace = { level: burst, at: this.#usedAt };
  }

  /** Since when nobody has used it, on the monotonic clock; null while somebody does. */
  get idleSince(): number | null {
    return this.#running === 0 ? this.#usedAt : null;
  }

  /** Sends one call and reads its answer. All of it, the wait for its turn included, takes at most `peerCallMs`. Never throws. */
  async call(call: Call): Promise<Result<Answer, CallFailure>> {
    const { clock, limits } = this.#deps;
    const late = new AbortController();
    const signals = [this.#ending.signal, late.signal, ...(call.signal === undefined ? [] : [call.signal])];
    const signal = AbortSignal.any(signals);
    if (signal.aborted) return fail('closed');
    if (this.#waiting.length >= limits.peerCallsWaiting) return fail('busy');
    const timer = clock.after(limits.peerCallMs, () => late.abort());
    let isSent = false;
    try {
      await this.#turn(signal);
      try {
        await this.#paced(signal);
        isSent = true;
        return await this.#send(call, signal);
      } finally {
        this.#usedAt = clock.monotonicMs();
        this.#release();
      }
    } catch (error) {
      if (!signal.aborted) return fail(reasonOf(error));
      if (!late.signal.aborted) return fail('closed');
      // What was never sent says nothing of the peer; the calls before it, which it waited for, do.
      return fail(isSent ? 'timeout' : 'busy');
    } finally {
      timer.cancel();
    }
  }

  /** Ends every call that is under way with `closed`, and the connections. */
  async close(): Promise<void> {
    this.#ending.abort();
    await this.#pool?.destroy();
  }

  /** Waits for a place among the calls that run. Rejects if the call ends first. */
  #turn(signal: AbortSignal): Promise<void> {
    if (this.#running < this.#deps.limits.peerCallsAtOnce) {
      this.#running += 1;
      return Promise.resolve();
    }
    return new Promise((resolve, reject) => {
      const go = (): void => {
        signal.removeEventListener('abort', leave);
        resolve();
      };
      const leave = (): void => {
        this.#waiting.splice(this.#waiting.indexOf(go), 1);
        reject(signal.reason);
      };
      this.#waiting.push(go);
      signal.addEventListener('abort', leave, { once: true });
    });
  }

  /** Waits until one more call a second is no more than may be. Rejects if the call ends first. */
  async #paced(signal: AbortSignal): Promise<void> {
    const { clock } = this.#deps;
    for (;;) {
      const waitMs = take(this.#pace, this.#rate, 1, clock.monotonicMs());
      if (waitMs === 0) return;
      await pause(clock, waitMs, signal);
    }
  }

  /** Gives the place to the next in line. */
  #release(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#running -= 1;
    else next();
  }

  async #send(call: Call, signal: AbortSignal): Promise<Result<Answer, CallFailure>> {
    const { method, path, headers, body } = call;
    const answer = await this.#opened().request({ method, path, headers, body: body ?? null, signal });
    const { statusCode: status } = answer;
    if (status >= REDIRECTS_FROM && status <= REDIRECTS_TO) {
      answer.body.on('error', () => undefined).destroy();
      return fail('redirect');
    }
    return ok({ status, headers: answer.headers, body: await read(answer, this.#deps.limits.peerAnswerBytes) });
  }

  #opened(): Pool {
    const { limits, rules, resolve } = this.#deps;
    const lookup = vettedLookup(resolve, rules);
    // The call's own clock ends it; these bounds end what is left of its connection.
    const mostMs = limits.peerCallMs;
    this.#pool ??= new Pool(this.#origin, {
      connections: limits.peerCallsAtOnce,
      pipelining: 1,
      headersTimeout: mostMs,
      bodyTimeout: mostMs,
      // Trusted is whom Node trusts, with those that its operator adds by NODE_EXTRA_CA_CERTS.
      connect: buildConnector({ lookup, allowH2: false, timeout: mostMs }),
    });
    return this.#pool;
  }
}

/** The whole body, cut off where it goes over `mostBytes`. */
async function read({ body, headers }: Dispatcher.ResponseData, mostBytes: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  // Leaving the loop destroys the stream, and with it the connection.
  if (Number(headers['content-length'] ?? 0) > mostBytes) body.destroy(new TooLarge());
  for await (const chunk of body as AsyncIterable<Uint8Array>) {
    length += chunk.length;
    if (length > mostBytes) throw new TooLarge();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, length);
}

function reasonOf(error: unknown): CallFailure {
  if (error instanceof AddressRefused) return 'refused-address';
  if (error instanceof TooLarge) return 'too-large';
  const isSlow = [errors.HeadersTimeoutError, errors.BodyTimeoutError, errors.ConnectTimeoutError].some((kind) => error instanceof kind);
  if (isSlow) return 'timeout';
  return CERTIFICATE_CODES.test((error as { code?: string }).code ?? '') ? 'untrusted' : 'unreachable';
}
