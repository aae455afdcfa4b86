// Replicas and their leases: who may empty the UNLOGGED tables, who ends what a dead one left, and how a loss is noticed.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createPresenceWorld, freshId, memberId, type PresenceWorld, type TestReplica } from '../support/presence-world.ts';

let world: PresenceWorld;

beforeAll(async () => {
  world = await createPresenceWorld();
});
afterAll(() => world.close());
beforeEach(() => world.rows('truncate replicas, online_users, online_connections, ledger_epoch, sessions, used_challenges'));

const UNLOGGED = `select c.relname as name from pg_class c where c.relpersistence = 'u' and c.relkind = 'r' and c.relnamespace = current_schema()::regnamespace`;
const replicas = () => world.rows<{ id: string; name: string }>('select id, name from replicas order by name');
const online = () => world.rows<{ user_id: string; owner: string }>('select user_id, owner from online_users order by user_id');
const count = async (table: string): Promise<number> =>
  (await world.rows<{ n: number }>(`select count(*)::int as n from ${table}`))[0]?.n ?? -1;

const epoch = async (): Promise<string> => (await world.rows<{ epoch: string }>('select epoch from ledger_epoch'))[0]?.epoch ?? '';

const connect = (where: TestReplica, number: number, deviceId = freshId()) =>
  where.presence.arrive({ connectionId: freshId(), userId: memberId(number), deviceId });
const aSession = `insert into sessions values ('\\x01', 'u', 'k', 'd', now(), now())`;
const anEvent = `insert into pending_events (event_id, requester_user_id, event_name, subject_kind, subject_id, priority, state, due_at, created_at)
  values (gen_random_uuid(), 'u', 'DATA_RESPONSE', 'reed', 'r', 0, 0, now(), now()) on conflict do nothing`;

describe('replicas', () => {
  it('empty every UNLOGGED table at a start that finds nobody alive', async () => {
    const one = world.replica('one');
    await one.replica.start();
    await connect(one, 1);
    await world.rows(aSession);
    await world.rows(anEvent);
    const before = await epoch();
    const again = world.replica('one');
    await again.replica.start();
    const tables = await world.rows<{ name: string }>(UNLOGGED);
    expect(tables.length).toBeGreaterThanOrEqual(9);
    for (const { name } of tables) expect([name, await count(name)]).toEqual([name, ['replicas', 'ledger_epoch'].includes(name) ? 1 : 0]);
    expect(await epoch()).not.toBe(before);
    expect(again.registered).toEqual([again.replica.id]);
  });

  it('leave the tables alone while another one lives', async () => {
    const one = world.replica('one');
    await one.replica.start();
    await connect(one, 1);
    await world.rows(aSession);
    const before = await epoch();
    const two = world.replica('two');
    await two.replica.start();
    expect(await count('sessions')).toBe(1);
    expect(await online()).toHaveLength(1);
    expect(await epoch()).toBe(before);
  });

  it('end the earlier life of their own name at a start, members included', async () => {
    const other = world.replica('other');
    await other.replica.start();
    const killed = world.replica('one');
    await killed.replica.start();
    const device = freshId();
    await connect(killed, 1);
    await connect(killed, 2, device);
    await connect(other, 2, device);
    const again = world.replica('one');
    await again.replica.start();
    expect(again.left).toEqual([memberId(1)]);
    expect(await online()).toEqual([{ user_id: memberId(2), owner: other.replica.id }]);
    expect((await replicas()).map((row) => row.id)).toEqual([again.replica.id, other.replica.id]);
  });

  it('empty every UNLOGGED table at the clean stop of the last one, not before', async () => {
    const [one, two] = [world.replica('one'), world.replica('two')];
    await one.replica.start();
    await two.replica.start();
    await world.rows(aSession);
    await one.replica.stop();
    expect(await count('sessions')).toBe(1);
    expect(await replicas()).toHaveLength(1);
    await two.replica.stop();
    for (const { name } of await world.rows<{ name: string }>(UNLOGGED)) expect([name, await count(name)]).toEqual([name, 0]);
    expect(two.clock.timers).toBe(0);
  });

  it('keep their lease, and end one that no longer keeps its own', async () => {
    const [one, dead] = [world.replica('one'), world.replica('dead')];
    await one.replica.start();
    await dead.replica.start();
    await connect(dead, 1);
    await one.advance(6_000);
    expect(one.left).toEqual([]);
    await one.advance(4_000);
    expect(one.left).toEqual([memberId(1)]);
    expect((await replicas()).map((row) => row.name)).toEqual(['one']);
    expect(one.lost).toBe(0);
  });

  it('end nobody after a stall of their own until they have looked for as long as a lease lasts', async () => {
    const [one, dead] = [world.replica('one'), world.replica('dead')];
    await one.replica.start();
    await dead.replica.start();
    await connect(dead, 1);
    await one.advance(6_000);
    one.clock.advance(60_000);
    await one.replica.settle();
    await one.advance(6_000);
    const early = [...one.left];
    await one.advance(6_000);
    expect([early, one.left]).toEqual([[], [memberId(1)]]);
  });

  it.each([1, 24])('end nobody who lives because the clock of the database is put on or back by %i hours', async (hours) => {
    const [one, two] = [world.replica('one'), world.replica('two')];
    await one.replica.start();
    await two.replica.start();
    await connect(two, 1);
    for (const by of [hours, -hours]) {
      // The clock of the database is moved: all that it had written lies as far off.
      await world.rows(`update replicas set lease_until = lease_until - $1::int * interval '1 hour'`, [by]);
      for (let second = 0; second < 12; second++) {
        await one.advance(1_000);
        await two.advance(1_000);
      }
    }
    expect([one.left, two.left, one.lost, two.lost]).toEqual([[], [], 0, 0]);
    expect(await online()).toHaveLength(1);
  });

  it('end a dead one though the clock of the database was put back behind its lease', async () => {
    const [one, dead] = [world.replica('one'), world.replica('dead')];
    await one.replica.start();
    await dead.replica.start();
    await connect(dead, 1);
    await world.rows(`update replicas set lease_until = lease_until + interval '1 day' where id = $1`, [dead.replica.id]);
    await one.advance(12_000);
    expect(one.left).toEqual([memberId(1)]);
  });

  it('end nobody who could not be refreshed because the database was away', async () => {
    const [one, two] = [world.replica('one'), world.replica('two')];
    await one.replica.start();
    await two.replica.start();
    await connect(two, 1);
    await one.advance(4_000);
    await world.rows('alter table replicas rename to away');
    await one.advance(8_000);
    await world.rows('alter table away rename to replicas');
    await one.advance(4_000);
    await two.advance(2_000);
    await one.advance(4_000);
    expect([one.left, two.lost]).toEqual([[], 0]);
  });

  it('end a dead one with many members in pages', async () => {
    const [one, dead] = [world.replica('one', { batchItems: 16 }), world.replica('dead')];
    await one.replica.start();
    await dead.replica.start();
    await Promise.all(Array.from({ length: 100 }, (_, at) => connect(dead, at)));
    await one.advance(12_000);
    expect(one.left).toHaveLength(100);
    expect(await online()).toEqual([]);
  });

  it('never end a peer’s sentinel, which has no connection', async () => {
    const [one, dead] = [world.replica('one'), world.replica('dead')];
    await one.replica.start();
    await dead.replica.start();
    await world.rows('insert into online_users (user_id, owner) values ($1, $2)', ['peer@cccccccccccccccc', dead.replica.id]);
    await one.advance(12_000);
    expect(await online()).toHaveLength(1);
  });

  it('notice within two seconds that their row is gone, say so, and register under a new id', async () => {
    const one = world.replica('one');
    await one.replica.start();
    const id = one.replica.id;
    await world.rows('delete from replicas');
    await one.advance(2_000);
    expect(one.lost).toBe(1);
    expect(one.replica.id).not.toBe(id);
    expect(one.registered).toEqual([id, one.replica.id]);
    await expect(connect(one, 1)).resolves.toMatchObject({ resumed: false });
    await one.advance(10_000);
    expect(one.lost).toBe(1);
  });

  it('notice another epoch, at once when a new connection has seen it', async () => {
    const one = world.replica('one');
    await one.replica.start();
    one.replica.epochSeen(await epoch());
    await one.replica.settle();
    expect(one.lost).toBe(0);
    await world.rows('update ledger_epoch set epoch = gen_random_uuid()');
    one.replica.epochSeen(await epoch());
    await one.replica.settle();
    expect(one.lost).toBe(1);
  });

  it('can’t be refreshed or signed in to once they were condemned', async () => {
    const [one, two] = [world.replica('one'), world.replica('two')];
    await one.replica.start();
    await two.replica.start();
    await world.rows(`update replicas set lease_until = '-infinity' where id = $1`, [two.replica.id]);
    await expect(connect(two, 1)).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    await two.advance(2_000);
    expect(two.lost).toBe(1);
  });

  it('go on when the database is away for a while', async () => {
    const one = world.replica('one');
    await one.replica.start();
    await world.rows('alter table replicas rename to away');
    await one.advance(4_000);
    await world.rows('alter table away rename to replicas');
    await one.advance(2_000);
    expect(one.lost).toBe(0);
  });
});
