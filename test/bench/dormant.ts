// Whether what waits makes what moves dearer: buffers that OPEN and DISPATCH touch with a full ledger against an empty one, read from the plans of the
// real statements while they run. Buffers and not times, for times say little on a shared machine.
import { randomUUID } from 'node:crypto';
import pg from 'pg';
import pino from 'pino';
import { cryptoRandom, uuidv7 } from '../../src/base/ids.ts';
import { DEFAULT_LIMITS } from '../../src/base/limits.ts';
import { migrate } from '../../src/db/migrate.ts';
import { type Database, openDatabase, type Sql } from '../../src/db/pool.ts';
import { dispatch } from '../../src/ledger/claim.ts';
import type { LedgerContext } from '../../src/ledger/context.ts';
import { open } from '../../src/ledger/open.ts';
import type { ReedId, RequestId, UserId } from '../../src/wire/address.ts';
import { LightCommunity } from '../support/light-member.ts';

export type DormantSizes = {
  readonly dormant: number;
  readonly dormantReeds: number;
  readonly waiting: number;
  readonly waitingHolders: number;
  readonly holdersOfOne: number;
  readonly reedsOfOne: number;
};

export type Touched = { readonly name: string; readonly empty: number; readonly full: number };
export type Dormant = { readonly sizes: DormantSizes; readonly touched: readonly Touched[]; readonly worstRatio: number };

const SERVER = 'bench00000000000';
const WARM_CALLS = 3;

type Scene = { readonly community: LightCommunity; readonly context: LedgerContext; readonly db: Database };

/** A database of its own beside the one that the server uses. */
const openScene = async (databaseUrl: string, owned: AsyncDisposableStack): Promise<Scene> => {
  const url = new URL(databaseUrl);
  const admin = new pg.Client({ connectionString: databaseUrl });
  await admin.connect();
  await admin.query('create database dormant');
  await admin.end();
  url.pathname = '/dormant';
  const log = pino({ level: 'warn' }, pino.destination(2));
  await migrate(url.href, log);
  const db = await openDatabase({ url: url.href, role: 'ledger', connections: 1, log });
  owned.defer(() => db.close());
  const community = new LightCommunity(url.href, SERVER);
  await community.rows(`insert into servers (id, name, is_self, first_seen_at) values ($1, 'bench', true, now())`, [SERVER]);
  const replica = randomUUID();
  return { community, db, context: { db, limits: DEFAULT_LIMITS, replicaId: () => replica } };
};

/** Members 0 and on; each has presence. */
const populate = async ({ community, context }: Scene, sizes: DormantSizes): Promise<UserId[]> => {
  const count = Math.max(sizes.holdersOfOne, sizes.waitingHolders) + 10;
  const users = (await community.accounts(count)).map(({ userId }) => userId);
  await community.rows('insert into online_users (user_id, owner) select unnest($1::text[]), $2', [users, context.replicaId()]);
  return users;
};

const reedsOf = async ({ community }: Scene, author: UserId, count: number, holders: readonly UserId[]): Promise<ReedId[]> => {
  const reeds = Array.from({ length: count }, () => `${author}/${uuidv7(Date.now(), cryptoRandom)}` as ReedId);
  await community.rows(
    `with i as (insert into reed_identities (id, server_id, author_id) select unnest($1::text[]), $2, $3),
      p as (insert into reeds (id, author_id, statement_hash, registered_at, published_at)
        select r.id, u.id, u.identity_hash, now(), now() from unnest($1::text[]) as r(id), users u where u.id = $3)
    insert into reed_allocations (holder_user_id, reed_id, device_id, delivered_on)
    select h.id, r.id, 'd', current_date from unnest($1::text[]) as r(id), unnest($4::text[]) as h(id)`,
    [reeds, SERVER, author, holders],
  );
  return reeds;
};

/** Events of requesters who ask for nothing else, dormant or waiting. */
const fill = async ({ community }: Scene, of: { reeds: readonly ReedId[]; count: number; holders: readonly UserId[] | null }) =>
  community.rows(
    `insert into pending_events (event_id, request_id, requester_user_id, event_name, subject_kind, subject_id, priority, state, due_at, holder, requested_at, created_at)
     select gen_random_uuid(), 'r/' || n || $4, lpad($4 || n % 997, 16, 'a') || '@bench00000000000', 'DATA_RESPONSE', 'reed', ($1::text[])[1 + n % cardinality($1::text[])], 0,
       case when $3::text[] is null then 0 else 1 end, now() + interval '1 hour', ($3::text[])[1 + n % cardinality($3::text[])], now(), now()
     from generate_series(1, $2::int) as n on conflict do nothing`,
    [of.reeds, of.count, of.holders, of.holders === null ? 'd' : 'w'],
  );

type Plan = { readonly Plan: { readonly 'Shared Hit Blocks': number; readonly 'Shared Read Blocks': number } };

type Value = NonNullable<Sql['values']>[number];

/** A parameter as text that Postgres reads as whatever type it has inferred. */
const literal = (value: Value): string => {
  if (Array.isArray(value)) return pg.escapeLiteral(`{${value.map((each) => JSON.stringify(String(each))).join(',')}}`);
  return pg.escapeLiteral(value instanceof Date ? value.toISOString() : String(value));
};

/** Buffers that a statement touches once what it needs is warm, by the plan that a connection of the ledger keeps for it; everything is taken back. */
const buffersOf = async ({ db }: Scene, sql: Sql): Promise<number> => {
  let touched = 0;
  await db.query({ text: `prepare measured as ${sql.text}` });
  for (let call = 0; call < WARM_CALLS; call += 1) {
    await db.query({ text: 'begin' });
    const [row] = await db.query<{ 'QUERY PLAN': Plan[] }>({
      text: `explain (analyze, buffers, format json) execute measured (${(sql.values ?? []).map(literal).join(', ')})`,
    });
    await db.query({ text: 'rollback' });
    const plan = row?.['QUERY PLAN'][0]?.Plan;
    touched = (plan?.['Shared Hit Blocks'] ?? 0) + (plan?.['Shared Read Blocks'] ?? 0);
  }
  await db.query({ text: 'deallocate measured' });
  return touched;
};

/** The statements whose work must not depend on what waits, by what they do. */
const statements = async (
  { context }: Scene,
  of: { asker: UserId; small: ReedId; popular: ReedId; big: UserId; idle: UserId },
): Promise<Map<string, Sql>> => {
  const found = new Map<string, Sql>();
  const recording = (name: string): LedgerContext => {
    const query = async (sql: Sql): Promise<never[]> => {
      found.set(name, sql);
      return [];
    };
    return { ...context, db: { query } as unknown as Database };
  };
  const ask = (name: string, subject: ReedId) =>
    open(
      recording(name),
      [
        {
          eventId: randomUUID(),
          requestId: `${of.asker}/${uuidv7(Date.now(), cryptoRandom)}` as RequestId,
          requester: of.asker,
          kind: 'reed',
          subject,
        },
      ],
      Date.now(),
    );
  await ask('OPEN, 5 holders', of.small);
  await ask('OPEN, the reed of many holders', of.popular);
  await dispatch(recording('DISPATCH, nothing waits for the holder'), [of.idle], Date.now());
  await dispatch(recording('DISPATCH, the holder of many reeds, nothing waits'), [of.big], Date.now());
  return found;
};

export const measureDormant = async (databaseUrl: string, sizes: DormantSizes): Promise<Dormant> => {
  await using owned = new AsyncDisposableStack();
  const scene = await openScene(databaseUrl, owned);
  const users = await populate(scene, sizes);
  const [asker, author, big, idle] = users.slice(-4) as [UserId, UserId, UserId, UserId];
  const [small] = (await reedsOf(scene, author, 1, users.slice(0, 5))) as [ReedId];
  const [popular] = (await reedsOf(scene, author, 1, users.slice(0, sizes.holdersOfOne))) as [ReedId];
  await reedsOf(scene, author, sizes.reedsOfOne, [big]);
  const wanted = await reedsOf(scene, author, sizes.dormantReeds, [author]);
  const vacuum = () => scene.community.rows('vacuum analyze');
  await vacuum();
  const asked = await statements(scene, { asker, small, popular, big, idle });
  const touch = async (): Promise<number[]> => {
    const all: number[] = [];
    for (const sql of asked.values()) all.push(await buffersOf(scene, sql));
    return all;
  };
  const empty = await touch();
  await fill(scene, { reeds: wanted, count: sizes.dormant, holders: null });
  await fill(scene, { reeds: wanted, count: sizes.waiting, holders: users.slice(0, sizes.waitingHolders) });
  await vacuum();
  const full = await touch();
  const touched = [...asked.keys()].map((name, at) => ({ name, empty: empty[at] ?? 0, full: full[at] ?? 0 }));
  return { sizes, touched, worstRatio: Math.max(...touched.map((each) => each.full / each.empty)) };
};
