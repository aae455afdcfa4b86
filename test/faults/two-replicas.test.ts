// Two instances of the ledger on one database, each with a pool of its own, that look at the same things at the same moment: exactly one of them takes
// each. And two whole servers, whose members ask each other's.
import { randomUUID } from 'node:crypto';
import pino from 'pino';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { OffsetClock } from '../../src/base/clock.ts';
import { MemoryBus } from '../../src/bus/memory-bus.ts';
import { BatchLoad } from '../../src/db/batch.ts';
import { type Database, openDatabase } from '../../src/db/pool.ts';
import type { Assigned } from '../../src/ledger/assign.ts';
import { createLedger, type Ledger } from '../../src/ledger/ledger.ts';
import { STATE } from '../../src/ledger/state.ts';
import { sweep } from '../../src/ledger/sweep.ts';
import type { ReedId, UserId } from '../../src/wire/address.ts';
import { createDatabase } from '../support/database.ts';
import { NOTHING_FOLLOWS, World } from '../support/ledger-world.ts';
import { LightCommunity, LightMember } from '../support/light-member.ts';
import { MovedClock } from '../support/moved-clock.ts';
import { startServer, type TestServer } from '../support/server.ts';

const log = pino({ level: 'silent' });

/** A ledger as a replica has it, and what it was told. */
class Instance {
  readonly id = randomUUID();
  readonly assigned: Assigned[] = [];
  readonly db: Database;
  readonly ledger: Ledger;

  constructor(db: Database, world: World) {
    this.db = db;
    this.ledger = createLedger({
      ...{ db, limits: world.limits, replicaId: () => this.id, clock: new OffsetClock(), log, load: new BatchLoad(4_096, 1e9) },
      events: { ...NOTHING_FOLLOWS, assigned: (events) => void this.assigned.push(...events) },
    });
  }
}

describe('two ledgers on one database', () => {
  const EVENTS = 400;
  const PAGE = 16;
  let world: World;
  let instances: [Instance, Instance];

  beforeEach(async () => {
    // So few at a time that neither can take all before the other has begun.
    world = await World.open({ assignItems: PAGE });
    const open = () => openDatabase({ url: world.url, role: 'ledger', connections: 4, log });
    instances = [new Instance(await open(), world), new Instance(await open(), world)];
  });
  afterEach(async () => {
    await Promise.all(instances.map(({ db }) => db.close()));
    await world.close();
  });

  /** Events of one requester each for the reeds of `holders`, half of whom are each instance's; in a state, and due. */
  const overdue = async (state: number, holders: number): Promise<void> => {
    const held = await world.members(Array.from({ length: holders }, (_, at) => `holder ${at}`));
    const viewers = await world.members(Array.from({ length: EVENTS }, (_, at) => `viewer ${at}`));
    await world.online(...held, ...viewers);
    const owners = held.map((_, at) => instances[at % 2]?.id);
    await world.db.query({
      text: 'update online_users u set owner = i.owner from unnest($1::text[], $2::uuid[]) as i(id, owner) where u.user_id = i.id',
      values: [held, owners],
    });
    const reeds: ReedId[] = [];
    for (const holder of held) reeds.push(await world.reed(holder));
    await world.db.query({
      text: `insert into pending_events (event_id, request_id, requester_user_id, event_name, subject_kind, subject_id, priority, state, due_at, holder, dispatched_at,
          attempt, requested_at, created_at)
        select gen_random_uuid(), v.id || '/r', v.id, 'DATA_RESPONSE', 'reed', ($2::text[])[1 + v.nth % $3], 0, $4::int, now() - interval '1 second',
          case when $4::int in (1, 2) then ($5::text[])[1 + v.nth % $3] end, case when $4::int = 2 then now() end, case when $4::int = 2 then 1 else 0 end, now(), now()
        from unnest($1::text[]) with ordinality as v(id, nth)`,
      values: [viewers, reeds, holders, state, held],
    });
  };

  it('sweep the same overdue claims, and each is taken back by exactly one, once', async () => {
    await overdue(STATE.dispatched, 20);
    const taken: [string[], string[]] = [[], []];
    const round = (): Promise<number[]> =>
      Promise.all(
        instances.map(async ({ db }, at) => {
          const page = await sweep(db, { ...world.limits, batchItems: PAGE }, Date.now());
          taken[at]?.push(...page.map((event) => event.eventId));
          return page.length;
        }),
      );
    while (Math.max(...(await round())) > 0);
    const all = taken.flat();
    expect(new Set(all).size).toBe(EVENTS);
    expect(all).toHaveLength(EVENTS);
    expect(Math.min(...taken.map((own) => own.length)), 'both had a part in it').toBeGreaterThan(0);
    const failures = await world.db.query<{ failures: number }>({ text: 'select distinct failures from pending_event_attempts' });
    expect(failures).toEqual([{ failures: 1 }]);
  });

  it('assign the same events, and each is claimed by exactly one, for its own members only, within their four places', async () => {
    await overdue(STATE.unassigned, 20);
    const rest = () => world.db.query({ text: 'select from pending_events where state = 4' });
    while ((await rest()).length > 0) await Promise.all(instances.map(({ ledger }) => ledger.assign.submit('due')));
    const claims = instances.map(({ assigned }) => assigned.filter((event) => event.state === STATE.dispatched));
    const ids = claims.flat().map((event) => event.eventId);
    expect(new Set(ids).size).toBe(ids.length);
    for (const [at, own] of claims.entries()) {
      expect(own.length).toBeGreaterThan(0);
      expect(own.every((event) => event.owner === instances[at]?.id)).toBe(true);
    }
    const inHand = await world.db.query<{ n: number }>({
      text: 'select count(*)::int as n from pending_events where state = 2 group by holder order by 1 desc',
    });
    expect(inHand[0]?.n).toBeLessThanOrEqual(world.limits.holderWindow);
    expect(inHand.reduce((sum, { n }) => sum + n, 0)).toBe(ids.length);
  });

  it('dispatch for a holder that is just moving from one to the other never over its places', async () => {
    await overdue(STATE.waiting, 1);
    const [holder] = await world.db.query<{ holder: UserId }>({ text: 'select holder from pending_events limit 1' });
    const id = holder?.holder as UserId;
    for (let round = 0; round < 20; round++) {
      const moving = world.db.query({
        text: 'update online_users set owner = $2 where user_id = $1',
        values: [id, instances[round % 2]?.id],
      });
      await Promise.all([moving, ...instances.map(({ ledger }) => ledger.dispatch.submit(id))]);
      const inHand = await world.db.query({ text: 'select from pending_events where state = 2' });
      expect(inHand.length).toBeLessThanOrEqual(world.limits.holderWindow);
    }
    expect(await world.db.query({ text: 'select from pending_events where state = 2' })).toHaveLength(world.limits.holderWindow);
  });
});

describe('two servers on one database', () => {
  const VIEWERS = 40;
  let servers: TestServer[];
  let members: LightMember[];
  const clocks = [new MovedClock(), new MovedClock()];

  beforeEach(async () => {
    const [database, bus] = [await createDatabase(), new MemoryBus()];
    servers = [];
    members = [];
    for (const [at, clock] of clocks.entries()) {
      const kept = { url: database.url, drop: at === 0 ? database.drop : async () => undefined };
      servers.push(await startServer({ database: kept, config: { data: `replica-${at}` }, overrides: { bus, clock } }));
    }
  });
  afterEach(async () => {
    await Promise.all(members.map((member) => member.vanish()));
    for (const server of [...servers].reverse()) await server.close();
  });

  const urlOf = (at: number): string => servers[at % 2]?.url ?? '';

  it('find the same deadlines over, and every request is asked once an attempt, delivered and settled once', async () => {
    const community = new LightCommunity(servers[0]?.database.url ?? '', servers[0]?.app.serverId ?? '');
    const accounts = await community.accounts(8 + VIEWERS);
    const reeds: ReedId[] = [];
    for (const { userId } of accounts.slice(0, 8)) reeds.push(...(await community.reeds(userId, 1)));
    for (const [at, account] of accounts.entries()) {
      members.push(await LightMember.connect(urlOf(at), account, { answer: at < 8 ? 'nothing' : 'bytes' }));
    }
    const [authors, viewers] = [members.slice(0, 8), members.slice(8)];
    // Beside the servers of most authors: the others' members ask.
    for (const [at, viewer] of viewers.entries()) viewer.request(reeds[(at + 1) % 8] as ReedId);
    for (const viewer of viewers) await viewer.next('requestAck');
    for (const clock of clocks) clock.move(6_000);
    await Promise.all(servers.map((server) => server.settle()));
    for (const author of authors) author.behaviour.answer = 'bytes';
    const isDone = () => viewers.every((viewer) => viewer.frames.some(({ type }) => type === 'settled'));
    const turn = async (): Promise<boolean> => {
      for (const clock of clocks) clock.move(1_000);
      for (const author of authors) author.answerAll();
      await Promise.all(servers.map((server) => server.settle()));
      return isDone();
    };
    await expect.poll(turn, { timeout: 60_000, interval: 10 }).toBe(true);
    for (const viewer of viewers) expect(viewer.frames.filter(({ type }) => type === 'dataResponse')).toHaveLength(1);
    const asks = members.flatMap(({ frames }) =>
      frames.flatMap((frame) => (frame.type === 'relayRequest' ? [`${frame.id} ${frame.body.attempt}`] : [])),
    );
    expect(new Set(asks).size).toBe(asks.length);
    expect(await community.rows('select event_id from pending_events')).toEqual([]);
  });
});
