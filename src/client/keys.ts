// Other members' keys: fetched with their whole chain, proved from the id's first key on, then pinned: what was seen once may only be
// continued, but for a branch whose place the recovery key's takes. Keys read to verify with are remembered as such, because reading them makes the server owe us their revocation.
import { AppError } from '../base/errors.ts';
import type { Limits } from '../base/limits.ts';
import { type ChainKey, continuationOf, verifyKeyChain } from '../crypto/key-chain.ts';
import type { PublicKey } from '../crypto/openpgp.ts';
import type { KeyLookup, KnownKey, KnownServerKey, VerifyContext } from '../crypto/statement.ts';
import { parseUserKeyId, type ServerId, type ServerKeyId, serverOf, type UserId, type UserKeyId, userOf } from '../wire/address.ts';
import type { Api, TokenSource } from './api.ts';
import { PinnedServer } from './server.ts';
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
type Chain = { readonly keys: readonly ChainKey[]; readonly record: KeyRecord };

export class KeyDirectory {
  readonly #deps: KeyDeps;
  /** Proved chains, the most recently used last. */
  readonly #chains = new Map<UserId, Chain>();
  /** Servers of others, as the member's own shows them, the most recently used last. */
  readonly #servers = new Map<ServerId, PinnedServer>();
  readonly #loading = new Map<string, Promise<Chain | null>>();
  #changing: Promise<void> = Promise.resolve();

  constructor(deps: KeyDeps) {
    this.#deps = deps;
  }

  /** Keys as the verifiers of crypto/ ask for them: those of members are fetched if need be, and recorded as read to verify. */
  get lookup(): KeyLookup {
    return {
      userKey: (id) => this.#find(id, 'verify'),
      serverKey: (id) => this.#serverKey(id),
    };
  }

  /** Another server's keys are proven from its id on like our own server's: who hands its document over does not matter. */
  #serverKey(id: ServerKeyId): Promise<KnownServerKey | null> {
    const { api, server, session } = this.#deps;
    const named = serverOf(id);
    if (named === server.id) return server.key(id);
    const shown = async (): Promise<unknown> => {
      try {
        return await api.call(`peers/${named}/document`, { session });
      } catch (error) {
        if (error instanceof AppError && error.code === 'NOT_FOUND') return null;
        throw error;
      }
    };
    const other = this.#servers.get(named) ?? new PinnedServer(named, { ...this.#deps, shown });
    moveToEnd(this.#servers, named, other, this.#deps.limits.keyChainsCached);
    return other.key(id);
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
      if (!next || continuationOf(known.keys, next.keys) !== 'continued') return false;
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

  /**
   * Takes a key statement by a recovery key that put another branch off the chain: the new chain is asked for, and proves it. False if it does
   * not hold, or is no news of the chain that was shown.
   */
  async replaced(certificate: unknown): Promise<boolean> {
    const id = keyIn(certificate);
    if (!id) return false;
    const known = await this.#load(userOf(id));
    const chain = known?.keys.some((key) => key.id === id)
      ? known
      : await this.#once(`verify ${id}`, () => this.#fetch(id, 'verify', known));
    return chain?.keys.some((key) => key.id === id && key.byRecovery) ?? false;
  }

  /** Whether a key that stood there once is off its member's chain, as far as is known here. */
  async isVoid(id: UserKeyId): Promise<boolean> {
    const known = await this.#load(userOf(id));
    return known !== null && !known.keys.some((key) => key.id === id);
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
      if (error instanceof AppError && error.code === 'REMOVED') return this.#fetchReplacement(id, purpose, error.certificate);
      throw error;
    }
    const record = recordOf(userOf(id), answer, purpose === 'verify' ? [id] : []);
    const proved = record && (await this.#prove(record));
    return proved && this.#inTurn(() => this.#replace(known, proved));
  }

  /** The key is off its chain: the one that took its place tells how the chain goes. */
  async #fetchReplacement(id: UserKeyId, purpose: Purpose, certificate: unknown): Promise<Chain | null> {
    const next = keyIn(certificate);
    if (!next || next === id || userOf(next) !== userOf(id)) return null;
    return this.#once(`${purpose} ${next}`, async () => this.#fetch(next, purpose, await this.#load(userOf(next))));
  }

  /** `asked`: what was known when the server was asked. What was learned since then may be newer than its answer, which then proves nothing. */
  async #replace(asked: Chain | null, next: Chain): Promise<Chain | null> {
    const known = await this.#load(next.record.id);
    const continuation = known ? continuationOf(known.keys, next.keys) : 'continued';
    if (continuation === 'refused') {
      const wasFine = !asked || continuationOf(asked.keys, next.keys) !== 'refused';
      if (wasFine) throw new AppError('UNAVAILABLE', 'more about these keys came while they were asked for');
      return null;
    }
    // A chain up to an older key says less than is known, and is no reason to forget the rest.
    const shown = continuation === 'earlier' && known ? known : next;
    const owed = new Set([...(known?.record.owed ?? []), ...next.record.owed].filter((id) => shown.keys.some((key) => key.id === id)));
    const merged = { ...shown, record: { ...shown.record, owed: [...owed] } };
    await this.#remember(merged);
    return merged;
  }

  async #prove(record: KeyRecord): Promise<Chain | null> {
    const keys: KeyLookup = { userKey: async () => null, serverKey: (id) => this.#serverKey(id) };
    const proved = await verifyKeyChain(record.chain, record.id, { keys, now: this.#deps.time.now() });
    return proved.ok ? { keys: proved.value, record } : null;
  }

  async #remember(chain: Chain): Promise<void> {
    await this.#deps.store.write([{ put: 'keys', record: chain.record }]);
    this.#cache(chain);
  }

  #cache(chain: Chain): void {
    moveToEnd(this.#chains, chain.record.id, chain, this.#deps.limits.keyChainsCached);
  }
}

/** The most recently used last, and no more than so many. */
function moveToEnd<K, V>(map: Map<K, V>, key: K, value: V, atMost: number): void {
  map.delete(key);
  map.set(key, value);
  const [oldest] = map.keys();
  if (map.size > atMost && oldest !== undefined) map.delete(oldest);
}

/** The key that a certificate speaks of, whoever signed it. */
function keyIn(certificate: unknown): UserKeyId | null {
  const key = (certificate as { statement?: { key?: unknown } } | null | undefined)?.statement?.key;
  return typeof key === 'string' ? parseUserKeyId(key) : null;
}

function recordOf(id: UserId, answer: unknown, owed: readonly UserKeyId[]): KeyRecord | null {
  const { chain } = (answer ?? {}) as { chain?: unknown };
  return Array.isArray(chain) ? { id, chain: chain as KeyRecord['chain'], owed } : null;
}
