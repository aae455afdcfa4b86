// A community as rows, without keys or signatures: for tests and loads of the ledger alone.
import { createHash, randomUUID } from 'node:crypto';
import pg from 'pg';
import pino from 'pino';
import { base32, cryptoRandom, uuidv7 } from '../../src/base/ids.ts';
import { DEFAULT_LIMITS, type Limits } from '../../src/base/limits.ts';
import { LOCKED, type Locked } from '../../src/db/batch.ts';
import { type Database, openDatabase } from '../../src/db/pool.ts';
import { type Assigned, assign } from '../../src/ledger/assign.ts';
import type { LedgerContext } from '../../src/ledger/context.ts';
import type { LedgerEvents } from '../../src/ledger/ledger.ts';
import { type Opened, type OpenItem, type OpenOutcome, open } from '../../src/ledger/open.ts';
import type { SubjectKind } from '../../src/ledger/state.ts';
import { emptyUnlogged } from '../../src/presence/unlogged.ts';
import type { ReedId, RequestId, UserId } from '../../src/wire/address.ts';
import { createDatabase, type TestDatabase } from './database.ts';

const SERVER = 'aaaaaaaaaaaaaaaa';

/** A member's id, the same for the same name. */
export const userOf = (name: string): UserId => `${base32(createHash('sha256').update(name).digest().subarray(0, 10))}@${SERVER}` as UserId;

/** For a ledger whose looks nobody follows up. */
export const NOTHING_FOLLOWS: LedgerEvents = {
  claimed: () => undefined,
  dispatched: () => undefined,
  assigned: () => undefined,
  roused: () => undefined,
  copiesDropped: () => undefined,
  notHeld: () => undefined,
};

/** ASSIGN's events alone. */
export const assignEvents = async (...of: Parameters<typeof assign>): Promise<readonly Assigned[]> => (await assign(...of)).events;

export type EventRow = {
  readonly event_id: string;
  readonly request_id: RequestId;
  readonly subject_id: ReedId;
  readonly state: number;
  readonly due_at: Date;
};

export class World {
  readonly db: Database;
  readonly url: string;
  readonly replicaId = randomUUID();
  readonly limits: Limits;
  readonly #drop: () => Promise<void>;
  #cast = 0;

  private constructor(db: Database, { url, drop }: TestDatabase, limits: Limits) {
    this.db = db;
    this.url = url;
    this.#drop = drop;
    this.limits = limits;
  }

  /** `hasServer`: with the row of its server; without, that is for others to write. */
  static async open(limits: Partial<Limits> = {}, hasServer = true): Promise<World> {
    const database = await createDatabase();
    const db = await openDatabase({ url: database.url, role: 'ledger', connections: 4, log: pino({ level: 'silent' }) });
    const world = new World(db, database, { ...DEFAULT_LIMITS, ...limits });
    if (hasServer)
      await db.query({ text: `insert into servers (id, name, is_self, first_seen_at) values ($1, 'test', true, now())`, values: [SERVER] });
    return world;
  }

  async close(): Promise<void> {
    await this.db.close();
    await this.#drop();
  }

  get context(): LedgerContext {
    return { db: this.db, limits: this.limits, replicaId: () => this.replicaId };
  }

  /** Members with the given names, in one go. */
  async members(names: readonly string[]): Promise<UserId[]> {
    const ids = names.map(userOf);
    const key = (id: UserId): string => `${id}/${createHash('sha1').update(id).digest('hex')}`;
    const hash = (id: UserId): Buffer => createHash('sha256').update(id).digest();
    await this.db.query({
      text: `with u as (select * from unnest($1::text[], $2::text[], $3::bytea[]) as u(id, key, hash)),
        i as (insert into identities (id, server_id, first_seen_at) select id, $4, now() from u),
        s as (insert into statements (hash, user_id, type, seq, signed_at, certificate) select hash, id, 'key', 1, now(), '{}' from u),
        k as (insert into keys (id, user_id, armor, recovery, statement_hash, created_at) select key, id, '', '', hash, now() from u)
        insert into users (id, role, last_signed_at, key_id, username, identity_hash, created_at) select id, 'user', now(), key, id, hash, now() from u`,
      values: [ids, ids.map(key), ids.map(hash), SERVER],
    });
    return ids;
  }

  async online(...members: readonly UserId[]): Promise<void> {
    await this.db.query({
      text: `insert into online_users (user_id, owner) select unnest($1::text[]), $2 on conflict (user_id) do update set owner = excluded.owner`,
      values: [members, this.replicaId],
    });
  }

  async offline(...members: readonly UserId[]): Promise<void> {
    await this.db.query({ text: 'delete from online_users where user_id = any($1::text[])', values: [members] });
  }

  /** A published reed of `author` with copies at `holders`. */
  async reed(author: UserId, holders: readonly UserId[] = [author]): Promise<ReedId> {
    const id = `${author}/${uuidv7(Date.now(), cryptoRandom)}` as ReedId;
    await this.db.query({
      text: `with p as (insert into reed_identities (id, server_id, author_id) values ($1, $2, $3))
        insert into reeds (id, author_id, statement_hash, registered_at, published_at)
        select $1, $3, identity_hash, now(), now() from users where id = $3`,
      values: [id, SERVER, author],
    });
    await this.hold(id, ...holders);
    return id;
  }

  async hold(reed: ReedId, ...holders: readonly UserId[]): Promise<void> {
    await this.db.query({
      text: `insert into reed_allocations (holder_user_id, reed_id, device_id, delivered_on) select unnest($1::text[]), $2, 'd', current_date`,
      values: [holders, reed],
    });
  }

  request(requester: UserId): RequestId {
    return `${requester}/${uuidv7(Date.now(), cryptoRandom)}` as RequestId;
  }

  /** Runs `work` while another connection holds the locks that a statement takes. */
  async whileLocked(text: string, values: readonly unknown[], work: () => Promise<void>): Promise<void> {
    const other = new pg.Client({ connectionString: this.url });
    await other.connect();
    try {
      await other.query('begin');
      await other.query(text, [...values]);
      await work();
      await other.query('rollback');
    } finally {
      await other.end();
    }
  }

  /** Every event, oldest first. */
  events(): Promise<EventRow[]> {
    return this.db.query({ text: 'select * from pending_events order by seq' });
  }

  /** Members that are online. */
  async community(...names: string[]): Promise<UserId[]> {
    const members = await this.members(names);
    await this.online(...members);
    return members;
  }

  /** An author with one reed and a viewer, both online. */
  async two(): Promise<[UserId, UserId, ReedId]> {
    const [author, viewer] = (await this.community('author', 'viewer')) as [UserId, UserId];
    return [author, viewer, await this.reed(author)];
  }

  item(requester: UserId, subject: ReedId, kind: SubjectKind = 'reed'): OpenItem {
    return { eventId: randomUUID(), requestId: this.request(requester), requester, kind, subject };
  }

  /** Asks for a reed, in a batch of one. */
  async ask(requester: UserId, subject: ReedId, now: number): Promise<OpenOutcome | Locked> {
    return (await open(this.context, [this.item(requester, subject)], now)).outcomes[0] ?? LOCKED;
  }

  /** Asks for a reed and gets an event. */
  async opened(requester: UserId, subject: ReedId, now: number): Promise<Opened> {
    const outcome = await this.ask(requester, subject, now);
    if (outcome === LOCKED || outcome.refusal !== null) throw new Error(`not opened: ${JSON.stringify(outcome)}`);
    return outcome;
  }

  /** Owes a subject to an online member who did not ask for it, as a publication does. Whoever looks for what is due finds it. */
  async owe(requester: UserId, { id, kind }: { readonly id: ReedId; readonly kind: SubjectKind }, now: number): Promise<void> {
    await this.db.query({
      text: `insert into pending_events (event_id, requester_user_id, event_name, subject_kind, subject_id, priority, state, due_at, created_at)
        select $1, o.user_id, 'FOLLOW_REED', $3, $4, 1, 4, $5, $5 from online_users o where o.user_id = $2 for key share on conflict do nothing`,
      values: [uuidv7(now, cryptoRandom), requester, kind, id, new Date(now)],
    });
  }

  /** A reed is removed, with whatever statement. */
  async remove(reed: ReedId): Promise<void> {
    await this.db.query({ text: 'update reeds set removed_at = now(), removal_hash = statement_hash where id = $1', values: [reed] });
  }

  /** `author` blocks `viewer`, with whatever statement. */
  async block(author: UserId, viewer: UserId): Promise<void> {
    await this.db.query({
      text: `insert into blocks (user_id, target, active, seq, statement_hash) select id, $2, true, 1, identity_hash from users where id = $1
        on conflict do nothing`,
      values: [author, viewer],
    });
  }

  /** What a crash of the database leaves: nothing in any UNLOGGED table. */
  async empty(): Promise<void> {
    await this.db.transaction((tx) => emptyUnlogged(tx));
  }

  /** The same few members in every run. */
  async cast(count: number): Promise<UserId[]> {
    const names = Array.from({ length: count }, (_, at) => `m${at}`);
    if (this.#cast !== count) await this.members(names);
    this.#cast = count;
    return names.map(userOf);
  }

  /** Forgets copies, blocks and strikes, so that the same members begin anew with other reeds. */
  async clear(): Promise<void> {
    await this.db.query({
      text: `with a as (delete from reed_allocations), d as (delete from reed_declines), s as (delete from holder_strikes) delete from blocks`,
    });
  }
}
