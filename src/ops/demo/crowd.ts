// What the demo writes straight into its own database: the role of an archivist, which the operator gives, and a crowd of followers who are there only
// as rows, online by their presence, without sockets or keys, to count what one publication costs. Nobody of them is ever served.
import { randomBytes } from 'node:crypto';
import pg from 'pg';
import type { ReedId, UserId } from '../../wire/address.ts';
import type { Stage } from './stage.ts';

type Crowd = {
  readonly stage: Stage;
  readonly author: UserId;
  readonly followers: number;
  /** Ends the counting early; so does `deadlineMs` after the publication. */
  readonly signal: AbortSignal;
  readonly deadlineMs: number;
};

const GATHER = `
with u as materialized (select id, split_part(id, '@', 2) as server, decode(md5(id) || md5(id), 'hex') as hash from unnest($1::text[]) as u(id)),
  i as (insert into identities (id, server_id, first_seen_at) select id, server, now() from u),
  s as (insert into statements (hash, user_id, type, seq, signed_at, certificate) select hash, id, 'key', 1, now(), '{}' from u),
  k as (insert into keys (id, user_id, armor, recovery, statement_hash, created_at) select id || '/' || encode(substr(hash, 1, 20), 'hex'), id, '', '', hash, now() from u),
  m as (insert into users (id, role, last_signed_at, key_id, username, identity_hash, created_at)
    select id, 'user', now(), id || '/' || encode(substr(hash, 1, 20), 'hex'), id, hash, now() from u),
  f as (insert into follows (user_id, target, active, seq, statement_hash) select id, $2, true, 1, hash from u)
insert into online_users (user_id, owner, sync_request_id) select u.id, o.owner, 'x' from u, online_users o where o.user_id = $2`;
const OWED = 'select count(*)::int as owed from pending_events where subject_id = $1';
const LOOK_EVERY_MS = 20;

const ALPHABET = 'abcdefghijklmnopqrstuvwxyz234567';
const localPart = (): string => Array.from(randomBytes(16), (byte) => ALPHABET[byte % ALPHABET.length]).join('');

const connected = async <T>({ databaseUrl }: Stage, work: (client: pg.Client) => Promise<T>): Promise<T> => {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
};

export const makeArchivist = (stage: Stage, user: UserId): Promise<void> =>
  connected(stage, async (client) => void (await client.query(`update users set role = 'archivist' where id = $1`, [user])));

/** How many statements the server sent from the publication until every follower was owed it. `publish` must be by a member who answers nobody. */
export const statementsFor = ({ stage, author, followers, signal, deadlineMs }: Crowd, publish: () => Promise<ReedId>): Promise<number> =>
  connected(stage, async (client) => {
    const ids = Array.from({ length: followers }, () => `${localPart()}@${author.split('@')[1]}`);
    await client.query(GATHER, [ids, author]);
    const before = stage.app.statements();
    const reed = await publish();
    const owed = async (): Promise<number> => (await client.query<{ owed: number }>(OWED, [reed])).rows[0]?.owed ?? 0;
    const until = Date.now() + deadlineMs;
    while ((await owed()) < followers) {
      signal.throwIfAborted();
      if (Date.now() > until) throw new Error(`only ${await owed()} of ${followers} followers are owed the reed`);
      await new Promise((done) => setTimeout(done, LOOK_EVERY_MS));
    }
    const after = stage.app.statements();
    return after.ledger + after.application - before.ledger - before.application;
  });
