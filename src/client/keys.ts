// Other members' keys: fetched with their whole chain, proved from the id's first key on, then pinned: what was seen once may only be
// continued. Keys read to verify with are remembered as such, because reading them makes the server owe us their revocation.
import { AppError } from '../base/errors.ts';
import type { Limits } from '../base/limits.ts';
import { verifyKeyChain } from '../crypto/key-chain.ts';
import type { PublicKey } from '../crypto/openpgp.ts';
import type { KeyLookup, KnownKey, VerifyContext } from '../crypto/statement.ts';
import { type UserId, type UserKeyId, userOf } from '../wire/address.ts';
import type { Api, TokenSource } from './api.ts';
import type { PinnedServer } from './server.ts';
import type { ServerTime } from './server-time.ts';
import type { KeyRecord, Store } from './store.ts';

export type KeyDeps = {
  readonly api: Api;
  readonly session: TokenSource;
  readonly store: Store;
  readonly time: ServerTime;
  readonly limits: Limits;
  readonly server: PinnedServer;
};

type Purpose = 'verify' | 'relay';
type Chain = { readonly keys: readonly KnownKey[]; readonly record: KeyRecord };

export class KeyDirectory {
  readonly #deps: KeyDeps;
  /** Proved chains, the most recently used last. */
  readonly #chains = new Map<UserId, Chain>();
  readonly #loading = new Map<string, Promise<Chain | null>>();
  #changing: Promise<void> = Promise.resolve();

  constructor(deps: KeyDeps) {
    this.#deps = deps;
  }

  /** Keys as the verifiers of crypto/ ask for them: those of members are fetched if need be, and recorded as read to verify. */
  get lookup(): KeyLookup {
    return {
      userKey: (id) => this.#find(id, 'verify'),
      serverKey: (id) => this.#deps.server.key(id),
    };
  }

  get context(): VerifyContext {
    return { keys: this.lookup, now: this.#deps.time.now() };
  }

  /** A requester's key, to encrypt to; nothing is recorded about it. Null if it can't be proved. */
  async forRelay(id: UserKeyId): Promise<PublicKey | null> {
    const key = await this.#find(id, 'relay');
    return key && key.revokedSeq === undefined ? key.publicKey : null;
  }

  /** Takes this member's own key certificate, as it came with the sign-up. */
  async learn(user: UserId, certificate: unknown): Promise<void> {
    const chain = await this.#prove({ id: user, chain: [{ certificate }], owed: [] });
    if (!chain) throw new AppError('INVALID', "the server's certificate of the key does not hold");
    // Nobody owes us news of our own keys, and nothing is to be recorded about reading them.
    await this.#remember({ ...chain, record: { ...chain.record, owed: chain.keys.map(({ id }) => id) } });
  }

  /** Takes a key's revocation. False if it does not hold or is of a key that this device never saw. */
  async revoked(key: UserKeyId, revocation: unknown): Promise<boolean> {
    return this.#inTurn(async () => {
      const known = await this.#load(userOf(key));
      const at = known?.keys.findIndex(({ id }) => id === key) ?? -1;
      if (!known || at < 0) return false;
      const chain = known.record.chain.map((entry, place) => (place === at ? { ...entry, revocation } : entry));
      const next = await this.#prove({ ...known.record, chain });
      if (!next || !continues(known, next)) return false;
      await this.#remember(next);
      return true;
    });
  }

  /** Lets go of somebody's chain: nothing is verified with it any more, and the server owes no news of it. */
  forget(user: UserId): Promise<void> {
    return this.#inTurn(async () => {
      await this.#deps.store.write([{ delete: 'keys', id: user }]);
      this.#chains.delete(user);
    });
  }

  /** What changes a chain goes one after the other: what it is compared with must not be replaced meanwhile. */
  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#changing.then(work);
    this.#changing = done.then(
      () => undefined,
      () => undefined,
    );
    return done;
  }

  async #find(id: UserKeyId, purpose: Purpose): Promise<KnownKey | null> {
    const user = userOf(id);
    const known = await this.#load(user);
    const here = known?.keys.find((key) => key.id === id);
    if (here && (purpose === 'relay' || known?.record.owed.includes(id))) return here;
    const fetched = await this.#once(`${purpose} ${id}`, () => this.#fetch(id, purpose, known));
    return fetched?.keys.find((key) => key.id === id) ?? null;
  }

  async #load(user: UserId): Promise<Chain | null> {
    const chain = this.#chains.get(user);
    if (chain) {
      this.#chains.delete(user);
      this.#chains.set(user, chain);
      return chain;
    }
    return this.#once(user, async () => {
      const record = await this.#deps.store.get('keys', user);
      const proved = record && (await this.#prove(record));
      if (proved) this.#cache(proved);
      return proved;
    });
  }

  #once(what: string, work: () => Promise<Chain | null>): Promise<Chain | null> {
    const running = this.#loading.get(what);
    if (running) return running;
    const started = work().finally(() => this.#loading.delete(what));
    this.#loading.set(what, started);
    return started;
  }

  /** Null if the server has no such key, or shows a chain that does not hold or does not continue what is pinned. */
  async #fetch(id: UserKeyId, purpose: Purpose, known: Chain | null): Promise<Chain | null> {
    const query = purpose === 'relay' ? '?chain&for=relay' : '?chain';
    let answer: unknown;
    try {
      answer = await this.#deps.api.call(`keys/${encodeURIComponent(id)}${query}`, { session: this.#deps.session });
    } catch (error) {
      if (error instanceof AppError && error.code === 'NOT_FOUND') return null;
      throw error;
    }
    const record = recordOf(userOf(id), answer, purpose === 'verify' ? [id] : []);
    const proved = record && (await this.#prove(record));
    return proved && this.#inTurn(() => this.#replace(known, proved));
  }

  /** `asked`: what was known when the server was asked. What was learned since then may be newer than its answer, which then proves nothing. */
  async #replace(asked: Chain | null, next: Chain): Promise<Chain | null> {
    const known = await this.#load(next.record.id);
    if (known && !continues(known, next)) {
      if (!asked || continues(asked, next)) throw new AppError('UNAVAILABLE', 'more about these keys came while they were asked for');
      return null;
    }
    const owed = new Set([...(known?.record.owed ?? []), ...next.record.owed]);
    const merged = { ...next, record: { ...next.record, owed: [...owed] } };
    await this.#remember(merged);
    return merged;
  }

  async #prove(record: KeyRecord): Promise<Chain | null> {
    const keys: KeyLookup = { userKey: async () => null, serverKey: (id) => this.#deps.server.key(id) };
    const proved = await verifyKeyChain(record.chain, record.id, { keys, now: this.#deps.time.now() });
    return proved.ok ? { keys: proved.value, record } : null;
  }

  async #remember(chain: Chain): Promise<void> {
    await this.#deps.store.write([{ put: 'keys', record: chain.record }]);
    this.#cache(chain);
  }

  #cache(chain: Chain): void {
    this.#chains.delete(chain.record.id);
    this.#chains.set(chain.record.id, chain);
    const [oldest] = this.#chains.keys();
    if (this.#chains.size > this.#deps.limits.keyChainsCached && oldest !== undefined) this.#chains.delete(oldest);
  }
}

/** A chain continues another if every key known before still stands where it stood, and one that was revoked is so by the same act. */
const continues = (known: Chain, next: Chain): boolean =>
  known.keys.every(({ id, revokedSeq }, at) => {
    const key = next.keys[at];
    return key?.id === id && (revokedSeq === undefined || key.revokedSeq === revokedSeq);
  });

function recordOf(id: UserId, answer: unknown, owed: readonly UserKeyId[]): KeyRecord | null {
  const { chain } = (answer ?? {}) as { chain?: unknown };
  return Array.isArray(chain) ? { id, chain: chain as KeyRecord['chain'], owed } : null;
}
