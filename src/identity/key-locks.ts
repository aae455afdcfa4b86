// The lock under which a member's chain changes, and how the chain stands then. Whoever changes it takes one lock of the member's, then all
// key rows: a countersigning that shares one of them is waited for, and what comes later sees what was committed.
import { sql } from 'kysely';
import { AppError } from '../base/errors.ts';
import type { Fingerprint, UserId, UserKeyId } from '../wire/address.ts';
import type { Executor } from './executor.ts';
import type { HeldKey } from './key-rules.ts';

type Row = {
  id: UserKeyId;
  predecessor: UserKeyId | null;
  recovery: Fingerprint;
  by_recovery: boolean;
  void: boolean;
  revoked: boolean;
  signed_at: Date;
};

/** Keeps everybody else from changing the member's chain, and from countersigning, until the transaction ends. @returns all keys as they are now */
export async function lockKeys(tx: Executor, user: UserId): Promise<HeldKey[]> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`keys ${user}`}, 0))`.execute(tx);
  await sql`select id from keys where user_id = ${user} order by id for update`.execute(tx);
  const { rows } = await sql<Row>`
    select k.id, k.predecessor, k.recovery, k.by_recovery, k.void_hash is not null as void, r.key_id is not null as revoked, s.signed_at
    from keys k join statements s on s.hash = k.statement_hash left join key_revocations r on r.key_id = k.id
    where k.user_id = ${user}`.execute(tx);
  return rows.map((row) => ({
    ...{ id: row.id, predecessor: row.predecessor, recovery: row.recovery, byRecovery: row.by_recovery },
    ...{ isVoid: row.void, isRevoked: row.revoked, signedAtMs: row.signed_at.getTime() },
  }));
}

/** @throws AppError REMOVED with the certificate: nothing of a removed account changes any more */
export async function refuseFinallyRemoved(tx: Executor, user: UserId): Promise<void> {
  const { rows } = await sql<{ certificate: object }>`
    select s.certificate from account_removals r join statements s on s.hash = r.statement_hash where r.user_id = ${user}`.execute(tx);
  if (rows[0] !== undefined) throw new AppError('REMOVED', 'the account was removed', { certificate: rows[0].certificate });
}

/** Whether the account is hidden and will be removed. */
export async function removalWaits(tx: Executor, user: UserId): Promise<boolean> {
  const { rows } = await sql`select user_id from account_removals where user_id = ${user} and statement_hash is null`.execute(tx);
  return rows.length > 0;
}

/** What a change of the chain ends in its own transaction: every session, and a removal that waits, whose signer signs no more. */
export async function endByKeyChange(tx: Executor, user: UserId): Promise<void> {
  await sql`delete from account_removals where user_id = ${user} and statement_hash is null`.execute(tx);
  await sql`delete from sessions where user_id = ${user}`.execute(tx);
}

/** Whoever has read these keys to verify with is to be told that they ended. */
export async function oweRevocations(tx: Executor, keys: readonly UserKeyId[], dueAt: Date): Promise<void> {
  await sql`
    insert into pending_ends (kind, subject_id, due_at) select 'key-revocation', unnest(${[...keys]}::text[]), ${dueAt}
    on conflict (kind, subject_id) do update set looks = 0, due_at = excluded.due_at`.execute(tx);
}
