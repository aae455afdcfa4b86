// Countersigns members' verified statements and stores them with their consequences in one transaction.
// Three statements in this order: take the seq; lock the key's row for share; look whether the key has ended.
// So whatever was countersigned stands below the revocation's seq. Gaps do no harm. A statement's first certificate is the only one.
import { sql, type Transaction } from 'kysely';
import type { Clock } from '../base/clock.ts';
import { AppError } from '../base/errors.ts';
import type { Database } from '../db/pool.ts';
import type { DB } from '../db/types.ts';
import type { UserId, UserKeyId } from '../wire/address.ts';
import type { Certificate, Signed } from '../wire/canonical.ts';
import type { StatementOf, UserStatementType } from '../wire/statements.ts';
import type { Executor } from './executor.ts';
import type { ServerIdentity } from './server-identity.ts';
import { endOf } from './standing.ts';

export type CountersignerDeps = { readonly db: Database; readonly server: ServerIdentity; readonly clock: Clock };

/** A statement whose signature and fields were verified. `hash` is the base64url SHA-256 of its canonical bytes. */
export type Verified<T extends UserStatementType> = { readonly signed: Signed<StatementOf<T>>; readonly hash: string };

/** What a consequence needs to know about the statement it follows from. */
export type Recorded = {
  readonly hash: Buffer;
  readonly seq: number;
  readonly signedAt: Date;
  readonly countersignature: StatementOf<'countersignature'>;
};

export type Effects = (tx: Transaction<DB>, recorded: Recorded) => Promise<void>;

export type Countersigned<T extends UserStatementType> = { readonly certificate: Certificate<StatementOf<T>>; readonly isNew: boolean };

export const hashBytes = (hash: string): Buffer => Buffer.from(hash, 'base64url');

/** The first certificate of a statement, or null if it was never accepted. */
export async function storedCertificate<T extends UserStatementType>(
  executor: Executor,
  hash: string,
): Promise<Certificate<StatementOf<T>> | null> {
  const { rows } = await sql<{ certificate: Certificate<StatementOf<T>> }>`
    select certificate from statements where hash = ${hashBytes(hash)}`.execute(executor);
  return rows[0]?.certificate ?? null;
}

/** Writes a statement's row; false if it is there already. */
export async function storeStatement<T extends UserStatementType>(
  executor: Executor,
  hash: string,
  certificate: Certificate<StatementOf<T>>,
): Promise<boolean> {
  const { user, statementType, seq, signedAt } = certificate.countersignature.statement;
  const { rows } = await sql`
    insert into statements (hash, user_id, type, seq, signed_at, certificate)
    values (${hashBytes(hash)}, ${user}, ${statementType}, ${seq}, ${new Date(signedAt)}, ${JSON.stringify(certificate)}::jsonb)
    on conflict (hash) do nothing returning seq`.execute(executor);
  return rows.length === 1;
}

export class Countersigner {
  readonly #deps: CountersignerDeps;

  constructor(deps: CountersignerDeps) {
    this.#deps = deps;
  }

  /**
   * Countersigns a member's statement, or answers the first certificate if it was accepted before; `effects` then do not run.
   * @throws AppError KEY_REVOKED with the certificate; REMOVED or NOT_FOUND for an account that is gone; whatever `effects` throws undoes all
   */
  async accept<T extends UserStatementType>(
    verified: Verified<T>,
    by: { user: UserId; key: UserKeyId },
    effects: Effects,
  ): Promise<Countersigned<T>> {
    const { db, server } = this.#deps;
    const known = await storedCertificate<T>(db.kysely, verified.hash);
    if (known !== null) return { certificate: known, isNew: false };
    const { seq, signedAt } = await this.#next(by.user);
    const certificate = await server.countersign<T>(verified.signed, seq, signedAt.getTime());
    return db.transaction(async (tx) => {
      await this.#requireUsable(tx, by);
      if (!(await storeStatement(tx, verified.hash, certificate))) {
        const first = await storedCertificate<T>(tx, verified.hash);
        if (first === null) throw new Error('a statement is there and is not');
        return { certificate: first, isNew: false };
      }
      const countersignature = certificate.countersignature.statement;
      await effects(tx, { hash: hashBytes(verified.hash), seq, signedAt, countersignature });
      return { certificate, isNew: true };
    });
  }

  /**
   * Countersigns and writes a statement in the caller's transaction, which holds the lock that `accept` would wait for: the seq is taken under it.
   * Whether the key may sign this is for the caller to say, and that the statement is not stored yet.
   */
  async write<T extends UserStatementType>(
    tx: Executor,
    verified: Verified<T>,
    user: UserId,
  ): Promise<Recorded & { readonly certificate: Certificate<StatementOf<T>> }> {
    const { rows } = await sql<{ seq: number; signed_at: Date }>`
      update users set last_seq = last_seq + 1, last_signed_at = greatest(last_signed_at, ${new Date(this.#deps.clock.now())})
      where id = ${user} returning last_seq as seq, last_signed_at as signed_at`.execute(tx);
    const [row] = rows;
    if (row === undefined) throw new AppError('NOT_FOUND', 'there is no such member');
    const certificate = await this.#deps.server.countersign<T>(verified.signed, row.seq, row.signed_at.getTime());
    if (!(await storeStatement(tx, verified.hash, certificate))) throw new Error('a statement is written twice');
    const countersignature = certificate.countersignature.statement;
    return { certificate, hash: hashBytes(verified.hash), seq: row.seq, signedAt: row.signed_at, countersignature };
  }

  async #next(user: UserId): Promise<{ seq: number; signedAt: Date }> {
    const rows = await this.#deps.db.query<{ seq: string; signed_at: Date }>({
      name: 'countersign-seq',
      text: `update users set last_seq = last_seq + 1, last_signed_at = greatest(last_signed_at, $2)
        where id = $1 returning last_seq::text as seq, last_signed_at as signed_at`,
      values: [user, new Date(this.#deps.clock.now())],
    });
    const [row] = rows;
    if (row === undefined) throw new AppError('NOT_FOUND', 'there is no such member');
    return { seq: Number(row.seq), signedAt: row.signed_at };
  }

  async #requireUsable(tx: Executor, by: { user: UserId; key: UserKeyId }): Promise<void> {
    const { rows } = await sql`select id from keys where id = ${by.key} and user_id = ${by.user} for share`.execute(tx);
    if (rows.length === 0) throw new AppError('INVALID', 'key: not a key of this member');
    const end = await endOf(tx, by.key);
    if (end !== null) throw new AppError('KEY_REVOKED', 'the key was revoked', { certificate: end });
    const removed = await sql`select from account_removals where user_id = ${by.user}`.execute(tx);
    if (removed.rows.length > 0) throw new AppError('FORBIDDEN', 'the account is removed');
  }
}
