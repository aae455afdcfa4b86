// Keys of members of other servers: verified from the id's first key on, then kept as what proves them, so that holders here can seal to them and
// whoever reads can verify. A key that is kept needs no second proof.
import { sql } from 'kysely';
import type { Clock } from '../base/clock.ts';
import { AppError } from '../base/errors.ts';
import { verifyKeyChain } from '../crypto/key-chain.ts';
import { type AcceptedCertificate, type KeyLookup, type VerifyContext, verifyCertificate } from '../crypto/statement.ts';
import type { Database } from '../db/pool.ts';
import { serverOf, type UserId, type UserKeyId, userOf } from '../wire/address.ts';
import { hashBytes, storeStatement } from './countersign.ts';
import type { Executor } from './executor.ts';
import type { Keys } from './keys.ts';

export type ForeignKeysDeps = {
  readonly db: Database;
  readonly clock: Clock;
  /** Knows the identity keys of peers. */
  readonly keys: KeyLookup;
  readonly readings: Pick<Keys, 'read'>;
};

type Entry = { readonly certificate: unknown; readonly revocation?: unknown };

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

  /** Verifies that this is the current key of that user, and keeps its chain. False: it is not, or has ended. */
  async accept(user: UserId, key: UserKeyId, chain: readonly unknown[]): Promise<boolean> {
    const known = await this.#standing(key);
    if (known !== null) return known;
    const { clock, db, keys } = this.#deps;
    const proven = await verifyKeyChain(chain, user, { keys, now: clock.now() });
    const last = proven.ok ? proven.value.at(-1) : undefined;
    if (last?.id !== key || last.revokedSeq !== undefined) return false;
    const links = new Map(proven.ok ? proven.value.map((each) => [each.id, each]) : []);
    const context = {
      keys: { userKey: async (id: UserKeyId) => links.get(id) ?? null, serverKey: keys.serverKey.bind(keys) },
      now: clock.now(),
    };
    const kept = await Promise.all((chain as readonly Entry[]).map((entry) => readEntry(entry, context)));
    await db.transaction(async (tx) => {
      await sql`insert into identities (id, server_id, first_seen_at) values (${user}, ${serverOf(user)}, ${new Date(clock.now())})
        on conflict do nothing`.execute(tx);
      for (const each of kept) await keep(tx, user, each);
    });
    return (await this.#standing(key)) === true;
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

type Kept = { readonly key: AcceptedCertificate<'key'>; readonly revocation: AcceptedCertificate<'key-revocation'> | null };

/** A link of a chain that was proven, in the form to store. */
async function readEntry(entry: Entry, context: VerifyContext): Promise<Kept> {
  const key = await verifyCertificate(entry.certificate, 'key', context);
  const revocation = entry.revocation === undefined ? null : await verifyCertificate(entry.revocation, 'key-revocation', context);
  if (!key.ok || revocation?.ok === false) throw new Error('a proven chain does not hold link by link');
  return { key: key.value, revocation: revocation?.ok ? revocation.value : null };
}

/** What is there already stays. */
async function keep(tx: Executor, user: UserId, { key, revocation }: Kept): Promise<void> {
  const { armor, key: id, predecessor, recovery, recoveryArmor } = key.certificate.statement;
  await storeStatement(tx, key.hash, key.certificate);
  await sql`
    insert into keys (id, user_id, armor, recovery, predecessor, statement_hash, created_at, by_recovery)
    values (${id}, ${user}, ${armor}, ${recovery}, ${predecessor ?? null}, ${hashBytes(key.hash)}, ${new Date(key.signedAtMs)},
      ${recoveryArmor !== undefined}) on conflict (id) do nothing`.execute(tx);
  if (revocation === null) return;
  await storeStatement(tx, revocation.hash, revocation.certificate);
  await sql`
    insert into key_revocations (key_id, statement_hash, seq) values (${id}, ${hashBytes(revocation.hash)}, ${revocation.seq})
    on conflict (key_id) do nothing`.execute(tx);
}
