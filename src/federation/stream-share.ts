// Where a peer's share of our streams begins and ends: in the transaction that makes the peering live, or ends it.
import { sql } from 'kysely';
import type { Executor } from '../identity/executor.ts';
import type { ServerId } from '../wire/address.ts';

/**
 * Of streams that are there already after what they say now, of later ones at their beginning. A share that has begun goes on, whatever the peering
 * was in between: what was published meanwhile, by whoever wrote nothing before, is of it.
 */
export async function beginShare(tx: Executor, peer: ServerId): Promise<void> {
  const { rows } = await sql`update peers set share_begun = true where server_id = ${peer} and not share_begun returning server_id`.execute(
    tx,
  );
  if (rows.length === 0) return;
  await sql`
    insert into peer_cursors (server_id, author_id, start, cursor, acked, sent)
    select ${peer}, author_id, last_number, last_number, last_number, last_number from author_streams order by author_id
    on conflict do nothing`.execute(tx);
}

/** Nothing is owed to it any more; a peering that begins anew begins with what is published then. */
export async function endShare(tx: Executor, peer: ServerId): Promise<void> {
  await sql`delete from parked_items where server_id = ${peer}`.execute(tx);
  await sql`delete from owed_legs where server_id = ${peer}`.execute(tx);
  await sql`delete from peer_cursors where server_id = ${peer}`.execute(tx);
  await sql`update peers set share_begun = false where server_id = ${peer}`.execute(tx);
}
