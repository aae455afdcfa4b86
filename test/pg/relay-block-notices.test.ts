// Notices of blocks, a page at a time: what is acknowledged or has had its time makes room for the next, and a buffer that is full takes none.
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Bus } from '../../src/bus/port.ts';
import { Blocks, type BlocksDeps } from '../../src/identity/blocks.ts';
import { BlockNotices } from '../../src/relay/block-notices.ts';
import type { UserId } from '../../src/wire/address.ts';
import { decodeFrame } from '../../src/wire/codec.ts';
import { World } from '../support/ledger-world.ts';
import { ManualClock } from '../support/manual-clock.ts';

const PAGE = 3;
const HASH = 'h';

let world: World;
let clock: ManualClock;
let notices: BlockNotices;
let viewer: UserId;
let blockers: UserId[];
/** Who was told of, in this order; how many more the buffer takes. */
let told: UserId[];
let room: number;
let looks: Promise<unknown>[];

beforeEach(async () => {
  world = await World.open({ pageItems: PAGE });
  clock = new ManualClock();
  [told, room, looks] = [[], Number.POSITIVE_INFINITY, []];
  const [first, ...others] = await world.members(['viewer', ...Array.from({ length: 8 }, (_, at) => `blocker ${at}`)]);
  [viewer, blockers] = [first as UserId, others.sort()];
  await world.online(viewer);
  await owe(blockers);
  const bus: Pick<Bus, 'deliver'> = {
    deliver: async (to, bytes, kind) => {
      if (to !== viewer || kind !== 'content' || told.length >= room) return false;
      const frame = decodeFrame(bytes, world.limits);
      if (frame.ok && frame.value.type === 'userBlocked') told.push(JSON.parse(Buffer.from(frame.value.body.certificate).toString()).of);
      return true;
    },
  };
  notices = new BlockNotices({
    ...{ application: world.db, clock, limits: world.limits, bus: bus as Bus },
    blocks: new Blocks({ db: world.db } as BlocksDeps),
    looks: { look: (task: () => Promise<unknown>) => void looks.push(task()) } as never,
  });
});
afterEach(() => world.close());

const owe = (by: readonly UserId[]) =>
  world.db.query({
    text: `with s as (update statements set certificate = jsonb_build_object('of', user_id) where user_id = any($2::text[]) returning hash, user_id)
      insert into owed_notices (user_id, about_user_id, kind, statement_hash, countersignature_hash) select $1, user_id, 'block', hash, $3 from s`,
    values: [viewer, by, HASH],
  });
const acknowledge = async (about: readonly UserId[]) => {
  for (const blocker of about) await notices.acknowledge(viewer, blocker, HASH);
  await Promise.all(looks);
};

it('come a page at a time, the next when the last of those before is acknowledged', async () => {
  await notices.begin(viewer);
  expect(told).toEqual(blockers.slice(0, PAGE));
  await acknowledge(blockers.slice(0, PAGE - 1));
  expect(told).toHaveLength(PAGE);
  await acknowledge(blockers.slice(PAGE - 1, PAGE));
  expect(told).toEqual(blockers.slice(0, 2 * PAGE));
  await acknowledge(blockers.slice(PAGE, 2 * PAGE));
  expect(told).toEqual(blockers);
});

it('come to who acknowledges none of them, too, each once, in its time', async () => {
  await notices.begin(viewer);
  await notices.round();
  expect(told).toHaveLength(PAGE);
  for (let page = 0; page < 4; page++) {
    clock.advance(world.limits.acknowledgeMs);
    await notices.round();
  }
  expect(told).toEqual(blockers);
});

it('wait for a buffer that is full, and go on where it stopped', async () => {
  room = 2;
  await notices.begin(viewer);
  clock.advance(world.limits.requesterFullMs);
  await notices.round();
  expect(told).toEqual(blockers.slice(0, 2));
  room = Number.POSITIVE_INFINITY;
  clock.advance(world.limits.requesterFullMs);
  await notices.round();
  expect(told).toEqual(blockers.slice(0, 2 + PAGE));
});

it('of a block that met a full buffer comes without another sync, and to nobody who has left', async () => {
  const [newest] = blockers as [UserId];
  room = 0;
  await notices.tell(viewer, newest);
  room = Number.POSITIVE_INFINITY;
  await notices.round();
  expect(told).toEqual([]);
  clock.advance(world.limits.requesterFullMs);
  await notices.round();
  expect(told).toContain(newest);
  const before = told.length;
  await world.offline(viewer);
  clock.advance(world.limits.acknowledgeMs);
  await notices.round();
  await world.online(viewer);
  clock.advance(world.limits.acknowledgeMs);
  await notices.round();
  expect(told).toHaveLength(before);
});
