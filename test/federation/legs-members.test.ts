// What members of one server see of another's people, between two whole servers over signed HTTP: pages of a profile, people that are searched for,
// counts of a reed, also once the other server came back, and names in lists. No timer of streams runs here: what goes at once goes by itself.
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { Member } from '../../src/client/member.ts';
import type { MemberEvent } from '../../src/client/types.ts';
import type { ReedId, UserId } from '../../src/wire/address.ts';
import { removeFolder } from '../support/child.ts';
import { makeDataFolder } from '../support/data-folder.ts';
import { run } from '../support/database.ts';
import { makeMember } from '../support/members.ts';
import { becomePeers } from '../support/peering.ts';
import { startServer, type TestServer } from '../support/server.ts';

const DAY = 86_400_000;
const QUIET = {
  config: { allowPrivatePeers: true, signup: 'open' },
  limits: { streamEveryMs: DAY, streamHeardEveryMs: DAY, pageItems: 2, statsEveryMs: 100, watchedLookMs: 100 },
} as const;

let a: TestServer;
let b: TestServer;
let folder: string;
let ann: Member;
let bob: Member;
/** Of before the peering, oldest first. */
const old: ReedId[] = [];
const members: Member[] = [];
const events: MemberEvent[] = [];
beforeAll(async () => {
  folder = await makeDataFolder();
  [a, b] = await Promise.all([startServer(QUIET), startServer(QUIET)]);
  [ann, bob] = [await makeMember(a, { name: 'annabel' }), await makeMember(b, { name: 'bobby' })];
  for (const text of ['one', 'two', 'three']) old.push(await publish(ann, text));
  await becomePeers(a, b, folder);
  bob.subscribe((event) => void events.push(event));
});
afterEach(async () => {
  await Promise.all(members.splice(0).map((member) => member.close()));
});
afterAll(async () => {
  await Promise.all([ann.close(), bob.close()]);
  await Promise.all([a.close(), b.close()]);
  await removeFolder(folder);
});

const userOf = (member: Member): UserId => member.account?.user as UserId;
const publish = async (author: Member, text: string): Promise<ReedId> => {
  const { reedId, published } = await author.publish({ text });
  await published;
  return reedId;
};
const holds = (member: Member, reed: ReedId) => expect.poll(async () => (await member.copy(reed))?.state, { timeout: 8_000 }).toBe('held');
const first = async <T>(pages: AsyncGenerator<readonly T[], void, void>): Promise<readonly T[]> => (await pages.next()).value ?? [];
const rows = async (text: string): Promise<unknown[]> => (await run(a.database.url, text))[0]?.rows ?? [];
const watching = () => rows('select viewer from reed_subscriptions');
const likesTold = (reed: ReedId) =>
  events.flatMap((event) => (event.type === 'stats' && event.reedId === reed ? [event.likes] : [])).at(-1);

test('a member pages through the profile of a peer’s member, reeds of before the peering included, and gets their copies', async () => {
  expect(await bob.receiving.profilePage(userOf(ann), 1)).toEqual({ count: 2, hasMore: true });
  await Promise.all(old.slice(1).map((reed) => holds(bob, reed)));
  expect(await bob.copy(old[0] as ReedId)).toBeNull();
  expect(await bob.receiving.profilePage(userOf(ann), 2)).toEqual({ count: 1, hasMore: false });
  await holds(bob, old[0] as ReedId);
});

test('a member searches people of peers', async () => {
  expect(await bob.lists.peopleElsewhere('ANNA')).toEqual({ people: [{ user: userOf(ann), username: 'annabel' }], away: [] });
  expect(await bob.lists.peopleElsewhere('nobody')).toEqual({ people: [], away: [] });
});

test('a follow, a like and their ends reach a peer at once, and who acted is shown there by name', async () => {
  const reed = old[0] as ReedId;
  await (await bob.relations.follow(userOf(ann))).accepted;
  await expect.poll(() => first(ann.lists.followers(userOf(ann)))).toEqual([{ user: userOf(bob), username: 'bobby' }]);
  await expect.poll(() => first(bob.lists.following(userOf(bob)))).toEqual([{ user: userOf(ann), username: 'annabel' }]);
  expect(await first(bob.lists.people('annab'))).toEqual([{ user: userOf(ann), username: 'annabel' }]);
  await (await bob.relations.unfollow(userOf(ann))).accepted;
  await expect.poll(() => first(ann.lists.followers(userOf(ann)))).toEqual([]);
  const likes = () => rows(`select likes from reed_stats where reed_id = '${reed}'`);
  await (await bob.relations.like(reed)).accepted;
  await expect.poll(likes).toEqual([{ likes: 1 }]);
  await (await bob.relations.unlike(reed)).accepted;
  await expect.poll(likes).toEqual([{ likes: 0 }]);
});

test('a member watches what is counted about a reed of a peer, again once that one has come back with another ledger (F29)', async () => {
  const reed = old[1] as ReedId;
  const [fan, other] = [await makeMember(a), await makeMember(a)];
  members.push(fan, other);
  const stop = bob.receiving.watch({ kind: 'reed', reedId: reed });
  await expect.poll(() => likesTold(reed)).toBe(0);
  await (await fan.relations.like(reed)).accepted;
  await expect.poll(() => likesTold(reed)).toBe(1);
  const port = Number(new URL(a.url).port);
  await a.app.close();
  a = await startServer({ ...QUIET, config: { ...QUIET.config, port }, database: a.database });
  await expect.poll(watching, { timeout: 10_000 }).toHaveLength(1);
  await other.online();
  await (await other.relations.like(reed)).accepted;
  await expect.poll(() => likesTold(reed), { timeout: 5_000 }).toBe(2);
  stop();
  await expect
    .poll(async () => {
      await b.settle();
      return watching();
    })
    .toEqual([]);
});
