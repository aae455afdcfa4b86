// The one place that empties what must not outlive a stop: every UNLOGGED table of our schema, the epoch included.
// The catalog is the list, so that a table added later can't be forgotten.
import type { Transaction } from 'kysely';
import { sql } from 'kysely';
import type { DB } from '../db/types.ts';

/** Serializes starts and stops of replicas; held until the transaction ends. */
const REPLICAS_LOCK = 0x5265_6564;

/** Waits until no other replica is starting or stopping; the lock ends with the transaction. */
export async function lockReplicas(tx: Transaction<DB>): Promise<void> {
  await sql`select pg_advisory_xact_lock(${REPLICAS_LOCK})`.execute(tx);
}

/** Names of all UNLOGGED tables of the schema in use, quoted. */
export async function unloggedTables(tx: Transaction<DB>): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select format('%I.%I', n.nspname, c.relname) as name
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where c.relpersistence = 'u' and c.relkind = 'r' and n.nspname = current_schema()
    order by 1`.execute(tx);
  return rows.map((row) => row.name);
}

/** Truncates them all. Call it only under `lockReplicas` and only if no other replica's lease is alive. */
export async function emptyUnlogged(tx: Transaction<DB>): Promise<void> {
  const names = await unloggedTables(tx);
  if (names.length > 0) await sql`truncate ${sql.raw(names.join(', '))} restart identity`.execute(tx);
}
