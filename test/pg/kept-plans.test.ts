// Application connections keep the plans of named statements, made while a server was young or not. When it has grown none of them reads a whole table for
// a few: either what is named is looked up by its key, or the statement is planned anew each time.
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Database, Sql } from '../../src/db/pool.ts';
import { Keys } from '../../src/identity/keys.ts';
import { NOTICE_NAMES, type NoticeKind } from '../../src/ledger/state.ts';
import { audienceOf } from '../../src/relay/audience.ts';
import { STAGES } from '../../src/relay/catchup-stages.ts';
import { ReedCounting } from '../../src/relay/counting.ts';
import { Refusals } from '../../src/relay/refusals.ts';
import { Removals } from '../../src/relay/removals.ts';
import type { ReedId, RequestId, UserId, UserKeyId } from '../../src/wire/address.ts';
import { makeWorld, type World } from '../support/people.ts';

const [YOUNG, GROWN] = [500, 20_000];
/** Of a statement about five; a table that has grown has more pages. */
const MOST_BUFFERS = 150;
const unused = undefined as never;

let world: World;
let own: pg.Client;
let author: UserId;
let reader: UserId;
beforeAll(async () => {
  world = await makeWorld();
  own = new pg.Client({ connectionString: world.databaseUrl });
  await own.connect();
  const self = world.identity.server.id;
  author = `author0000000001@${self}` as UserId;
  reader = `reader0000000001@${self}` as UserId;
  await own.query('insert into identities (id, server_id, first_seen_at) select unnest($1::text[]), $2, now()', [[author, reader], self]);
  await publish(1, YOUNG);
  await own.query(
    `insert into keys (id, user_id, armor, recovery, statement_hash, created_at) select 'key@' || $1, $1, '', '', hash, now() from statements limit 1`,
    [author],
  );
  await own.query(
    `insert into key_revocations (key_id, statement_hash, seq) select 'key@' || $1, statement_hash, 1 from reeds where id = $1 || '/2'`,
    [author],
  );
  await own.query(
    `insert into account_removals (user_id, statement, due_at, statement_hash) select $2, '{}', now(), statement_hash from reeds where id = $1`,
    [reed(4), reader],
  );
  await own.query(
    `insert into threads (id, author_id, statement_hash, removal_hash) select id, author_id, statement_hash, statement_hash from reeds where id = any($1)`,
    [ids()],
  );
  // So many that looking up each is dearer than to read all reeds while those are few.
  await own.query('insert into reed_mentions (reed_id, user_id, accepted) select id, $1, true from reeds', [reader]);
  await own.query(
    `insert into users (id, role, last_signed_at, username, identity_hash, created_at) select $1, 'user', now(), 'reader', hash, now() from statements limit 1`,
    [reader],
  );
  await own.query(
    `insert into reed_allocations (holder_user_id, reed_id, device_id, delivered_on) select $1, id, 'device', current_date from reeds`,
    [reader],
  );
  await own.query(
    `insert into follows (user_id, target, active, seq, statement_hash)
      select $2, case number when 1 then author_id else number || author_id end, true, 1, statement_hash
      from reeds, generate_series(1, 20) number where id = $1`,
    [reed(5), reader],
  );
  await own.query('analyze reeds, reed_mentions, reed_allocations, follows, threads');
  await own.query(`insert into pending_fanout (kind, subject_id, broadcast, due_at) values ('publication', $1, false, now())`, [reed(5)]);
  await own.query('set plan_cache_mode = force_generic_plan');
}, 60_000);
afterAll(async () => {
  await own.end();
  await world.close();
});

const reed = (number: number): ReedId => `${author}/${number}` as ReedId;

/** Reeds of one author, each an answer to the one before, every third taken back. */
const publish = (from: number, to: number) =>
  own.query(
    `with new as (select g as number, $1 || '/' || g as id, sha256(('reed' || g)::bytea) as hash from generate_series(${from}, ${to}) g),
      s as (insert into statements (hash, user_id, type, seq, signed_at, certificate) select hash, $1, 'reed', number, now(), '{}' from new),
      i as (insert into reed_identities (id, server_id, author_id) select id, $2, $1 from new)
    insert into reeds (id, author_id, statement_hash, registered_at, published_at, reply_to, removal_hash)
      select id, $1, hash, now(), now(), $1 || '/' || (number - 1), case when number % 3 = 0 then hash end from new`,
    [author, world.identity.server.id],
  );

/** What a step asks of an application connection first. */
const askedBy = async (step: (db: Database) => Promise<unknown>): Promise<Sql> => {
  const asked: Sql[] = [];
  const query = async (given: Sql) => asked.splice(asked.length, 0, given);
  await step(new Proxy(world.db, { get: (db, name) => (name === 'query' ? query : Reflect.get(db, name, db)) })).catch(() => undefined);
  return asked[0] as Sql;
};

const literal = (value: unknown): string => {
  if (value === null) return 'null';
  if (value instanceof Date) return own.escapeLiteral(value.toISOString());
  return own.escapeLiteral(Array.isArray(value) ? `{${value.map((one) => JSON.stringify(one)).join(',')}}` : String(value));
};

const ids = (): ReedId[] => [1, 3, 6, 9, 12].map(reed);
const page =
  (name: string, of: () => UserId = () => author) =>
  async (db: Database) => {
    const stage = STAGES.find((each) => each.name === name);
    if (stage === undefined) throw new Error(`there is no stage ${name}`);
    await stage.page(db, { member: of(), from: { at: null, id: null }, limit: 5 });
  };
const send = (kind: NoticeKind, subjects: () => readonly string[]) => (db: Database) =>
  new Removals({ ...world, replicaId: unused, application: db, bus: unused, looks: unused, refusals: unused }).send(
    subjects().map((subject) => ({ eventId: '', requester: reader, relays: 0, kind, eventName: NOTICE_NAMES[kind], subject })),
  );

const STEPS: Readonly<Record<string, (db: Database) => Promise<unknown>>> = {
  'the audience of a publication': (db) => audienceOf(db, reed(5), 3),
  'counts of reeds': (db) => new ReedCounting({ ...world, application: db }).of(ids()),
  'certificates of what was asked for and is gone': (db) =>
    new Refusals(db).removed(ids().map((subjectId) => ({ eventId: '', requestId: '' as RequestId, requester: reader, subjectId }))),
  'certificates of removed reeds': send('reed_removal', ids),
  'certificates of removed threads': send('thread_removal', ids),
  'certificates of removed accounts': send('account_removal', () => [reader]),
  'certificates of ended keys': send('key', () => [`key@${author}`]),
  'a chain of keys': (db) =>
    new Keys({ ...world, db, learnKey: unused }).read(reader, `key@${author}` as UserKeyId, {
      forRelay: true,
      chain: true,
    }),
  'a page of removals to catch up with': page('removals', () => reader),
  'a page of mentions to catch up with': page('mentions', () => reader),
  'a page of answers to catch up with': page('replies'),
  'a page of whom one follows to catch up with': page('follows', () => reader),
};

test('plans of a young server read no whole table when it has grown', async () => {
  const kept: { step: string; text: string; values: readonly unknown[] }[] = [];
  for (const [nth, [step, run]] of Object.entries(STEPS).entries()) {
    const { isPlannedAnew, text, values = [] } = await askedBy(run);
    if (isPlannedAnew) kept.push({ step, text, values });
    else {
      await own.query(`prepare kept_${nth} as ${text}`);
      kept.push({ step, text: `execute kept_${nth} (${values.map(literal).join(', ')})`, values: [] });
    }
    const { text: first, values: given } = kept.at(-1) as (typeof kept)[number];
    await own.query({ text: first, values: [...given] });
  }
  await publish(YOUNG + 1, GROWN);
  const dear: string[] = [];
  for (const { step, text, values } of kept) {
    const { rows } = await own.query({ text: `explain (analyze, buffers, format json) ${text}`, values: [...values] });
    const { Plan: plan } = rows[0]['QUERY PLAN'][0];
    const buffers = plan['Shared Hit Blocks'] + plan['Shared Read Blocks'];
    if (buffers > MOST_BUFFERS) dear.push(`${step}: ${buffers}`);
  }
  expect(dear).toEqual([]);
}, 60_000);
