// Two whole servers that their operators made peers, calling each other over signed HTTP, with members of the SDK on both: what is published at
// one is followed, read, kept and taken back at the other, and what one of them missed while it was away it is told when it is back.
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { Member } from '../../src/client/member.ts';
import type { ReedId, UserId } from '../../src/wire/address.ts';
import { removeFolder } from '../support/child.ts';
import { makeDataFolder } from '../support/data-folder.ts';
import { isA, makeMember, nextEvent } from '../support/members.ts';
import { becomePeers, movePeer } from '../support/peering.ts';
import { startServer, type TestServer } from '../support/server.ts';

/** Of the one who asks: its requests are too short for a chain of keys, which the other one then asks it for. */
const SHORT = { limits: { foldRequestBytes: 1_000 } } as const;
const PRIVATE = { config: { allowPrivatePeers: true, signup: 'open' } } as const;

let a: TestServer;
let b: TestServer;
let folder: string;
const members: Member[] = [];
beforeAll(async () => {
  folder = await makeDataFolder();
  [a, b] = await Promise.all([startServer(PRIVATE), startServer({ ...PRIVATE, ...SHORT })]);
  await becomePeers(a, b, folder);
});
afterEach(async () => {
  await Promise.all(members.splice(0).map((member) => member.close()));
});
afterAll(async () => {
  await Promise.all([a.close(), b.close()]);
  await removeFolder(folder);
});

const join = async (server: TestServer): Promise<Member> => {
  const member = await makeMember(server);
  members.push(member);
  return member;
};
const userOf = (member: Member): UserId => member.account?.user as UserId;
/** Lets what one server owes the other go out, and what follows from it. */
const settle = async (): Promise<void> => {
  for (let round = 0; round < 2; round += 1) for (const server of [a, b]) await server.settle();
};
const publish = async (author: Member, text: string): Promise<ReedId> => {
  const { reedId, published } = await author.publish({ text });
  await published;
  return reedId;
};
const follow = async (member: Member, author: Member): Promise<void> => {
  await (await member.relations.follow(userOf(author))).accepted;
  await settle();
};
/** Resolves when the member has a copy of it that its server confirmed. */
const holds = (member: Member, reed: ReedId) => expect.poll(async () => (await member.copy(reed))?.state).toBe('held');

test('what a member publishes reaches those who follow from a peer, whose copies then serve the peer’s members', async () => {
  const [author, follower, reader] = [await join(a), await join(b), await join(b)];
  await follow(follower, author);
  const reed = await publish(author, 'seen from over there');
  await settle();
  await holds(follower, reed);
  expect((await follower.copy(reed))?.body).toMatchObject({ text: 'seen from over there' });
  // Nobody who has it is at its home any more.
  await author.close();
  await settle();
  await reader.request(reed);
  await holds(reader, reed);
});

test('what its author takes back is gone on the peer, too', async () => {
  const [author, reader] = [await join(a), await join(b)];
  const reed = await publish(author, 'not for long');
  await settle();
  await reader.request(reed);
  await settle();
  await holds(reader, reed);
  const gone = nextEvent(
    reader,
    isA('tombstone', ({ id }) => id === reed),
  );
  await (await author.relations.removeReed(reed)).accepted;
  await settle();
  await gone;
});

test('what was published while a peer was away is told when it is back', async () => {
  const [author, follower] = [await join(a), await join(b)];
  await follow(follower, author);
  await follower.close();
  const port = Number(new URL(b.url).port);
  await b.app.close();
  const reed = await publish(author, 'meanwhile');
  await a.settle();
  b = await startServer({ ...PRIVATE, ...SHORT, config: { ...PRIVATE.config, port }, database: b.database });
  follower.connect();
  await follower.online();
  await settle();
  await holds(follower, reed);
});

test('who waits for something of a peer that goes away hears so, sees it among the peers, and is given it when the peer is back', async () => {
  const [author, reader] = [await join(a), await join(b)];
  const reed = await publish(author, 'worth waiting for');
  await settle();
  expect(await reader.lists.peers()).toMatchObject([{ server: a.app.serverId, webUrl: a.url, state: 'live' }]);
  await author.close();
  await settle();
  const waits = nextEvent(
    reader,
    isA('request', ({ progress }) => progress.state === 'nobody-online'),
  );
  const asked = reader.request(reed);
  asked.catch(() => undefined);
  await waits;
  const lost = nextEvent(reader, isA('peer-lost'));
  const port = Number(new URL(a.url).port);
  await a.app.close();
  expect(await lost).toEqual({ type: 'peer-lost', server: a.app.serverId });
  expect(await reader.lists.peers()).toMatchObject([{ server: a.app.serverId, state: 'away' }]);
  a = await startServer({ ...PRIVATE, config: { ...PRIVATE.config, port }, database: a.database });
  author.connect();
  await author.online();
  await settle();
  expect((await asked).body).toMatchObject({ text: 'worth waiting for' });
});

test('a peering that is paused lets nothing across, and goes on when it is resumed', async () => {
  const [author, follower] = [await join(a), await join(b)];
  await follow(follower, author);
  await movePeer(a, 'suspend', b);
  await settle();
  const reed = await publish(author, 'kept here');
  await settle();
  expect(await follower.copy(reed)).toBeNull();
  await movePeer(a, 'resume', b);
  await settle();
  await holds(follower, reed);
});
