// Sign-ins and departures as rows: who is online, where, with which device, and how many statements that costs.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { UserId } from '../../src/wire/address.ts';
import { createPresenceWorld, freshId, memberId, type PresenceWorld, type TestReplica } from '../support/presence-world.ts';

let world: PresenceWorld;
let one: TestReplica;
let two: TestReplica;

beforeAll(async () => {
  world = await createPresenceWorld();
});
afterAll(() => world.close());

beforeEach(async () => {
  await world.rows('truncate replicas, online_users, online_connections');
  one = world.replica('one');
  two = world.replica('two');
  await one.replica.start();
  await two.replica.start();
});

const ANN = memberId(1);
const BOB = memberId(2);

const signIn = async (where: TestReplica, userId: UserId, deviceId: string) => {
  const connectionId = freshId();
  const arrival = await where.presence.arrive({ connectionId, userId, deviceId });
  return { ...arrival, connectionId, leave: () => where.presence.leave({ connectionId, userId }) };
};
const online = () => world.rows<{ user_id: UserId; owner: string; congested: boolean }>('select * from online_users order by user_id');
const connections = () => world.rows<{ id: string; user_id: UserId }>('select * from online_connections order by seq');

describe('presence of members', () => {
  it('begins with the first connection and ends with the last', async () => {
    const device = freshId();
    const first = await signIn(one, ANN, device);
    const second = await signIn(one, ANN, device);
    expect([first.resumed, second.resumed]).toEqual([false, true]);
    expect(second.connections).toBe(2);
    expect(await first.leave()).toBe(false);
    expect(await online()).toHaveLength(1);
    expect(await second.leave()).toBe(true);
    expect(await online()).toEqual([]);
    expect((await signIn(one, ANN, device)).resumed).toBe(false);
  });

  it('belongs to the replica of the newest connection, and goes back when that one ends', async () => {
    const device = freshId();
    await signIn(one, ANN, device);
    const newest = await signIn(two, ANN, device);
    expect((await online())[0]?.owner).toBe(two.replica.id);
    await newest.leave();
    expect((await online())[0]?.owner).toBe(one.replica.id);
  });

  it('is of one device: signing in from another ends the connections of the first', async () => {
    const old = await signIn(one, ANN, freshId());
    const other = await signIn(one, BOB, freshId());
    const fresh = await signIn(two, ANN, freshId());
    expect(fresh).toMatchObject({ replaced: true, resumed: true, connections: 1 });
    expect((await connections()).map((row) => row.id)).toEqual([other.connectionId, fresh.connectionId]);
    expect(await old.leave()).toBe(false);
    expect((await online()).map((row) => row.user_id)).toEqual([ANN, BOB].sort());
  });

  it('leaves the later of two devices that sign in at the same moment, on one replica or two', async () => {
    for (const [first, second] of [
      [one, one],
      [one, two],
    ] as const) {
      await Promise.all([signIn(first, ANN, freshId()), signIn(second, ANN, freshId())]);
      expect(await connections()).toHaveLength(1);
    }
  });

  it('tells how many connections a member has', async () => {
    const device = freshId();
    const arrivals = await Promise.all(Array.from({ length: 12 }, () => signIn(one, ANN, device)));
    expect(arrivals.map((arrival) => arrival.connections)).toEqual(Array.from({ length: 12 }, (_, at) => at + 1));
  });

  it('never leaves a member online without a connection or offline with one, however both sides race', async () => {
    const device = freshId();
    for (let round = 0; round < 40; round++) {
      const before = await signIn(one, ANN, device);
      const [, after] = await Promise.all([before.leave(), signIn(two, ANN, device)]);
      expect(await online()).toHaveLength(1);
      expect((await online())[0]?.owner).toBe(two.replica.id);
      expect(await after.leave()).toBe(true);
      expect(await online()).toEqual([]);
      expect(await connections()).toEqual([]);
    }
  });

  it('reports the end of a presence to exactly one of the connections that end together', async () => {
    const device = freshId();
    const arrivals = await Promise.all(Array.from({ length: 5 }, () => signIn(one, ANN, device)));
    const left = await Promise.all(arrivals.map((arrival) => arrival.leave()));
    expect(left.filter(Boolean)).toHaveLength(1);
  });

  it('refuses to sign anybody in under a replica that is not registered, and writes nothing', async () => {
    await world.rows('delete from replicas where name = $1', ['one']);
    await expect(signIn(one, ANN, freshId())).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    expect(await online()).toEqual([]);
    expect(await connections()).toEqual([]);
  });

  it('ends what was never written without a word', async () => {
    expect(await one.presence.leave({ connectionId: freshId(), userId: ANN })).toBe(false);
  });

  it('writes 10,000 arrivals and departures in batches', async () => {
    const before = world.database.statements;
    const members = Array.from({ length: 10_000 }, (_, at) => ({ connectionId: freshId(), userId: memberId(at), deviceId: freshId() }));
    const limit = one.presence;
    for (let at = 0; at < members.length; at += 4_000) {
      await Promise.all(members.slice(at, at + 4_000).map((member) => limit.arrive(member)));
    }
    expect(await online()).toHaveLength(10_000);
    expect(world.database.statements - before).toBeLessThan(250);
    const between = world.database.statements;
    const left = await Promise.all(members.map((member) => limit.leave(member)));
    expect(left.every(Boolean)).toBe(true);
    expect(await online()).toEqual([]);
    expect(world.database.statements - between).toBeLessThan(250);
  });

  it('writes congestion of its own members, the last of several at once', async () => {
    await signIn(one, ANN, freshId());
    await signIn(two, BOB, freshId());
    await Promise.all([
      one.presence.setCongested(ANN, true),
      one.presence.setCongested(ANN, false),
      one.presence.setCongested(ANN, true),
      one.presence.setCongested(BOB, true),
    ]);
    expect((await online()).map((row) => [row.user_id, row.congested])).toEqual(
      [
        [ANN, true],
        [BOB, false],
      ].sort(),
    );
    await signIn(one, ANN, freshId());
    expect((await online()).every((row) => !row.congested)).toBe(true);
  });

  it('goes on with departures when the database was away', async () => {
    const arrival = await signIn(one, ANN, freshId());
    await world.rows('alter table online_connections rename to away');
    const leaving = arrival.leave();
    await expect(signIn(one, BOB, freshId())).rejects.toMatchObject({ code: 'INTERNAL' });
    await world.rows('alter table away rename to online_connections');
    let left: boolean | null = null;
    void leaving.then((ended) => {
      left = ended;
    });
    while (left === null) {
      await one.advance(100);
      await online();
    }
    expect(left).toBe(true);
    expect(one.presence.idle).toBe(true);
  });

  it('says in the log which step is broken and why, in one line for all who failed together', async () => {
    const { length } = world.logged();
    await world.rows('alter table online_connections rename to away');
    const failing = Array.from({ length: 20 }, (_, at) => signIn(one, memberId(at), freshId()).catch((error: unknown) => error));
    for (const each of await Promise.all(failing)) expect(each).toMatchObject({ code: 'INTERNAL' });
    await world.rows('alter table away rename to online_connections');
    const lines = world.logged().slice(length).trim().split('\n');
    const records = lines.map((line) => JSON.parse(line) as { failed: number });
    for (const record of records) expect(record).toMatchObject({ level: 'error', step: 'sign-in', sqlState: '42P01' });
    expect(records.reduce((sum, { failed }) => sum + failed, 0)).toBe(20);
    expect(world.logged()).not.toContain(memberId(1));
  });
});
