// kill -9 of either of two servers at each step of a crossing, and of an item of a stream: before a step is executed, before its commit, or after it with
// nobody told. Copies are counted on the wire. Some of the points, by turns; `BORDER_KILLS=all` kills at all of them, with and without another replica.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ReedId } from '../../src/wire/address.ts';
import { BorderStage, type SideName } from '../support/border-stage.ts';
import type { Persistent } from '../support/kill-stage.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { makeWorld, publishReed, signUp, type World } from '../support/people.ts';
import type { Side } from '../support/pg-proxy.ts';

const ALL = process.env['BORDER_KILLS'] === 'all';
const READERS = 5;
const SLOTS = 3;

let stage: BorderStage;
beforeAll(async () => {
  stage = await BorderStage.start();
}, 180_000);
afterAll(() => stage.end(), 60_000);

/** What members at home do by the services of their server, on its database: no connection of it is left. */
async function atHome<T>(act: (world: World) => Promise<T>): Promise<T> {
  const database = { url: stage.home.database.url, drop: async () => undefined };
  const world = await makeWorld({ going: { database, clock: new ManualClock(Date.now()) }, limits: { fanoutLeaseMs: 1 } });
  try {
    return await act(world);
  } finally {
    await world.close();
  }
}

/** What stands ready, what sets it off, and what is so in the end. */
type Scene = {
  readonly members: Readonly<Record<SideName, readonly Persistent[]>>;
  go(): Promise<void> | void;
  /** What members do whatever happened, once they are back. */
  again(): Promise<void>;
  check(isEmptied: boolean): Promise<void>;
  /** Whether whoever was given a copy keeps it; unless told otherwise, yes. */
  readonly keeps?: boolean;
};

const connected = async (name: SideName, count: number, behaviour = {}): Promise<Persistent[]> => {
  const members = await stage.members(name, count);
  for (const member of members) await member.connect(behaviour);
  return members;
};

const finish = async (members: readonly Persistent[]): Promise<void> => {
  await Promise.all(members.map((member) => member.finish()));
};

const idsOf = (members: readonly Persistent[]): string[] => members.map(({ account }) => account.userId).sort();

/** Some ask for one reed at once. */
async function reading(): Promise<Scene> {
  const home = await connected('home', 1);
  const asking = await connected('asking', READERS);
  const [reed] = await stage.home.community.reeds(home[0]?.account.userId as never, 1);
  return {
    members: { home, asking },
    go: () => {
      for (const reader of asking) reader.request(reed as ReedId);
    },
    again: () => finish(asking),
    check: async (isEmptied) => {
      expect(await stage.holders(reed as ReedId)).toEqual(idsOf(asking));
      // A ledger that was emptied owes no ack any more.
      expect(await stage.known(reed as ReedId)).toEqual(isEmptied ? expect.anything() : [true]);
    },
  };
}

/** One asks, its holder says nothing, and it does not want it any more. */
async function cancelling(): Promise<Scene> {
  const home = await connected('home', 1, { answer: 'nothing' });
  const asking = await connected('asking', 1);
  const [reed] = await stage.home.community.reeds(home[0]?.account.userId as never, 1);
  const id = asking[0]?.request(reed as ReedId);
  await home[0]?.now.next('relayRequest');
  return {
    members: { home, asking },
    go: () => asking[0]?.cancel(id as never),
    again: async () => {
      // Whatever became of it: the member says so again, as its software does.
      asking[0]?.cancel(id as never);
    },
    check: async () => expect(await stage.holders(reed as ReedId)).toEqual([]),
  };
}

/** Some ask for what its only holder has no more. */
async function missing(): Promise<Scene> {
  const home = await connected('home', 1, { answer: 'miss' });
  const asking = await connected('asking', 2);
  const [reed] = await stage.home.community.reeds(home[0]?.account.userId as never, 1);
  return {
    members: { home, asking },
    go: () => {
      for (const reader of asking) reader.request(reed as ReedId);
    },
    again: () => finish(asking),
    check: async () => {
      for (const reader of asking)
        expect(reader.lives.some((life) => life.frames.some(({ type }) => type === 'reedNotHeld' || type === 'reedNotFound'))).toBe(true);
    },
  };
}

/** The only holder of the asking side gives its copy up. */
async function giving(): Promise<Scene> {
  const scene = await reading();
  await scene.go();
  await scene.again();
  await stage.empty();
  const [reed] = scene.members.asking[0]?.settledReeds() ?? [];
  const give = (): void => {
    for (const reader of scene.members.asking) reader.now.send({ id: '', type: 'eviction', body: { reedId: reed as ReedId } });
  };
  return {
    ...scene,
    keeps: false,
    go: give,
    again: async () => give(),
    check: async () => {
      await expect.poll(() => stage.holders(reed as ReedId)).toEqual([]);
      await expect.poll(() => stage.known(reed as ReedId)).toEqual([false]);
    },
  };
}

/** They are told what they missed, and from now on of what is published. */
const synced = async (members: readonly Persistent[]): Promise<void> => {
  for (const member of members) member.now.sync();
  const waiting = 'select user_id from online_users where sync_request_id is null and user_id = any($1)';
  await expect.poll(() => stage.asking.rows(waiting, [idsOf(members)])).toEqual([]);
};

/** Somebody at home publishes, and is followed from the asking side. */
async function publishing(): Promise<Scene> {
  const home = await connected('home', 1);
  const asking = await connected('asking', 2);
  const ann = await atHome((world) => signUp(world));
  await stage.asking.rows('insert into identities (id, server_id, first_seen_at) values ($1, $2, now()) on conflict do nothing', [
    ann.user,
    stage.home.ready.serverId,
  ]);
  await stage.asking.community.follows(asking.map(({ account }) => [account.userId, ann.user]));
  await synced(asking);
  const reed = await atHome((world) => publishReed(world, ann, {}, false));
  await stage.home.rows(
    `insert into reed_allocations (holder_user_id, reed_id, device_id, delivered_on) values ($1, $2, 'd', current_date)`,
    [home[0]?.account.userId, reed],
  );
  return {
    members: { home, asking },
    go: async () => void (await atHome((world) => world.reeds.publish.publishReady(ann.member, reed, undefined))),
    again: async () => {
      await synced(asking);
      await expect.poll(() => stage.holders(reed), { timeout: 60_000 }).toEqual(idsOf(asking));
    },
    check: async () => {
      for (const follower of asking)
        expect(follower.settledReeds().filter((each) => each === reed).length, 'never twice').toBeLessThanOrEqual(1);
      expect(await stage.asking.rows('select number::int from received_streams where author_id = $1', [ann.user])).toEqual(
        await stage.home.rows('select last_number::int as number from author_streams where author_id = $1', [ann.user]),
      );
    },
  };
}

type Point = readonly [at: SideName, statement: string, sides: readonly Side[]];
/** By its name, or some of its text. */
const statementOf = (said: string): RegExp => new RegExp(said.includes(' ') ? said : `^${said} `);

const BOTH = ['before', 'after'] as const;
const COMMITTED = ['at-commit', 'after'] as const;

const SCENES: readonly (readonly [string, () => Promise<Scene>, readonly Point[]])[] = [
  [
    'a crossing',
    reading,
    [
      ['asking', 'ledger_promote', BOTH],
      ['asking', 'ledger_crossing_sending', ['before']],
      ['home', 'ledger_foreign_open', BOTH],
      ['asking', 'ledger_crossing_answered', BOTH],
      ['home', 'ledger_relayed', BOTH],
      ['home', 'ledger_forwarding_of', ['before']],
      ['asking', 'ledger_crossing_arrived', BOTH],
      ['home', 'ledger_forwarded', BOTH],
      ['asking', 'ledger_ack', BOTH],
      ['asking', 'ledger_crossings_settle', BOTH],
      ['asking', 'ledger_crossings_owed', ['after']],
      ['home', 'ledger_foreign_ack', BOTH],
      ['asking', 'ledger_crossing_paid', BOTH],
    ],
  ],
  [
    'a crossing that is given up',
    cancelling,
    [
      ['asking', 'ledger_cancel', BOTH],
      ['asking', 'ledger_crossings_settle', BOTH],
      ['home', 'ledger_foreign_cancel', BOTH],
      ['asking', 'ledger_crossing_paid', BOTH],
    ],
  ],
  [
    'the end of a reed',
    missing,
    [
      ['home', 'ledger_foreign_owe_not_held', BOTH],
      ['home', 'ledger_foreign_told', BOTH],
      ['asking', 'ledger_crossings_reed_ends', BOTH],
    ],
  ],
  [
    'a holder’s word',
    giving,
    [
      ['asking', 'fold_owe_holder_notices', ['after']],
      ['home', 'fold_holder_said', BOTH],
      ['asking', 'fold_holder_told', BOTH],
    ],
  ],
  [
    'an item of a stream',
    publishing,
    [
      ['home', 'streams_items', BOTH],
      ['asking', 'update received_streams set number', COMMITTED],
      ['asking', 'delete from pending_fanout', COMMITTED],
      ['asking', 'ledger_owe', BOTH],
      ['home', 'update peer_cursors set cursor', COMMITTED],
    ],
  ],
];

const ENDINGS = ALL ? [false, true] : [false];
/** By turns, so that each scene, each side and each server has its share. */
const EVERY = ALL ? 1 : 6;

const CASES = ENDINGS.flatMap((isEmptied) =>
  SCENES.flatMap(([name, scene, points]) =>
    points.flatMap(([at, statement, sides]) => sides.map((side) => ({ name, scene, at, statement, side, isEmptied }))),
  ),
).filter((_, turn) => turn % EVERY === 0);

describe('a server killed', () => {
  it.each(CASES)(
    '$side "$statement" at $at, in the middle of $name (ledger emptied: $isEmptied)',
    async ({ at, isEmptied, scene, side, statement }) => {
      await stage.anew();
      await stage.standBeside(!isEmptied);
      const { again, check, go, keeps, members } = await scene();
      await stage.killAt(at, { statement: statementOf(statement), side }, go);
      await stage.back(at, members[at]);
      await again();
      await stage.empty();
      expect(stage.border.copies.most).toBeLessThanOrEqual(SLOTS);
      if (keeps !== false) await stage.asking.checkSettled(members.asking);
      await check(isEmptied);
    },
    120_000,
  );
});
