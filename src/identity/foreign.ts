// Persons of other servers: their keys, proven from the id on, what ended, and who they say they are. Nothing of them is stored unproven, and a
// home speaks of its own people only. Whatever is learned may come any number of times.
import { isDeepStrictEqual } from 'node:util';
import { type RawBuilder, sql, type Transaction } from 'kysely';
import { type Bucket, take } from '../base/bucket.ts';
import type { Clock } from '../base/clock.ts';
import type { Limits } from '../base/limits.ts';
import { fail, ok, type Result } from '../base/result.ts';
import { type ChainPlace, continuationOf, type ProvenLink, proveKeyChain } from '../crypto/key-chain.ts';
import { type AcceptedCertificate, type KeyLookup, type VerifyReason, verifyCertificate } from '../crypto/statement.ts';
import type { Database } from '../db/pool.ts';
import type { DB } from '../db/types.ts';
import { type ServerId, serverOf, type UserId, type UserKeyId } from '../wire/address.ts';
import type { UserStatementType } from '../wire/statements.ts';
import { hashBytes, storeStatement } from './countersign.ts';
import type { Executor } from './executor.ts';
import { lockKeys, oweRevocations } from './key-locks.ts';
import { foldedPrefix } from './usernames.ts';

export type ForeignPersonsDeps = {
  readonly db: Database;
  readonly clock: Clock;
  readonly limits: Limits;
  readonly keys: KeyLookup;
  /** Called after the commit that revoked a key or put it off the chain. */
  readonly onKeyEnded: (key: UserKeyId) => void;
};

/** A key's certificate and, if it was revoked, that of its revocation. */
export type ChainEntry = { readonly certificate: object; readonly revocation?: object };

/** What belongs into the same transaction; false undoes all. */
export type Within = (tx: Transaction<DB>) => Promise<boolean>;

/** too-many-keys: as many certificates of keys as are proven for one server in a minute. */
export type LearnReason = VerifyReason | 'other-chain' | 'undone' | 'too-many-keys';
/** Whether anything was new. */
export type Learned = Result<'learned' | 'known', LearnReason>;

/** Undoes a transaction without being a fault. */
class Undone extends Error {}

const ALWAYS: Within = async () => true;
const MINUTE_MS = 60_000;

export class ForeignPersons {
  readonly #deps: ForeignPersonsDeps;
  /** What proving chains may still cost, by the server for which they are proven: peers, and nobody else. */
  readonly #proofs = new Map<ServerId, Bucket>();

  constructor(deps: ForeignPersonsDeps) {
    this.#deps = deps;
  }

  /** The one way to accept a certificate of another server's member (specs/protocol/statements.md). */
  async accept<T extends UserStatementType>(value: unknown, type: T): Promise<Result<AcceptedCertificate<T>, VerifyReason>> {
    const { clock, keys } = this.#deps;
    return verifyCertificate(value, type, { keys, now: clock.now() });
  }

  async knowsKey(key: UserKeyId): Promise<boolean> {
    const rows = await this.#deps.db.query({ name: 'foreign-key', text: 'select from keys where id = $1', values: [key] });
    return rows.length > 0;
  }

  /** The person's chain as it stands here, or at this key; empty for somebody unknown. */
  chain(user: UserId): Promise<ChainEntry[]> {
    return chainOf(this.#deps.db.kysely, user);
  }

  /**
   * Proves a person's chain and stores what of it is new. Of two that differ everybody keeps the same one. What is stored is not proven again.
   * @param entries of every key from the id's first on
   * @param by the server that brought them, or had us ask for them
   */
  async learnChain(
    user: UserId,
    entries: readonly unknown[],
    { by = serverOf(user), within = ALWAYS }: { readonly by?: ServerId; readonly within?: Within } = {},
  ): Promise<Learned> {
    const { clock, db, keys, limits, onKeyEnded } = this.#deps;
    if (entries.length > limits.keyChain) return fail('broken-chain');
    const isProven = provenBy(await this.chain(user));
    if (!this.#mayProve(by, entries, isProven)) return fail('too-many-keys');
    const proven = await proveKeyChain(entries, user, { keys, now: clock.now(), isProven });
    if (!proven.ok) return proven;
    const outcome = await undoable(() => db.transaction((tx) => this.#store(tx, user, { links: proven.value, within })));
    if (outcome === null) return fail('undone');
    if (outcome === 'other-chain') return fail('other-chain');
    for (const key of outcome.ended) onKeyEnded(key);
    return ok(outcome.isNew ? 'learned' : 'known');
  }

  #mayProve(by: ServerId, entries: readonly unknown[], isProven: (certificate: unknown, at: number) => boolean): boolean {
    const { clock, limits } = this.#deps;
    const certificates = entries.flatMap((entry, at) => {
      const { certificate, revocation } = (entry ?? {}) as { certificate?: unknown; revocation?: unknown };
      return [certificate, revocation].filter((each) => each !== undefined && !isProven(each, at));
    });
    if (certificates.length === 0) return true;
    const rate = { burst: limits.keyProofsPerMinute, perMs: limits.keyProofsPerMinute / MINUTE_MS };
    const bucket = this.#proofs.get(by) ?? { level: rate.burst, at: clock.monotonicMs() };
    this.#proofs.set(by, bucket);
    return take(bucket, rate, certificates.length, clock.monotonicMs()) === 0;
  }

  async #store(
    tx: Transaction<DB>,
    user: UserId,
    { links, within }: { links: readonly ProvenLink[]; within: Within },
  ): Promise<{ isNew: boolean; ended: UserKeyId[] } | 'other-chain'> {
    const { clock, limits } = this.#deps;
    const now = new Date(clock.now());
    await meet(tx, [user], now);
    const known = await placesOf(tx, user);
    const kind = continuationOf(
      known,
      links.map(({ key }) => key),
    );
    if (kind === 'refused') return 'other-chain';
    const differs = kind === 'replaced' ? known.findIndex((key, at) => links[at]?.key.id !== key.id) : known.length;
    const voids = known.slice(differs).map(({ id }) => id);
    let isNew = false;
    const ended = new Set<UserKeyId>(voids);
    for (const [at, link] of kind === 'earlier' ? [] : links.entries()) {
      if (at >= differs) isNew = (await storeKey(tx, link)) || isNew;
      const wasRevoked = known[at]?.revokedSeq !== undefined && at < differs;
      if (link.revocation === null || wasRevoked) continue;
      await storeRevocation(tx, link.key.id, link.revocation);
      isNew = true;
      ended.add(link.key.id);
    }
    const instead = links[differs]?.certificate.hash;
    if (voids.length > 0 && instead !== undefined)
      await sql`update keys set void_hash = ${hashBytes(instead)} where id = any(${voids}::text[])`.execute(tx);
    await oweRevocations(tx, [...ended].sort(), new Date(now.getTime() + limits.fanoutLeaseMs));
    if (!(await within(tx))) throw new Undone();
    return { isNew, ended: [...ended] };
  }

  /** In the caller's transaction: the account is gone for good. @returns false if that was known */
  async removeAccount(tx: Executor, removal: AcceptedCertificate<'account-removal'>): Promise<boolean> {
    const { clock, limits } = this.#deps;
    const { statement, signatures } = removal.certificate;
    const now = clock.now();
    await storeStatement(tx, removal.hash, removal.certificate);
    const { rows } = await sql`
      insert into account_removals (user_id, statement, due_at, statement_hash)
      values (${statement.user}, ${JSON.stringify({ statement, signatures })}::jsonb, ${new Date(removal.signedAtMs)}, ${hashBytes(removal.hash)})
      on conflict (user_id) do nothing returning user_id`.execute(tx);
    if (rows.length === 0) return false;
    await sql`update follows set active = false where user_id = ${statement.user} and active`.execute(tx);
    await sql`
      insert into pending_ends (kind, subject_id, due_at) values ('account-removal', ${statement.user}, ${new Date(now + limits.fanoutLeaseMs)})
      on conflict (kind, subject_id) do update set looks = 0, due_at = excluded.due_at`.execute(tx);
    return true;
  }

  /** Keeps who a person says they are, unless something newer is known. */
  async learnProfile(identity: AcceptedCertificate<'identity'>): Promise<void> {
    const { clock, db } = this.#deps;
    const { user, username } = identity.certificate.statement;
    await db.transaction(async (tx) => {
      await meet(tx, [user], new Date(clock.now()));
      await storeStatement(tx, identity.hash, identity.certificate);
      await sql`
        insert into foreign_profiles as p (user_id, username, folded, identity_hash, seq, fetched_at)
        values (${user}, ${username}, ${foldedPrefix(username)}, ${hashBytes(identity.hash)}, ${identity.seq}, ${new Date(clock.now())})
        on conflict (user_id) do update set fetched_at = excluded.fetched_at,
          username = case when p.seq <= excluded.seq then excluded.username else p.username end,
          folded = case when p.seq <= excluded.seq then excluded.folded else p.folded end,
          identity_hash = case when p.seq <= excluded.seq then excluded.identity_hash else p.identity_hash end,
          seq = greatest(p.seq, excluded.seq)`.execute(tx);
    });
  }
}

/** What of a chain is stored, place by place, as it is there. */
const provenBy =
  (stored: readonly ChainEntry[]) =>
  (certificate: unknown, at: number): boolean =>
    [stored[at]?.certificate, stored[at]?.revocation].some((each) => each !== undefined && isDeepStrictEqual(each, certificate));

async function undoable<T>(work: () => Promise<T>): Promise<T | null> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Undone) return null;
    throw error;
  }
}

/** Rows for persons of servers that are known here; of nobody else there is anything to remember. */
export async function meet(tx: Executor, users: readonly UserId[], at: Date): Promise<void> {
  await meeting(users, at).execute(tx);
}

/** The same as part of a statement, whose other rows may name these persons. */
export const meeting = (users: readonly UserId[], at: Date): RawBuilder<unknown> => sql`
    insert into identities (id, server_id, first_seen_at)
    select u.id, s.id, ${at} from unnest(${[...users].sort()}::text[], ${[...users].sort().map(serverOf)}::text[]) as u(id, server)
    join servers s on s.id = u.server and not s.is_self order by u.id
    on conflict (id) do nothing`;

/** The keys on the person's chain in their order. The lock on it is held from here on. */
async function placesOf(tx: Executor, user: UserId): Promise<ChainPlace[]> {
  const chain = (await lockKeys(tx, user)).filter(({ isVoid }) => !isVoid);
  const { rows } = await sql<{ id: UserKeyId; seq: number }>`
    select r.key_id as id, r.seq from key_revocations r join keys k on k.id = r.key_id where k.user_id = ${user}`.execute(tx);
  const revokedSeqs = new Map(rows.map(({ id, seq }) => [id, seq]));
  const places: ChainPlace[] = [];
  for (let before: UserKeyId | null = null; ; ) {
    const next = chain.find(({ predecessor }) => predecessor === before);
    if (next === undefined) return places;
    const { id, byRecovery, signedAtMs } = next;
    const revokedSeq = revokedSeqs.get(id);
    places.push({ id, byRecovery, signedAtMs, ...(revokedSeq === undefined ? {} : { revokedSeq }) });
    before = id;
  }
}

async function storeKey(tx: Executor, { key, certificate }: ProvenLink): Promise<boolean> {
  await storeStatement(tx, certificate.hash, certificate.certificate);
  const { user, armor, recovery, predecessor } = certificate.certificate.statement;
  const { rows } = await sql`
    insert into keys (id, user_id, armor, recovery, predecessor, statement_hash, created_at, by_recovery)
    values (${key.id}, ${user}, ${armor}, ${recovery}, ${predecessor ?? null}, ${hashBytes(certificate.hash)}, ${new Date(key.signedAtMs)}, ${key.byRecovery})
    on conflict (id) do nothing returning id`.execute(tx);
  return rows.length > 0;
}

async function storeRevocation(tx: Executor, key: UserKeyId, revocation: AcceptedCertificate<'key-revocation'>): Promise<void> {
  await storeStatement(tx, revocation.hash, revocation.certificate);
  await sql`
    insert into key_revocations (key_id, statement_hash, seq) values (${key}, ${hashBytes(revocation.hash)}, ${revocation.seq})
    on conflict (key_id) do nothing`.execute(tx);
}

/** Certificates of a person's chain from its first key on, as `GET keys/{id}?chain` gives them. */
export async function chainOf(executor: Executor, user: UserId): Promise<ChainEntry[]> {
  const { rows } = await sql<{ certificate: object; revocation: object | null }>`
    with recursive chain as (
      select id, statement_hash, 1 as place from keys where user_id = ${user} and predecessor is null and void_hash is null
      union all
      select k.id, k.statement_hash, c.place + 1 from keys k join chain c on k.predecessor = c.id where k.void_hash is null
    )
    select s.certificate, rs.certificate as revocation from chain c join statements s on s.hash = c.statement_hash
      left join key_revocations r on r.key_id = c.id left join statements rs on rs.hash = r.statement_hash order by c.place`.execute(
    executor,
  );
  return rows.map(({ certificate, revocation }) => (revocation === null ? { certificate } : { certificate, revocation }));
}
