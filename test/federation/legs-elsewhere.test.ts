// The legs by which members see a peer's people, over a wire that loses and lies: what each side refuses, believes, and keeps when nothing comes back.
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { Called } from '../../src/federation/stream-ports.ts';
import type { ReedId, ServerId, UserId } from '../../src/wire/address.ts';
import type { FrameOf, FrameType } from '../../src/wire/frames.ts';
import {
  decodePage,
  decodeReedCounts,
  encodeFound,
  encodePage,
  encodePageRequest,
  encodeReedCounts,
  encodeReedWatch,
  encodeSearchRequest,
} from '../../src/wire/legs.ts';
import { type LightAccount, LightCommunity, LightMember } from '../support/light-member.ts';
import { approve, PeerWire } from '../support/peer-wire.ts';
import { startServer, type TestServer } from '../support/server.ts';

const wire = new PeerWire();
const LIMITS = { pageItems: 2, statsEveryMs: 0, watchedLookMs: 0, peerSubscriptions: 2 };
type Side = { readonly server: TestServer; readonly id: ServerId; readonly community: LightCommunity };
let a: Side;
let b: Side;
const members: LightMember[] = [];
const open = async (): Promise<Side> => {
  const server: TestServer = await startServer({ limits: LIMITS, overrides: { peerCalls: wire.callsOf(() => server.app.serverId) } });
  const id = server.app.serverId;
  wire.join(id, server.app);
  return { server, id, community: new LightCommunity(server.database.url, id) };
};
beforeAll(async () => {
  [a, b] = await Promise.all([open(), open()]);
  await approve(a.server.database.url, b.server.database.url);
  await approve(b.server.database.url, a.server.database.url);
  for (const { server } of [a, b]) await server.settle();
});
afterEach(async () => {
  wire.fate = () => 'deliver';
  wire.join(a.id, a.server.app);
  await Promise.all(members.splice(0).map((member) => member.vanish()));
  await settle();
});
afterAll(() => Promise.all([a.server.close(), b.server.close()]));

const settle = async (): Promise<void> => {
  for (let round = 0; round < 2; round += 1) for (const { server } of [a, b]) await server.settle();
};
const join = async ({ community, server }: Side): Promise<LightMember> => {
  const [account] = await community.accounts(1);
  const member = await LightMember.connect(server.url, account as NonNullable<typeof account>, { acknowledge: 'nothing' });
  members.push(member);
  return member;
};
const author = async (): Promise<{ user: UserId; reeds: ReedId[] }> => {
  const [account] = await a.community.accounts(1);
  const user = account?.userId as UserId;
  return { user, reeds: await a.community.reeds(user, 3) };
};
const of = <T extends FrameType>(member: LightMember, type: T): FrameOf<T>['body'][] =>
  member.frames.flatMap((frame) => (frame.type === type ? [frame.body as FrameOf<T>['body']] : []));
const call = (leg: string, body: Uint8Array): Promise<Called> => wire.call({ from: b.id, to: a.id, leg, body });
/** Counts too end a subscription, where nobody watches: they may be told once more than they changed. */
const isOfWatching = (leg: string): boolean => leg === 'unsubscribe-reed' || leg === 'reed-stats';
const status = async (called: Promise<Called>): Promise<number | string> => {
  const answer = await called;
  return answer.kind === 'answer' ? answer.status : answer.kind;
};
/** a answers this leg otherwise than it would. */
const lying = (leg: string, body: () => Uint8Array): void => {
  const liar = { limitBytes: 1_024, handle: async () => ({ status: 200, body: body() }) };
  wire.join(a.id, { legs: new Map([...a.server.app.legs, [leg, liar]]) });
};
const watch = async (member: LightMember, reedId: ReedId): Promise<void> => {
  member.send({ id: '', type: 'subscribeReed', body: { reedId } });
  await member.ping();
  await settle();
};
const watched = () => a.community.rows<{ target: ReedId }>(`select target from reed_subscriptions where viewer like 'peer@%' order by 1`);
const like = async (side: Side, reed: ReedId): Promise<void> => {
  const [account] = await side.community.accounts(1);
  await side.community.rows(
    'insert into likes (user_id, target, active, seq, statement_hash) select id, $2, true, 1, identity_hash from users where id = $1',
    [account?.userId, reed],
  );
};

describe('a page of a profile', () => {
  const ask = async (member: LightMember, userId: UserId, page: number): Promise<void> => {
    member.send({ id: '', type: 'profilePage', body: { userId, page } });
    await member.ping();
    await settle();
  };
  const owed = async (member: LightMember): Promise<string[]> =>
    (
      await b.community.rows<{ subject: string }>(
        'select subject_id as subject from pending_events where requester_user_id = $1 order by 1',
        [member.userId],
      )
    ).map(({ subject }) => subject);

  test('of an author who blocks is refused with the block, which the requester’s server proves', async () => {
    const [{ user }, member] = [await author(), await join(b)];
    await a.community.blocks(user, member.userId);
    const body = encodePageRequest({ author: user, requester: member.userId, page: 1 });
    expect(await status(call('profile-page', body))).toBe(403);
    // This block is no statement at all: nobody is told of it, and nothing is shown beyond what is known here.
    await ask(member, user, 1);
    expect(of(member, 'userBlocked')).toEqual([]);
    expect(of(member, 'pageAck')).toEqual([{ userId: user, page: 1, count: 0, hasMore: false, partial: true }]);
  });

  test.each([
    ['of a requester of another server', 403, (user: UserId) => encodePageRequest({ author: user, requester: user, page: 1 })],
    [
      'of an author of another server',
      404,
      (user: UserId) =>
        encodePageRequest({ author: user.replace(a.id, b.id) as UserId, requester: user.replace(a.id, b.id) as UserId, page: 1 }),
    ],
    ['with no number', 400, (user: UserId) => encodePageRequest({ author: user, requester: user.replace(a.id, b.id) as UserId, page: 0 })],
    ['that can not be read', 400, () => new Uint8Array([255])],
  ])('%s is refused', async (_what, code, body) => {
    expect(await status(call('profile-page', body((await author()).user)))).toBe(code);
  });

  test.each([
    ['another author’s reeds', (_: ReedId[], other: ReedId[]) => encodePage({ reeds: other.map(asReed), hasMore: false })],
    ['a reed twice', ([one]: ReedId[]) => encodePage({ reeds: [one, one].map(asReed), hasMore: true })],
    ['what can not be read', () => new Uint8Array([10, 255])],
    [
      'more than a page',
      ([one]: ReedId[]) =>
        encodePage({
          reeds: Array.from({ length: 101 }, (_, nth) => asReed(one?.replace(/[0-9a-f]{3}$/, (nth + 256).toString(16)) as ReedId)),
          hasMore: false,
        }),
    ],
  ])('with %s is none: nothing of it is owed', async (_what, body) => {
    const [{ reeds, user }, other, member] = [await author(), await author(), await join(b)];
    lying('profile-page', () => body(reeds, other.reeds));
    await ask(member, user, 1);
    expect(of(member, 'pageAck')).toMatchObject([{ count: 0, partial: true }]);
    expect(await owed(member)).toEqual([]);
  });

  test('whose home can’t be asked is of what is known here, and says so', async () => {
    const [{ user }, member] = [await author(), await join(b)];
    wire.fate = () => 'lose-answer';
    await ask(member, user, 1);
    expect(of(member, 'pageAck')).toEqual([{ userId: user, page: 1, count: 0, hasMore: false, partial: true }]);
    expect(of(member, 'peerServerLost')).toEqual([{ serverId: a.id }]);
  });

  test('owes ids only, each to be had by itself; a thread as a whole', async () => {
    const [{ reeds, user }, member] = [await author(), await join(b)];
    const answer = await call('profile-page', encodePageRequest({ author: user, requester: member.userId, page: 1 }));
    if (answer.kind !== 'answer') throw new Error('no answer');
    expect(decodePage(answer.body, user, 2)).toMatchObject({ ok: true, value: { hasMore: true } });
    wire.fate = ({ leg }) => (leg === 'request' ? 'lose-request' : 'deliver');
    lying('profile-page', () => encodePage({ reeds: [{ subject: reeds[0] as ReedId, kind: 'thread' }], hasMore: false }));
    await ask(member, user, 1);
    expect(await b.community.rows('select subject_kind from pending_events where requester_user_id = $1', [member.userId])).toEqual([
      { subject_kind: 'thread' },
    ]);
  });
});

function asReed(subject: ReedId | undefined): { subject: ReedId; kind: 'reed' } {
  return { subject: subject as ReedId, kind: 'reed' };
}

describe('counts of a reed', () => {
  const stats = (member: LightMember) => of(member, 'reedStats').map(({ likes, reedId }) => [reedId, likes]);

  test('come to whoever watches it at a peer, for all by one subscription, and end with the last', async () => {
    const [{ reeds }, one, two] = [await author(), await join(b), await join(b)];
    const [reed] = reeds as [ReedId];
    await watch(one, reed);
    await watch(two, reed);
    expect(await watched()).toEqual([{ target: reed }]);
    expect([stats(one)[0], stats(two)[0]]).toEqual([
      [reed, 0],
      [reed, 0],
    ]);
    await like(a, reed);
    await settle();
    expect([stats(one).at(-1), stats(two).at(-1)]).toEqual([
      [reed, 1],
      [reed, 1],
    ]);
    one.send({ id: '', type: 'unsubscribeReed', body: { reedId: reed } });
    await one.ping();
    await settle();
    expect(await watched()).toHaveLength(1);
    await two.vanish();
    await settle();
    expect(await watched()).toEqual([]);
  });

  test('that a peer did not hear are told when it does: a fault of transport ends no subscription, its own "not found" does (F29)', async () => {
    const [{ reeds }, member] = [await author(), await join(b)];
    const [reed] = reeds as [ReedId];
    await watch(member, reed);
    wire.fate = ({ leg }) => (leg === 'reed-stats' ? 'lose-request' : 'deliver');
    await like(a, reed);
    await settle();
    expect(stats(member).at(-1)).toEqual([reed, 0]);
    wire.fate = () => 'deliver';
    await settle();
    expect(stats(member).at(-1)).toEqual([reed, 1]);
    wire.fate = ({ leg }) => (isOfWatching(leg) ? 'lose-request' : 'deliver');
    await member.vanish();
    await settle();
    expect(await watched()).toHaveLength(1);
    wire.fate = ({ leg }) => (leg === 'unsubscribe-reed' ? 'lose-request' : 'deliver');
    await like(a, reed);
    await settle();
    expect(await watched()).toEqual([]);
  });

  test('that nobody watches any more are given back at a later look when the giving back was lost', async () => {
    const [{ reeds }, member] = [await author(), await join(b)];
    await watch(member, reeds[0] as ReedId);
    wire.fate = ({ leg }) => (isOfWatching(leg) ? 'lose-request' : 'deliver');
    await member.vanish();
    await settle();
    expect(await watched()).toHaveLength(1);
    wire.fate = () => 'deliver';
    await settle();
    expect(await watched()).toEqual([]);
  });

  test('that nobody watches any more are forgotten with the server that is a peer no more', async () => {
    const [{ reeds }, member] = [await author(), await join(b)];
    await watch(member, reeds[0] as ReedId);
    const given: string[] = [];
    wire.fate = ({ leg }) => {
      given.push(leg);
      return 'no-peer';
    };
    await member.vanish();
    await settle();
    expect(given.filter((leg) => leg === 'unsubscribe-reed')).toHaveLength(1);
    await a.community.rows('delete from reed_subscriptions');
  });

  test('that could not be registered by a fault of this side are at the next look', async () => {
    const [{ reeds }, member] = [await author(), await join(b)];
    wire.fate = ({ leg }) => {
      if (leg === 'subscribe-reed') throw new Error('the database is away');
      return 'deliver';
    };
    await watch(member, reeds[0] as ReedId);
    expect(await watched()).toEqual([]);
    wire.fate = () => 'deliver';
    await settle();
    expect(await watched()).toEqual([{ target: reeds[0] }]);
  });

  test('are registered anew at a peer that forgot them, once it is back or its ledger is another one', async () => {
    const [{ reeds }, member] = [await author(), await join(b)];
    const [reed] = reeds as [ReedId];
    await watch(member, reed);
    for (const change of ['epoch', 'back'] as const) {
      await a.community.rows('delete from reed_subscriptions');
      b.server.app.peerChanged(a.id, change);
      await settle();
      expect(await watched()).toEqual([{ target: reed }]);
    }
  });

  test('of a peer that goes away: whoever watches something of it is told', async () => {
    const [{ reeds }, member] = [await author(), await join(b)];
    await watch(member, reeds[0] as ReedId);
    await b.community.rows('update peers set away = true where server_id = $1', [a.id]);
    await settle();
    expect(of(member, 'peerServerLost')).toEqual([{ serverId: a.id }]);
    await b.community.rows('update peers set away = false where server_id = $1', [a.id]);
    await settle();
  });

  test('are not shown to whom a block stands between', async () => {
    const [{ reeds, user }, member] = [await author(), await join(b)];
    const [reed] = reeds as [ReedId];
    await watch(member, reed);
    await b.community.rows('insert into identities (id, server_id, first_seen_at) values ($1, $2, now()) on conflict do nothing', [
      user,
      a.id,
    ]);
    await b.community.blocks(member.userId, user);
    await like(a, reed);
    await settle();
    expect(stats(member)).toEqual([[reed, 0]]);
  });

  test('say how many other servers have a holder beside the share of this one’s members (F22)', async () => {
    const { reeds } = await author();
    const [reed] = reeds as [ReedId];
    await a.community.rows('insert into reed_server_allocations (reed_id, server_id, holding) values ($1, $2, true)', [reed, b.id]);
    const answer = await call('subscribe-reed', encodeReedWatch(reed));
    if (answer.kind !== 'answer') throw new Error('no answer');
    expect(decodeReedCounts(answer.body)).toMatchObject({ ok: true, value: { reedId: reed, holderServers: 1 } });
    await call('unsubscribe-reed', encodeReedWatch(reed));
  });

  test('are refused of what is not there, of another server, and of more than a peer may watch', async () => {
    const { reeds, user } = await author();
    const [one, two, three] = reeds as [ReedId, ReedId, ReedId];
    const none = `${user}/${one.split('/')[1]?.replace(/.{4}$/, 'ffff')}` as ReedId;
    expect(await status(call('subscribe-reed', encodeReedWatch(none)))).toBe(404);
    expect(await status(call('subscribe-reed', encodeReedWatch(one.replace(a.id, b.id) as ReedId)))).toBe(404);
    expect(await status(call('subscribe-reed', new Uint8Array([255])))).toBe(400);
    for (const reed of [one, two, one]) expect(await status(call('subscribe-reed', encodeReedWatch(reed)))).toBe(200);
    expect(await status(call('subscribe-reed', encodeReedWatch(three)))).toBe(429);
    for (const reed of [one, two, two]) expect(await status(call('unsubscribe-reed', encodeReedWatch(reed)))).toBe(204);
    expect(await watched()).toEqual([]);
  });

  test('of a reed of anybody else’s are believed of nobody', async () => {
    const [{ reeds }, member] = [await author(), await join(b)];
    await watch(member, reeds[0] as ReedId);
    const counts = {
      reedId: `${member.userId}/${reeds[0]?.split('/')[1]}` as ReedId,
      echoes: 9,
      replies: 9,
      likes: 9,
      coveragePercent: 9,
      holderServers: 9,
    };
    expect(await status(wire.call({ from: a.id, to: b.id, leg: 'reed-stats', body: encodeReedCounts(counts) }))).toBe(403);
    const over = encodeReedCounts({ ...counts, reedId: reeds[0] as ReedId, coveragePercent: 101 });
    expect(await status(wire.call({ from: a.id, to: b.id, leg: 'reed-stats', body: over }))).toBe(400);
    // A registration anew tells what is so once more.
    expect(new Set(stats(member).map(String))).toEqual(new Set([`${reeds[0]},0`]));
  });
});

describe('a search of people', () => {
  type Found = { users: { id: string; username: string }[]; away: string[] };
  const search = async (viewer: LightAccount, query: string): Promise<Found> => {
    const headers = { authorization: `Bearer ${viewer.token}` };
    const answer = await fetch(`${b.server.url}/api/v1/users/elsewhere?query=${encodeURIComponent(query)}`, { headers });
    expect(answer.status).toBe(200);
    return (await answer.json()) as Found;
  };
  const viewerOf = async (): Promise<LightAccount> => (await b.community.accounts(1))[0] as LightAccount;

  test('leaves out who blocks the one who searches', async () => {
    const [{ user }, viewer] = [await author(), await viewerOf()];
    const person = { id: user, username: 'gannet' };
    lying('search-users', () => encodeFound([person]));
    expect(await search(viewer, 'gan')).toEqual({ users: [person], away: [] });
    await b.community.rows('insert into identities (id, server_id, first_seen_at) values ($1, $2, now())', [user, a.id]);
    await b.community.rows(
      'insert into blocks (user_id, target, active, seq, statement_hash) select $1, $2, true, 1, identity_hash from users where id = $2',
      [user, viewer.userId],
    );
    expect(await search(viewer, 'gan')).toEqual({ users: [], away: [] });
  });

  test.each([
    ['of another server', ({ userId }: LightAccount) => encodeFound([{ id: userId, username: 'gannet' }])],
    ['under a name that nobody may have', (_: LightAccount, id: UserId) => encodeFound([{ id, username: 'gan\u202enet' }])],
    ['twice', (_: LightAccount, id: UserId) => encodeFound([id, id].map((one) => ({ id: one, username: 'gannet' })))],
    ['who can not be read', () => new Uint8Array([255])],
  ])('believes no peer that finds somebody %s', async (_what, body) => {
    const [{ user }, viewer] = [await author(), await viewerOf()];
    lying('search-users', () => body(viewer, user));
    expect(await search(viewer, 'gan')).toEqual({ users: [], away: [a.id] });
  });

  test('takes a peer that lets nobody search, or can not, for one that finds nobody; one that is away it names', async () => {
    const viewer = await viewerOf();
    for (const refused of [403, 501]) {
      wire.fate = () => ({ status: refused });
      expect(await search(viewer, 'gan')).toEqual({ users: [], away: [] });
    }
    wire.fate = () => 'lose-answer';
    expect(await search(viewer, 'gan')).toEqual({ users: [], away: [a.id] });
    // Known to be away, it is not even asked: that is no answer either.
    wire.fate = () => ({ status: 403 });
    for (const is of ['away = true', "away = false, retry_at = now() + interval '1 hour'", 'retry_at = null']) {
      await b.community.rows(`update peers set ${is} where server_id = $1`, [a.id]);
      expect(await search(viewer, 'gan'), is).toEqual({ users: [], away: is === 'retry_at = null' ? [] : [a.id] });
    }
  });

  test('for nothing, for too much, or with no room for an answer is refused', async () => {
    for (const [query, limit] of [
      ['', 5],
      ['x'.repeat(65), 5],
      ['a\0', 5],
      ['a', 0],
    ] as const)
      expect(await status(call('search-users', encodeSearchRequest({ query, limit })))).toBe(400);
    expect(await status(call('search-users', encodeSearchRequest({ query: 'a', limit: 1_000 })))).toBe(200);
  });
});
