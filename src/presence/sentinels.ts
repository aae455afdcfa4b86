// Peers among who is present: each live peer has a row whose events are its members'. It has no connection and no replica, so that it is never
// reaped, counted or fanned out to; congested while the peer does not answer, as a member whose buffers are full.
import { sql } from 'kysely';
import type { Executor } from '../identity/executor.ts';
import type { ServerId, UserId } from '../wire/address.ts';

/** The owner of rows that no replica owns. */
export const NO_REPLICA = '00000000-0000-0000-0000-000000000000';

const NAME = 'peer@';

/** Whom events of a peer's members belong to. No user id: the parser refuses it from any wire. */
export const sentinelOf = (server: ServerId): UserId => `${NAME}${server}` as UserId;

export const isSentinel = (user: UserId): boolean => user.startsWith(NAME);

/** The peer is present from the commit on. */
export async function sentinelsArrive(executor: Executor, servers: readonly ServerId[]): Promise<void> {
  await sql`insert into online_users (user_id, owner)
    select s, ${NO_REPLICA}::uuid from unnest(${servers.map(sentinelOf).sort()}::text[]) as s on conflict (user_id) do nothing`.execute(
    executor,
  );
}

/** Holds back what is there for peers that do not answer, and no other: as it is noted of them now, whoever noted it in between. */
export async function sentinelsHeldBack(executor: Executor, now: number): Promise<void> {
  await sql`update online_users o set congested = p.away from
    (select 'peer@' || server_id as sentinel, coalesce(away_until > ${new Date(now)}, false) as away from fold_peers) p
    where o.user_id = p.sentinel and o.congested <> p.away`.execute(executor);
}

export async function sentinelLeaves(executor: Executor, server: ServerId): Promise<void> {
  await sql`delete from online_users where user_id = ${sentinelOf(server)}`.execute(executor);
  await sql`delete from reed_subscriptions where viewer = ${sentinelOf(server)}`.execute(executor);
}
