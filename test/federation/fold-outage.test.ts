// A day of outage between two servers over signed HTTP, on a clock that is moved: what is published meanwhile comes to each follower on the other side
// when the way is good again, once and in order, and nothing is left. With ten thousand: test/long/border-outage.test.ts.
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ReedId } from '../../src/wire/address.ts';
import { BorderPair } from '../support/border-pair.ts';
import type { LightMember } from '../support/light-member.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { makeWorld, type Person, publishReed, signUp, type World } from '../support/people.ts';

const HOUR_MS = 3_600_000;
/** At a time, and how many are published then. */
const HOURS = 3;
const AT_ONCE = 6;

const pair = new BorderPair();
beforeAll(() => pair.start());
afterAll(() => pair.close());

/** What members at home do by the services of their server, on its database and at its time. */
async function atHome<T>(act: (world: World) => Promise<T>): Promise<T> {
  const database = { url: pair.home.server.database.url, drop: async () => undefined };
  const world = await makeWorld({ going: { database, clock: new ManualClock(pair.clock.now()) }, limits: { fanoutLeaseMs: 1 } });
  try {
    return await act(world);
  } finally {
    await world.close();
  }
}

/** Published; held by somebody who is online. */
const publish = (author: Person, holder: LightMember, count: number): Promise<ReedId[]> =>
  atHome(async (world) => {
    const reeds: ReedId[] = [];
    for (let at = 0; at < count; at += 1) {
      const reed = await publishReed(world, author, {}, false);
      await pair.home.community.rows(
        `insert into reed_allocations (holder_user_id, reed_id, device_id, delivered_on) values ($1, $2, 'd', current_date)`,
        [holder.userId, reed],
      );
      await world.reeds.publish.publishReady(author.member, reed, undefined);
      reeds.push(reed);
    }
    return reeds;
  });

/** Reeds that came to a member, in order, as often as they did. */
const came = ({ frames }: LightMember): string[] => frames.flatMap((frame) => (frame.type === 'followReed' ? [frame.body.reedId] : []));

test('a day of publications comes to each follower once, in the order of their stream', async () => {
  const holder = await pair.member(pair.home);
  const followers = await pair.members(pair.asking, 2);
  const ann = await atHome((world) => signUp(world));
  const reeds = await publish(ann, holder, 1);
  await pair.settle();
  await pair.asking.community.follows(followers.map(({ userId }) => [userId, ann.user]));
  for (const follower of followers) follower.sync();
  await pair.settle();

  pair.border.fate = () => 'lose-request';
  for (let hour = 0; hour < 24; hour += HOURS) {
    reeds.push(...(await publish(ann, holder, AT_ONCE)));
    await pair.pass(HOURS * HOUR_MS);
  }
  expect(await pair.home.community.rows('select cursor::int from peer_cursors')).toEqual([{ cursor: 1 }]);
  expect(followers.flatMap(came)).not.toContain(reeds.at(-1));

  pair.border.fate = () => 'pass';
  const hasAll = (each: ReadonlySet<string>): boolean => reeds.slice(1).every((reed) => each.has(reed));
  await pair.passUntil(10_000, () => followers.every((follower) => hasAll(new Set<string>(came(follower)))));
  await pair.settle();
  for (const follower of followers) {
    const each = came(follower);
    expect(each).toHaveLength(new Set(each).size);
    expect(new Set(each)).toEqual(new Set([...each, ...reeds.slice(1)]));
  }
  const taken = await pair.asking.community.rows<{ id: string }>('select id from reeds order by published_at, id');
  expect(taken.map(({ id }) => id)).toEqual(reeds);
  expect(pair.border.copies.most).toBeLessThanOrEqual(3);
  await pair.end();
}, 240_000);
