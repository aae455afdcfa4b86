// A server in a process of its own behind a Postgres proxy, killed at a point that a test names and started again. What a member of it
// remembers over the kill is what its software would: its open requests, which it sends again under their ids, and what was SETTLED.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import { cryptoRandom, uuidv7 } from '../../src/base/ids.ts';
import type { ReedId, RequestId } from '../../src/wire/address.ts';
import { type Child, removeFolder } from './child.ts';
import { makeDataFolder } from './data-folder.ts';
import { createDatabase, type TestDatabase } from './database.ts';
import { type LightAccount, type LightBehaviour, LightCommunity, LightMember } from './light-member.ts';
import { type Hold, PgProxy, type Side } from './pg-proxy.ts';
import { type Ready, readyLine, spawnServer } from './server-process.ts';

/** Where a server listens, if that matters: what peers are told, and where its members connect. */
type Place = { readonly port?: number; readonly publicUrl?: string; readonly direct?: string };

type Open = { readonly reed: ReedId; readonly id: RequestId; done: boolean };

/** A member over several lives of its connection. */
export class Persistent {
  readonly account: LightAccount;
  readonly #stage: KillStage;
  readonly #requests: Open[] = [];
  /** Every connection so far, the last is the present one. */
  readonly lives: LightMember[] = [];

  constructor(stage: KillStage, account: LightAccount) {
    this.#stage = stage;
    this.account = account;
  }

  get now(): LightMember {
    const life = this.lives.at(-1);
    if (life === undefined) throw new Error('never connected');
    return life;
  }

  async connect(behaviour: Partial<LightBehaviour> = {}): Promise<LightMember> {
    this.lives.push(await LightMember.connect(this.#stage.ready.url, this.account, behaviour));
    return this.now;
  }

  request(reed: ReedId): RequestId {
    const id = this.now.request(reed);
    this.#requests.push({ reed, id, done: false });
    return id;
  }

  cancel(id: RequestId): void {
    this.now.send({ id: '', type: 'cancelRequest', body: { requestId: id } });
    for (const request of this.#requests) if (request.id === id) request.done = true;
  }

  /** Events that were SETTLED with a copy, in all lives. */
  held(): string[] {
    return this.lives.flatMap((life) =>
      life.frames.flatMap((frame) =>
        frame.type === 'settled' ? frame.body.events.flatMap(({ eventId, outcome }) => (outcome === 'HELD' ? [eventId] : [])) : [],
      ),
    );
  }

  /** Reeds of which the server said that this member holds them, and that it has not asked for again since. */
  settledReeds(): ReedId[] {
    const held = new Set(this.held());
    return this.lives.flatMap((life) =>
      life.frames.flatMap((frame) => (frame.type === 'dataResponse' && held.has(frame.id) ? [frame.body.reedId as ReedId] : [])),
    );
  }

  /** Sends what has no end yet again under the same ids, and waits until each of them has one. */
  async finish(): Promise<void> {
    const ended = this.#requests.filter((request) => request.done || this.#endOf(request));
    const open = this.#requests.filter((request) => !ended.includes(request));
    for (const { reed, id } of open) this.now.request(reed, id);
    await expect.poll(() => open.filter((request) => !this.#endOf(request)), { timeout: 30_000, interval: 10 }).toEqual([]);
  }

  /** Whether a request was settled, or failed by name. */
  #endOf({ id, reed }: Open): boolean {
    const frames = this.lives.flatMap((life) => life.frames);
    const events = new Set(frames.flatMap((frame) => (frame.type === 'dataResponse' && frame.body.requestId === id ? [frame.id] : [])));
    return frames.some(
      (frame) =>
        (frame.type === 'settled' && frame.body.events.some(({ eventId }) => events.has(eventId))) ||
        ((frame.type === 'reedNotHeld' || frame.type === 'reedNotFound') && frame.body.requestId === id && frame.body.reedId === reed) ||
        (frame.type === 'error' && frame.body.requestId === id),
    );
  }
}

/** What holds of the rows whenever no statement runs. */
const AUDIT = `
select 'an attempt without its event' as fault, event_id::text as of from pending_event_attempts a where not exists (select from pending_events e where e.event_id = a.event_id)
union all select 'waiting or asked without a holder', event_id::text from pending_events where state in (1, 2) and holder is null
union all select 'asked without a date', event_id::text from pending_events where state = 2 and (dispatched_at is null or attempt < 1)
union all select 'relayed without a date', event_id::text from pending_events where state = 3 and (relayed_at is null or relays < 1)
union all select 'nobody asked, but a holder', event_id::text from pending_events where state in (0, 4) and (holder is not null or dispatched_at is not null)
union all select 'more asked than a holder has places', holder from pending_events where state = 2 group by holder having count(*) > 4
union all select 'a connection without presence', id::text from online_connections c where not exists (select from online_users u where u.user_id = c.user_id)
union all select 'presence without a connection', user_id from online_users u where not exists (select from online_connections c where c.user_id = u.user_id)
union all select 'published without its place in the stream', r.id from reeds r where published_at is not null and removed_at is null and exists (select from author_streams s where s.author_id = r.author_id)
  and not exists (select from author_facts f where f.subject_id = r.id)`;

/** The replica that stands beside never renews its lease: whoever looked at it for a whole lease would end it. */
const LIMITS = ['[limits]', 'sign_ups_per_hour = 1000', 'replica_lease_ms = 3600000'];

export class KillStage {
  readonly database: TestDatabase;
  readonly proxy: PgProxy;
  community!: LightCommunity;
  ready!: Ready;
  readonly #folder: string;
  readonly #place: Place;
  #child: Child | null = null;
  /** A replica that lives beside, or not; null: nobody said. */
  #beside: { readonly id: string; readonly stands: boolean } | null = null;
  readonly #members: Persistent[] = [];

  private constructor(database: TestDatabase, proxy: PgProxy, folder: string, place: Place) {
    this.#place = place;
    this.database = database;
    this.proxy = proxy;
    this.#folder = folder;
  }

  /** @param limits lines of `[limits]` */
  static async start(limits: readonly string[] = [], place: Place = {}): Promise<KillStage> {
    const [database, folder] = await Promise.all([createDatabase(), makeDataFolder()]);
    await writeFile(join(folder, 'reedbed.toml'), [...LIMITS, ...limits].join('\n'));
    const stage = new KillStage(database, await PgProxy.start(database.url), folder, place);
    await stage.startServer();
    stage.community = new LightCommunity(database.url, stage.ready.serverId);
    return stage;
  }

  async end(): Promise<void> {
    await Promise.all(this.#members.flatMap((member) => member.lives).map((life) => life.vanish()));
    this.proxy.resume();
    this.#child?.send('SIGTERM');
    await this.#child?.exit;
    await this.proxy.close();
    await this.database.drop();
    await removeFolder(this.#folder);
  }

  async startServer(): Promise<void> {
    const env = { DATABASE_URL: this.proxy.url, REEDBED_SIGNUP: 'open', REEDBED_PASSPHRASE: 'correct horse battery staple' };
    const { direct, port, publicUrl } = this.#place;
    const before = this.#beside === null ? null : await this.#epoch();
    this.#child = spawnServer({
      ...{ data: join(this.#folder, 'data'), cwd: this.#folder, bundled: true, ...(port === undefined ? {} : { port: String(port) }) },
      env: publicUrl === undefined ? env : { ...env, REEDBED_PUBLIC_URL: publicUrl, REEDBED_ALLOW_PRIVATE_PEERS: 'true' },
    });
    const ready = await readyLine(this.#child);
    this.ready = { ...ready, url: direct ?? ready.url };
    if (this.#beside === null) return;
    expect((await this.#epoch()) === before, 'the ledger is kept where a replica stands beside, and only there').toBe(this.#beside.stands);
  }

  /** Of the ledger: another one once it was emptied. */
  async #epoch(): Promise<string> {
    const [row] = await this.rows<{ epoch: string }>('select epoch from ledger_epoch');
    return row?.epoch ?? '';
  }

  /** For the next scene: what a failed one left is gone. */
  async anew(): Promise<void> {
    this.proxy.disarm();
    if (this.#child === null) await this.startServer();
    await Promise.all(
      this.#members
        .splice(0)
        .flatMap((member) => member.lives)
        .map((life) => life.vanish()),
    );
  }

  /**
   * Whether another replica lives: then a start finds rows that are not its own, and empties nothing. Without it a start empties all
   * UNLOGGED tables.
   */
  async standBeside(stands = true): Promise<void> {
    const id = this.#beside?.id ?? uuid();
    this.#beside = { id, stands };
    if (stands)
      await this.rows(`insert into replicas (id, name, lease_until) values ($1, 'beside', 'infinity') on conflict do nothing`, [id]);
    else await this.rows('delete from replicas where id = $1', [id]);
  }

  async members(count: number): Promise<Persistent[]> {
    const members = (await this.community.accounts(count)).map((account) => new Persistent(this, account));
    this.#members.push(...members);
    return members;
  }

  /** Ends the process without a word; resolves when no statement of it runs any more. */
  async kill(hold?: Hold): Promise<void> {
    this.#child?.send('SIGKILL');
    await this.#child?.exit;
    this.#child = null;
    hold?.cut();
    this.proxy.cutAll();
    const running = `select pid from pg_stat_activity where datname = current_database() and application_name like 'reedbed %'`;
    await expect.poll(() => this.rows(running), { timeout: 20_000, interval: 5 }).toEqual([]);
  }

  /** What is wrong with the rows as they are. */
  audit(): Promise<object[]> {
    return this.rows(AUDIT);
  }

  rows<Row extends object>(text: string, values: readonly unknown[] = []): Promise<Row[]> {
    return this.community.rows<Row>(text, values);
  }

  /** The server is started again, members come back as their software does, and all that was open comes to an end. */
  async recover(members: readonly Persistent[], again: () => Promise<void> = async () => undefined): Promise<void> {
    await this.startServer();
    await this.community.signInAgain(members.map((member) => member.account));
    for (const member of members) {
      const { body } = await (await member.connect()).next('welcome');
      expect(body.resumed, 'presence ended with the process').toBe(false);
    }
    await this.checkSettled(members);
    await Promise.all(members.map((member) => member.finish()));
    await again();
    await expect.poll(() => this.rows('select event_id, state from pending_events'), { timeout: 20_000, interval: 10 }).toEqual([]);
    await this.checkSettled(members);
    expect(await this.audit(), 'nothing dangles').toEqual([]);
    for (const member of members) await member.now.leave();
    await expect.poll(() => this.rows('select user_id from online_users'), { timeout: 20_000, interval: 10 }).toEqual([]);
  }

  /** Whoever was told that it holds a reed stands in the server's record of its holders, and was told once for each delivery. */
  async checkSettled(members: readonly Persistent[]): Promise<void> {
    for (const member of members) {
      const held = member.held();
      expect(new Set(held).size, 'no delivery is settled twice').toBe(held.length);
      const reeds = [...new Set(member.settledReeds())];
      const missing = `select i.id from unnest($2::text[]) as i(id)
        where not exists (select from reed_allocations a where a.holder_user_id = $1 and a.reed_id = i.id)
          and not exists (select from pending_events e where e.requester_user_id = $1 and e.subject_id = i.id)`;
      expect(await this.rows(missing, [member.account.userId, reeds]), 'what was SETTLED is there').toEqual([]);
    }
  }
}

/** What is seen of a step that was not carried out, and of one that was. */
export type Sight = { readonly not: unknown; readonly whole: unknown };

export type Scene = {
  readonly members: readonly Persistent[];
  /** What the step's statement must be about, where others of its kind may run. */
  readonly about?: string;
  /** Sets the step off. */
  go(): unknown;
  look(): Promise<unknown>;
  /** What members do when they are back, beside sending their requests again. */
  again?(): Promise<void>;
};

export type Step = {
  readonly scene: (stage: KillStage) => Promise<Scene>;
  /** The step must come after this statement's commit. */
  readonly via?: RegExp;
  readonly statement: RegExp;
  readonly sight: Sight;
};

/** Kills the server on one side of a step, looks at what it left, and lets everybody come back. */
export const killAt = async (stage: KillStage, step: Step, side: Side): Promise<void> => {
  await stage.anew();
  const { about, members, go, look, again } = await step.scene(stage);
  const point = { statement: step.statement, side, ...(about === undefined ? {} : { about }) };
  const via = step.via && stage.proxy.at({ statement: step.via, side: 'after' });
  const early = via === undefined ? stage.proxy.at(point) : null;
  await go();
  const before = await via;
  const reached = early ?? stage.proxy.at(point);
  before?.release();
  await stage.kill(await reached);
  expect(await look()).toEqual(side === 'after' ? step.sight.whole : step.sight.not);
  expect(await stage.audit(), 'whole or not at all').toEqual([]);
  await stage.recover(members, again);
};

const uuid = (): string => uuidv7(Date.now(), cryptoRandom);
