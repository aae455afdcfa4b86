// The SQL of presence. Who signs in or leaves locks the member's row in `online_users` first and looks at the connections in a
// later statement of the same transaction, so that the last of two decides on what both have written.
import type { Transaction } from 'kysely';
import { sql } from 'kysely';
import type { DB } from '../db/types.ts';
import type { UserId } from '../wire/address.ts';
import { endSubscriptions } from './subscriptions.ts';

export type SignIn = { readonly connectionId: string; readonly userId: UserId; readonly deviceId: string };
export type Departure = { readonly connectionId: string; readonly userId: UserId };
export type SignedIn = {
  /** The member's presence row still stood, and its events with it. */
  readonly resumed: boolean;
  /** Connections of another device were ended by this sign-in. */
  readonly replaced: boolean;
  /** How many connections the member has now, on all replicas. */
  readonly connections: number;
};

/**
 * Signs in members, each at most once. Members are in the order of their ids.
 *
 * These batches wait for rows, unlike those of the ledger: a sign-in that passed over a row which a departure has locked could neither
 * insert it nor know whether it will still be there. The wait is short: rows are locked in the order of their ids, by transactions of
 * two statements that wait for nothing else, and `transaction_timeout` (db/connection.ts) ends one that hangs.
 * @returns one outcome for each, in order; null where this replica is no longer registered
 */
export async function signIn(tx: Transaction<DB>, replicaId: string, items: readonly SignIn[]): Promise<(SignedIn | null)[]> {
  const users = items.map((item) => item.userId);
  const rows = await sql<{ user_id: string; resumed: boolean }>`
    with me as (select id from replicas where id = ${replicaId}::uuid and lease_until > '-infinity' for key share)
    insert into online_users (user_id, owner)
    select i.user_id, me.id from unnest(${users}::text[]) as i(user_id), me order by i.user_id collate "C"
    on conflict (user_id) do update set owner = excluded.owner, congested = false
    returning user_id, old.user_id is not null as resumed`.execute(tx);
  if (rows.rows.length === 0) return items.map(() => null);
  const connected = await sql<{ user_id: string; replaced: boolean; connections: number }>`
    with input as (
      select * from unnest(${items.map((item) => item.connectionId)}::uuid[], ${users}::text[],
        ${items.map((item) => item.deviceId)}::text[]) as i(id, user_id, device_id)
    ), replaced as (
      delete from online_connections c using input i
      where c.user_id = i.user_id and c.device_id <> i.device_id
      returning c.user_id
    ), added as (
      insert into online_connections (id, user_id, replica_id, device_id)
      select id, user_id, ${replicaId}::uuid, device_id from input
    )
    select i.user_id, exists (select from replaced r where r.user_id = i.user_id) as replaced,
      1 + (select count(*)::int from online_connections c where c.user_id = i.user_id and c.device_id = i.device_id) as connections
    from input i`.execute(tx);
  const resumed = new Map(rows.rows.map((row) => [row.user_id, row.resumed]));
  const outcomes = new Map(connected.rows.map((row) => [row.user_id, row]));
  return items.map(({ userId }) => {
    const outcome = outcomes.get(userId);
    if (outcome === undefined) return null;
    return { resumed: resumed.get(userId) ?? false, replaced: outcome.replaced, connections: outcome.connections };
  });
}

/**
 * Ends connections; the presence of those who have no other left; the ownership of those who have one elsewhere.
 * @returns the members whose presence row this transaction deletes
 */
export async function signOut(tx: Transaction<DB>, items: readonly Departure[]): Promise<UserId[]> {
  const users = [...new Set(items.map((item) => item.userId))].sort();
  const connections = items.map((item) => item.connectionId);
  await sql`
    select from online_users where user_id = any(${users}::text[]) order by user_id for update`.execute(tx);
  const { rows } = await sql<{ user_id: UserId }>`
    with gone as (
      delete from online_connections where id = any(${connections}::uuid[])
    ), rest as (
      select distinct on (user_id) user_id, replica_id from online_connections
      where user_id = any(${users}::text[]) and id <> all(${connections}::uuid[])
      order by user_id, seq desc
    ), moved as (
      update online_users u set owner = rest.replica_id from rest
      where u.user_id = rest.user_id and u.owner <> rest.replica_id
    )
    delete from online_users u
    where u.user_id = any(${users}::text[]) and not exists (select from rest where rest.user_id = u.user_id)
    returning u.user_id`.execute(tx);
  const left = rows.map((row) => row.user_id);
  if (left.length > 0) await endSubscriptions(tx, left);
  return left;
}

/** Statement that writes whose send buffers are full, for members whom this replica owns. */
export const congestedStatement = (replicaId: string, users: readonly UserId[], full: readonly boolean[]) => ({
  name: 'presence-congested',
  text: `with input as (
      select * from unnest($2::text[], $3::bool[]) as i(user_id, is_full)
    ), locked as (
      select u.user_id from online_users u where u.user_id = any($2::text[]) and u.owner = $1::uuid
      order by u.user_id for no key update
    )
    update online_users u set congested = i.is_full from input i, locked l
    where u.user_id = i.user_id and l.user_id = i.user_id and u.congested <> i.is_full`,
  values: [replicaId, users, full],
});

/** A page of the connections of one replica. */
export const connectionsOf = (replicaId: string, limit: number) => ({
  name: 'presence-connections-of',
  text: `select id as "connectionId", user_id as "userId" from online_connections
    where replica_id = $1::uuid order by user_id limit $2`,
  values: [replicaId, limit],
});
