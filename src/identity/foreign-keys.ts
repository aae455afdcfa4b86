// Keys of members of other servers: verified from the id's first key on, then kept as what proves them, so that holders here can seal to them and
// whoever reads can verify. A key that is kept needs no second proof.
import { AppError } from '../base/errors.ts';
import type { Database } from '../db/pool.ts';
import { type ServerId, type UserId, type UserKeyId, userOf } from '../wire/address.ts';
import type { ForeignPersons } from './foreign.ts';
import type { Keys } from './keys.ts';

const RETRY_MS = 5_000;

export type ForeignKeysDeps = {
  readonly db: Database;
  readonly foreign: Pick<ForeignPersons, 'learnChain'>;
  readonly readings: Pick<Keys, 'read'>;
};

export class ForeignKeys {
  readonly #deps: ForeignKeysDeps;

  constructor(deps: ForeignKeysDeps) {
    this.#deps = deps;
  }

  /** The certificates from the first key of `user` to this one; null if it is not known here, or ended. */
  async chainOf(user: UserId, key: UserKeyId): Promise<readonly unknown[] | null> {
    if (userOf(key) !== user) return null;
    try {
      const { chain, revocation } = await this.#deps.readings.read(user, key, { forRelay: true, chain: true });
      return revocation === undefined ? (chain ?? null) : null;
    } catch (error) {
      if (error instanceof AppError && (error.code === 'NOT_FOUND' || error.code === 'REMOVED')) return null;
      throw error;
    }
  }

  /**
   * Verifies that this is the current key of that user, and keeps its chain. False: it is not, or has ended.
   * @param of the chain, and the server for which it is proven
   * @throws AppError TOO_MANY_OPEN if that one had as many proven as it may
   */
  async accept(user: UserId, key: UserKeyId, of: { readonly chain: readonly unknown[]; readonly by: ServerId }): Promise<boolean> {
    const { by, chain } = of;
    const known = await this.#standing(key);
    if (known !== null) return known;
    const { certificate } = (chain.at(-1) ?? {}) as { certificate?: { statement?: { key?: unknown } } };
    if (certificate?.statement?.key !== key) return false;
    const learned = await this.#deps.foreign.learnChain(user, chain, { by });
    if (!learned.ok && learned.reason === 'too-many-keys')
      throw new AppError('TOO_MANY_OPEN', 'as many keys as are proven for a peer in a minute', { retryAfterMs: RETRY_MS });
    return learned.ok && (await this.#standing(key)) === true;
  }

  /** Whether a key that is kept still stands; null: it is not kept. */
  async #standing(key: UserKeyId): Promise<boolean | null> {
    const [row] = await this.#deps.db.query<{ stands: boolean }>({
      name: 'foreign-key-standing',
      text: `select k.void_hash is null and r.key_id is null as stands from keys k left join key_revocations r on r.key_id = k.id where k.id = $1`,
      values: [key],
    });
    return row?.stands ?? null;
  }
}
