// What a key signed that was put off its chain counts for nothing: what identity made of it goes back to what the member had said before.
// A page of the statements at a time, by their seq; any page may be taken back twice.
import { sql } from 'kysely';
import type { Clock } from '../base/clock.ts';
import type { Limits } from '../base/limits.ts';
import { type UserId, type UserKeyId, userOf } from '../wire/address.ts';
import type { StatementOf } from '../wire/statements.ts';
import { oweNotice } from './blocks.ts';
import type { Executor } from './executor.ts';
import { lockPair } from './follows.ts';
import { claimName } from './usernames.ts';

/** Statements of one void key. */
export type VoidPage = {
  readonly hashes: readonly Buffer[];
  /** The statement by the recovery key that made them void. */
  readonly by: Buffer;
  /** The seq after which the next page starts; null: that was the last. */
  readonly next: number | null;
};

/** The next statements that `key` signed; null for a key that stands. */
export async function voidStatements(tx: Executor, key: UserKeyId, page: { after: number; limit: number }): Promise<VoidPage | null> {
  const { rows: keys } = await sql<{ by: Buffer | null; seq: number }>`
    select k.void_hash as by, s.seq from keys k join statements s on s.hash = k.statement_hash where k.id = ${key}`.execute(tx);
  const [found] = keys;
  if (found === undefined || found.by === null) return null;
  // From the key's own statement on: what came before it, it can't have signed.
  const { rows } = await sql<{ hash: Buffer; seq: number; signed: boolean }>`
    select hash, seq, type <> 'key' and certificate -> 'statement' ->> 'key' = ${key} as signed from statements
    where user_id = ${userOf(key)} and seq > ${Math.max(page.after, found.seq)} order by seq limit ${page.limit}`.execute(tx);
  const hashes = rows.flatMap(({ hash, signed }) => (signed ? [hash] : []));
  return { hashes, by: found.by, next: rows.length < page.limit ? null : (rows.at(-1)?.seq ?? null) };
}

/** Whether statement `s` was signed by a key that stands on its member's chain. */
const STANDS = `exists (select from keys k where k.id = s.certificate -> 'statement' ->> 'key' and k.void_hash is null)`;

/**
 * Pairs that void statements made are again what the member said of them last before, if anything. `table` has the columns of follows.
 * @returns whom the member follows, likes or blocks again
 */
export async function backToBefore(
  tx: Executor,
  table: 'follows' | 'likes' | 'blocks',
  of: { readonly user: UserId; readonly hashes: readonly Buffer[]; readonly acts: readonly [on: string, off: string] },
): Promise<string[]> {
  const { user, hashes, acts } = of;
  const { rows } = await sql<{ target: string; active: boolean }>`
    with gone as materialized (
      select target from ${sql.table(table)} where user_id = ${user} and statement_hash = any(${[...hashes]}::bytea[]) order by target for update
    ),
    before as materialized (
      select distinct on (g.target) g.target, s.hash, s.seq, s.type = ${acts[0]} as active
      from gone g join statements s on s.user_id = ${user} and s.type in (${acts[0]}, ${acts[1]})
        and s.certificate -> 'statement' ->> 'target' = g.target
      where ${sql.raw(STANDS)} order by g.target, s.seq desc
    )
    update ${sql.table(table)} x set active = coalesce(b.active, false), seq = coalesce(b.seq, x.seq), statement_hash = coalesce(b.hash, x.statement_hash)
    from gone g left join before b on b.target = g.target where x.user_id = ${user} and x.target = g.target
    returning x.target, x.active`.execute(tx);
  return rows.flatMap(({ target, active }) => (active ? [target] : []));
}

/** Locks the pairs that these statements are about, as who follows or blocks does, before any row of theirs. */
async function lockPairs(tx: Executor, user: UserId, hashes: readonly Buffer[]): Promise<void> {
  const { rows } = await sql<{ target: UserId }>`
    select distinct certificate -> 'statement' ->> 'target' as target from statements
    where hash = any(${[...hashes]}::bytea[]) and type in ('follow', 'unfollow', 'block', 'unblock') order by 1`.execute(tx);
  for (const { target } of rows) await lockPair(tx, user, target);
}

/** What stands again between the member and others: no follow outlasts a block, and who is blocked again is cut off and told as at first. */
async function blockAgain(tx: Executor, user: UserId, targets: readonly string[], now: Date): Promise<void> {
  await sql`
    update follows f set active = false from blocks b
    where b.active and (b.user_id = ${user} or b.target = ${user}) and f.active and f.user_id = b.target and f.target = b.user_id`.execute(
    tx,
  );
  const { rows } = await sql<{ target: UserId; hash: Buffer; countersignature: StatementOf<'countersignature'> }>`
    select b.target, s.hash, s.certificate -> 'countersignature' -> 'statement' as countersignature
    from blocks b join statements s on s.hash = b.statement_hash where b.user_id = ${user} and b.target = any(${[...targets]}::text[])`.execute(
    tx,
  );
  for (const { target, hash, countersignature } of rows) {
    await oweNotice(tx, { member: user, target, kind: 'block' }, { hash, countersignature });
    await sql`
      insert into pending_fanout (kind, subject_id, due_at) values ('block', ${`${user} ${target}`}, ${now})
      on conflict (kind, subject_id) do update set looks = 0, due_at = excluded.due_at`.execute(tx);
  }
}

/** Takes back, in the caller's transaction, what identity made of these statements of the key's member. */
export async function takeBack(
  tx: Executor,
  key: UserKeyId,
  hashes: readonly Buffer[],
  at: { readonly clock: Clock; readonly limits: Limits },
): Promise<void> {
  const user = userOf(key);
  await lockPairs(tx, user, hashes);
  await sql`select id from users where id = ${user} for no key update`.execute(tx);
  await backToBefore(tx, 'follows', { user, hashes, acts: ['follow', 'unfollow'] });
  const blocked = await backToBefore(tx, 'blocks', { user, hashes, acts: ['block', 'unblock'] });
  await sql`delete from owed_notices where about_user_id = ${user} and statement_hash = any(${[...hashes]}::bytea[])`.execute(tx);
  const now = new Date(at.clock.now());
  await blockAgain(tx, user, blocked, now);
  await sql`
    update invites set revoked_at = ${now}
    where user_id = ${user} and statement_hash = any(${[...hashes]}::bytea[]) and claimed_at is null and revoked_at is null`.execute(tx);
  await restoreIdentity(tx, key, hashes, at);
}

async function restoreIdentity(
  tx: Executor,
  key: UserKeyId,
  hashes: readonly Buffer[],
  { clock, limits }: { clock: Clock; limits: Limits },
) {
  const user = userOf(key);
  const { rows } = await sql<{ hash: Buffer; username: string; now: string }>`
    select s.hash, s.certificate -> 'statement' ->> 'username' as username, u.username as now
    from users u join statements s on s.user_id = u.id and s.type = 'identity'
    where u.id = ${user} and u.identity_hash = any(${[...hashes]}::bytea[]) and ${sql.raw(STANDS)} order by s.seq desc limit 1`.execute(tx);
  const [before] = rows;
  if (before === undefined) return;
  await sql`update users set identity_hash = ${before.hash} where id = ${user}`.execute(tx);
  // Reserved for its owner since it was given up.
  if (before.username !== before.now)
    await claimName(tx, { user, username: before.username, nowMs: clock.now(), reservedMs: limits.usernameReservedMs });
}
