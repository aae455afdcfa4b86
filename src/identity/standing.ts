// What stands between members: removed accounts, blocks, keys that ended. Each is one look at stored certificates.
import { sql } from 'kysely';
import { AppError } from '../base/errors.ts';
import type { UserId, UserKeyId } from '../wire/address.ts';
import type { Executor } from './executor.ts';

/** The certificate by which `author` blocks `viewer`, or null. */
export async function blockOf(executor: Executor, author: UserId, viewer: UserId): Promise<object | null> {
  const { rows } = await sql<{ certificate: object }>`
    select s.certificate from blocks b join statements s on s.hash = b.statement_hash
    where b.user_id = ${author} and b.target = ${viewer} and b.active`.execute(executor);
  return rows[0]?.certificate ?? null;
}

/** @throws AppError BLOCKED with the certificate, if `author` blocks `viewer` */
export async function refuseBlocked(executor: Executor, author: UserId, viewer: UserId): Promise<void> {
  const certificate = await blockOf(executor, author, viewer);
  if (certificate !== null) throw new AppError('BLOCKED', 'the author blocks you', { certificate });
}

const noMember = () => new AppError('NOT_FOUND', 'there is no such member');

/**
 * @param hidden what is said while a removal waits to be countersigned: the same as of what was never there
 * @throws AppError REMOVED with the certificate
 */
export async function refuseRemovedAccount(executor: Executor, user: UserId, hidden: () => AppError = noMember): Promise<void> {
  const { rows } = await sql<{ certificate: object | null }>`
    select s.certificate from account_removals r left join statements s on s.hash = r.statement_hash
    where r.user_id = ${user}`.execute(executor);
  const [removal] = rows;
  if (removal === undefined) return;
  if (removal.certificate === null) throw hidden();
  throw new AppError('REMOVED', 'the account was removed', { certificate: removal.certificate });
}

/** The certificate that revokes the key, or null. */
export async function revocationOf(executor: Executor, key: UserKeyId): Promise<object | null> {
  const { rows } = await sql<{ certificate: object }>`
    select s.certificate from key_revocations r join statements s on s.hash = r.statement_hash
    where r.key_id = ${key}`.execute(executor);
  return rows[0]?.certificate ?? null;
}

/** What ended the key: the statement that put it off the chain, or its revocation; null while it stands. */
export async function endOf(executor: Executor, key: UserKeyId): Promise<object | null> {
  const { rows } = await sql<{ certificate: object }>`
    select s.certificate from keys k left join key_revocations r on r.key_id = k.id
      join statements s on s.hash = coalesce(k.void_hash, r.statement_hash)
    where k.id = ${key}`.execute(executor);
  return rows[0]?.certificate ?? null;
}
