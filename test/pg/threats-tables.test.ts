// What the server knows is what its tables hold: every column is listed here by the kind of knowledge it is, and every table is named on
// the page that says who learns what. A new column fails until somebody has thought about who will read it.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createDatabase, run, type TestDatabase } from '../support/database.ts';

/** Kept until somebody removes it: what a thief of a stopped server's disk reads. */
const FOR_GOOD: Readonly<Record<string, string>> = {
  servers: 'id name document serial is_self first_seen_at',
  server_keys: 'id server_id kind public_key wrapped_private_key predecessor statement created_at revoked_at revocation effective_at',
  holder_notices: 'server_id reed_id version failures due_at',
  identities: 'id server_id first_seen_at',
  users: 'id role last_seq last_signed_at key_id username identity_hash created_at',
  usernames: 'skeleton folded user_id released_at',
  statements: 'hash user_id type seq signed_at certificate',
  keys: 'id user_id armor recovery predecessor statement_hash created_at by_recovery void_hash',
  key_revocations: 'key_id statement_hash seq',
  key_allocations: 'user_id key_id',
  devices: 'id user_id linked_at unlinked_at',
  follows: 'user_id target active seq statement_hash',
  likes: 'user_id target active seq statement_hash',
  blocks: 'user_id target active seq statement_hash',
  invites: 'id user_id token_hash role created_at expires_at claimed_by claimed_at revoked_at statement_hash',
  account_removals: 'user_id statement due_at statement_hash',
  reed_identities: 'id server_id author_id',
  reeds:
    'id author_id statement_hash registered_at published_at broadcast removed_at removal_hash previous thread_head thread_index reply_to root echo_of fetched',
  threads: 'id author_id statement_hash removal_hash',
  reed_tags: 'reed_id tag',
  reed_mentions: 'reed_id user_id accepted reason',
  author_streams: 'author_id last_number tip_reed_id',
  author_facts: 'author_id number kind subject_id',
  reed_allocations: 'holder_user_id reed_id device_id delivered_on pivot',
  reed_declines: 'user_id reed_id',
  reed_server_allocations: 'reed_id server_id holding',
  reed_stats: 'reed_id echoes replies likes holders',
  pending_ends: 'kind subject_id looks due_at',
  owed_notices: 'user_id about_user_id kind statement_hash countersignature_hash',
  peer_nonces: 'server_id nonce until',
  peers:
    'server_id state base_url begun_by begun_at approved_by approved_at approved_there_at compromised_at candidate away epoch failures retry_at sated_until last_fault last_fault_at document_asked_at share_begun',
  peer_invitations: 'id server_id key_id statement secret_hash expires_at used_at used_by',
  owed_peer_notices: 'server_id kind version revocation failures due_at',
  admin_acts: 'number by_id act target nonce at statement_hash certificate',
  admin_requests: 'act target by_id at',
  foreign_profiles: 'user_id username folded identity_hash seq fetched_at',
  peer_cursors: 'server_id author_id start cursor acked sent items failures later_since retry_at lease_until resend_at',
  parked_items: 'server_id author_id number kind subject_id reason parked_at replay_at replays replay_waits replay_said',
  received_streams: 'author_id number token',
  owed_legs: 'server_id leg user_id target statement_hash seq failures due_at',
  kysely_migration: 'name timestamp',
  kysely_migration_lock: 'id is_locked',
  migration_hashes: 'name hash',
};

/** Of the moment, in UNLOGGED tables: gone with a clean stop and with a crash of Postgres. */
const OF_THE_MOMENT: Readonly<Record<string, string>> = {
  sessions: 'token_hash user_id key_id device_id signed_at last_used_at recovery',
  used_challenges: 'nonce until',
  ledger_epoch: 'one epoch',
  replicas: 'id name lease_until',
  online_users: 'user_id owner sync_request_id congested behind',
  online_connections: 'id user_id replica_id device_id seq',
  pending_events:
    'event_id seq request_id requester_user_id event_name subject_kind subject_id is_foreign priority subscription_id state due_at holder dispatched_at attempt waits relayed_at relays requested_at created_at',
  pending_event_attempts: 'event_id holder failures busy outcome not_before',
  fold_peers: 'server_id epoch away_until',
  foreign_pending_events:
    'crossing_id event_id asked_server_id subject kind requester slot is_fallback asleep asserts answered_at arrived_at owes reason failures due_at created_at',
  foreign_relay_requests:
    'event_id requesting_server_id requesting_user_id requesting_key_id peer_request_id subject slot owes failures due_at created_at',
  cancelled_crossings: 'server_id crossing_id until',
  carrier_faults: 'subject member reason at',
  pending_thread_parts: 'event_id reed_ids',
  holder_strikes: 'reed_id holder viewer reason at counted_at',
  broadcast_subscriptions: 'viewer served_at skipped',
  catchup_positions: 'user_id stage at id failures due_at lease_until',
  pending_fanout: 'kind subject_id broadcast looks due_at',
  pipe_subscriptions: 'viewer target',
  profile_subscriptions: 'viewer target',
  reed_subscriptions: 'viewer target',
};

const COLUMNS = `select c.relname as name, c.relpersistence = 'u' as unlogged, string_agg(a.attname, ' ' order by a.attnum) as columns
  from pg_class c join pg_namespace n on n.oid = c.relnamespace join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
  where n.nspname not in ('pg_catalog', 'information_schema', 'pg_toast') and c.relkind in ('r', 'p', 'm', 'f') group by 1, 2`;

let database: TestDatabase;
let found: { name: string; unlogged: boolean; columns: string }[];
beforeAll(async () => {
  database = await createDatabase();
  found = (await run(database.url, COLUMNS))[0]?.rows as typeof found;
});
afterAll(() => database.drop());

const tables = (unlogged: boolean): Record<string, string> =>
  Object.fromEntries(found.filter((table) => table.unlogged === unlogged).map(({ name, columns }) => [name, columns]));

describe('what the server knows', () => {
  test('for good is in these columns and no others', () => {
    expect(tables(false)).toEqual(FOR_GOOD);
  });

  test('for the moment is in these columns and no others', () => {
    expect(tables(true)).toEqual(OF_THE_MOMENT);
  });

  test('of who was served is a day, not a time: neither rows nor clocks of Postgres tell more', async () => {
    const [allocations, clock] = await run(
      database.url,
      `select attname as name, format_type(atttypid, atttypmod) as type from pg_attribute
       where attrelid = 'reed_allocations'::regclass and attnum > 0 and format_type(atttypid, atttypmod) ~ 'time|date'`,
      'show track_commit_timestamp',
    );
    expect(allocations?.rows).toEqual([{ name: 'delivered_on', type: 'date' }]);
    expect(clock?.rows).toEqual([{ track_commit_timestamp: 'off' }]);
  });

  test('is said, table by table, on the page about it', () => {
    const page = readFileSync(join(import.meta.dirname, '../../specs/threats.md'), 'utf8');
    const unsaid = [...Object.keys(FOR_GOOD), ...Object.keys(OF_THE_MOMENT)].filter((table) => !page.includes(`\`${table}\``));
    expect(unsaid).toEqual([]);
  });
});
