// All calls that this server makes to other servers. An origin is vetted before anything is asked of it, each has connections of its own, and
// all are closed with this object: who is silent or hostile costs nobody else anything.
import { fail, type Result } from '../base/result.ts';
import { vetOrigin } from './origin.ts';
import { type Answer, type Call, type CallFailure, PeerPool, type PoolDeps } from './peer-pool.ts';

export class Outbound implements AsyncDisposable {
  readonly #deps: PoolDeps;
  readonly #pools = new Map<string, PeerPool>();
  #closed = false;

  constructor(deps: PoolDeps) {
    this.#deps = deps;
  }

  /** Whether this origin would be called at all. */
  vet(origin: string): Result<URL, 'refused-address'> {
    return vetOrigin(origin, this.#deps.rules);
  }

  /** Calls an origin such as `https://reeds.example`. Redirects are not followed, what fails is a result, nothing is tried twice. */
  async call(origin: string, call: Call): Promise<Result<Answer, CallFailure>> {
    if (this.#closed) return fail('closed');
    const url = this.vet(origin);
    if (!url.ok) return url;
    let pool = this.#pools.get(origin);
    if (pool === undefined) {
      this.#tidy();
      pool = new PeerPool(url.value, this.#deps);
      this.#pools.set(origin, pool);
    }
    return pool.call(call);
  }

  /** A peer may name another address as often as it likes: what was opened to those before is closed. */
  #tidy(): void {
    const { clock, limits } = this.#deps;
    const before = clock.monotonicMs() - limits.peerPoolIdleMs;
    for (const [origin, { idleSince }] of this.#pools) if (idleSince !== null && idleSince <= before) void this.end(origin);
  }

  /** Ends the calls to an origin and its connections; a later call opens new ones. */
  async end(origin: string): Promise<void> {
    const pool = this.#pools.get(origin);
    this.#pools.delete(origin);
    await pool?.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true;
    await Promise.all([...this.#pools.keys()].map((origin) => this.end(origin)));
  }
}
