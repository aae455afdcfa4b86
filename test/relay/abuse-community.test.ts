// What members try on each other over the socket: around a block, with the notices of others, by watching what they may not see, and by asking for
// pages, catch-ups and subscriptions without an end.
import { createHash } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import type { ReedId } from '../../src/wire/address.ts';
import { AbuseStage } from '../support/abuse-stage.ts';
import type { LightAccount } from '../support/light-member.ts';
import { type Claims, canonical, RawPerson, uuid } from '../support/raw-person.ts';
import { countOf, type RawSocket, textOf } from '../support/raw-socket.ts';
import { CLOSE, ERROR, type RawBody, type RawFrame, type RawType } from '../support/raw-wire.ts';

const SECOND = 1_000;
const stage = AbuseStage.forFile({ syncIntervalMs: 0, freeFramesBurst: 300, broadcastListeners: 1 }, { config: { signup: 'open' } });
const DELIVERIES: readonly RawType[] = ['dataResponse', 'followReed', 'pipeReed', 'reedReply', 'mention', 'broadcastReed'];
const at = encodeURIComponent;

type Person = LightAccount & { readonly raw: RawPerson };
const person = async (): Promise<Person> => {
  const raw = await RawPerson.signUp(stage.server.url);
  return { raw, userId: raw.user as LightAccount['userId'], token: await raw.token(), device: raw.device };
};
const about = (by: Person, type: 'block' | 'unblock' | 'like', target: string): Promise<{ status: number; body: unknown }> =>
  by.raw.state(
    `${type === 'like' ? 'reeds' : 'users'}/${at(target)}/${type}`,
    type,
    { target, createdAt: new Date().toISOString() },
    by.token,
  );
const rows = <Row extends object>(text: string, ...values: unknown[]): Promise<Row[]> => stage.community.rows<Row>(text, values);
/** Everything that was sent has taken effect, with all that follows. */
const settled = async (...sockets: RawSocket[]): Promise<void> => {
  for (const socket of sockets) expect(await socket.echo()).toBe(null);
  await stage.server.settle();
  for (const socket of sockets) expect(await socket.echo()).toBe(null);
};
const pass = async (byMs: number, ...sockets: RawSocket[]): Promise<void> => {
  stage.clock.move(byMs);
  await settled(...sockets);
};
const types = (socket: RawSocket): RawType[] => socket.frames.map(({ type }) => type);
const of = (socket: RawSocket, type: RawType): RawFrame[] => socket.frames.filter((found) => found.type === type);
const synced = async (account: LightAccount): Promise<RawSocket> => {
  const socket = await stage.signIn(account);
  socket.send('syncRequest', { requestId: stage.requestId(account) });
  await settled(socket);
  return socket;
};
const holders = async (reed: ReedId): Promise<string[]> =>
  (await rows<{ it: string }>('select holder_user_id as it from reed_allocations where reed_id = $1', reed)).map(({ it }) => it);
const request = (socket: RawSocket, by: LightAccount, reedId: ReedId): string => {
  const requestId = stage.requestId(by);
  socket.send('requestReed', { requestId, reedId, authorId: reedId.split('/')[0] as string });
  return requestId;
};
const said = ({ body }: RawFrame): { statement: Claims; countersignature: { statement: Claims } } =>
  JSON.parse(Buffer.from(body['certificate'] as Uint8Array).toString());

let ann: Person;
let bob: Person;
let cid: Person;
beforeAll(async () => {
  [ann, bob, cid] = await Promise.all([person(), person(), person()]);
});

describe('a block', () => {
  test('ends what the blocked member watches, asks for and is owed, by every path; nothing of the blocker reaches them, nor theirs the blocker', async () => {
    const reeds = await stage.community.reeds(ann.userId, 4, [ann.userId, cid.userId]);
    const [reed, other, head] = reeds as [ReedId, ReedId, ReedId];
    await stage.community.thread(reeds.slice(2));
    const [a, b] = [await synced(ann), await synced(bob)];
    const watched: readonly (readonly [RawType, RawBody])[] = [
      ['subscribeReed', { reedId: reed }],
      ['subscribeProfile', { userId: ann.userId }],
      ['subscribePipe', { tag: 'reeds' }],
      ['subscribeBroadcast', {}],
    ];
    for (const [type, body] of watched) b.send(type, body);
    a.send('subscribeBroadcast');
    a.send('subscribePipe', { tag: 'reeds' });
    await settled(a, b);
    expect(of(b, 'reedStats')).toHaveLength(1);
    const early = await stage.community.registered(bob.userId, { replyTo: reed, mentions: [ann.userId] });
    request(b, bob, reed);
    const asked = await a.next('relayRequest');
    expect((await about(ann, 'block', bob.userId)).status).toBe(200);
    await b.next('userBlocked');
    await settled(a, b);
    b.frames.length = 0;
    // On its way when the block came.
    a.send('relayResponse', { ciphertext: 'late', attempt: countOf(asked, 'attempt') }, asked.id);
    await settled(a, b);
    const requestId = request(b, bob, other);
    b.send('requestThread', { requestId: stage.requestId(bob), threadId: head });
    for (const [type, body] of watched.slice(0, 2)) b.send(type, body);
    b.send('profilePage', { userId: ann.userId, page: 1 });
    await settled(b);
    expect(types(b)).toEqual(['userBlocked', 'userBlocked', 'userBlocked', 'userBlocked', 'userBlocked']);
    expect(b.frames.map((found) => textOf(found, 'requestId'))).toContain(requestId);
    b.frames.length = 0;
    expect(
      await rows(
        'select from reed_subscriptions where viewer = $1 union all select from profile_subscriptions where viewer = $1',
        bob.userId,
      ),
    ).toEqual([]);
    const news = await stage.community.registered(ann.userId, { tags: ['reeds'], mentions: [bob.userId] });
    a.send('publishReady', { reedId: news });
    b.send('publishReady', { reedId: early });
    const theirs = await stage.community.registered(bob.userId, { tags: ['reeds'], mentions: [ann.userId] });
    b.send('publishReady', { reedId: theirs });
    expect((await about(cid, 'like', reed)).status).toBe(200);
    await a.next('publishReadyAck');
    await stage.community.removed('reed-removal', other);
    await pass(3 * SECOND, a, b);
    expect(types(b).filter((type) => type !== 'publishReadyAck')).toEqual(['error']);
    expect(of(b, 'error').map((found) => textOf(found, 'requestId'))).toEqual([early]);
    expect(types(a).filter((type) => DELIVERIES.includes(type))).toEqual([]);
    for (const each of [reed, other, news]) expect(await holders(each)).not.toContain(bob.userId);
  });

  test('makes no holder of who acknowledges or refuses only after it what came before it', async () => {
    const [author, viewer] = [await person(), await person()];
    const reeds = [await stage.reed(author), await stage.reed(author)];
    await stage.join(author);
    const v = await stage.signIn(viewer);
    const events: string[] = [];
    for (const reed of reeds) {
      request(v, viewer, reed);
      events.push((await v.next('dataResponse')).id);
    }
    await about(author, 'block', viewer.userId);
    await v.next('userBlocked');
    v.send('dataAck', {}, events[0]);
    v.send('dataInvalid', { reason: 1 }, events[1]);
    await settled(v);
    expect(of(v, 'settled')).toEqual([]);
    for (const reed of reeds) expect(await holders(reed)).toEqual([author.userId]);
    expect(await rows('select from holder_strikes where reed_id = any($1)', reeds)).toEqual([]);
  });

  test('taken back at once is over: what the other asks for and watches since stays', async () => {
    const [author, viewer] = [await person(), await person()];
    const reed = await stage.reed(author);
    await stage.join(author);
    const v = await stage.signIn(viewer);
    await about(author, 'block', viewer.userId);
    await about(author, 'unblock', viewer.userId);
    await v.next('userUnblocked');
    request(v, viewer, reed);
    v.send('subscribeProfile', { userId: author.userId });
    v.send('dataAck', {}, (await v.next('dataResponse')).id);
    await pass(15 * SECOND, v);
    expect(await holders(reed)).toContain(viewer.userId);
    expect(await rows('select from profile_subscriptions where viewer = $1', viewer.userId)).toHaveLength(1);
  });

  test('is told until its own target acknowledges it by its own hash', async () => {
    const [author, viewer, enemy] = [await person(), await person(), await person()];
    const [v, e] = [await synced(viewer), await synced(enemy)];
    await about(author, 'block', viewer.userId);
    const { statement, countersignature } = said(await v.next('userBlocked'));
    const hash = (value: Claims): string => createHash('sha256').update(canonical(value)).digest('base64url');
    const right = hash(countersignature.statement);
    const forged = ['', 'x', hash(statement), right.slice(1), right.toUpperCase(), `${right}=`, `' or true --`, right.repeat(300)];
    for (const type of ['userBlockedAck', 'userUnblockedAck'] as const) {
      for (const countersignatureHash of forged) v.send(type, { userId: author.userId, countersignatureHash });
      for (const userId of [enemy.userId, viewer.userId, '']) v.send(type, { userId, countersignatureHash: right });
      for (const userId of [author.userId, viewer.userId]) e.send(type, { userId, countersignatureHash: right });
    }
    await settled(v, e);
    v.send('syncRequest', { requestId: stage.requestId(viewer) });
    expect(said(await v.next('userBlocked')).statement).toEqual(statement);
    v.send('userBlockedAck', { userId: author.userId, countersignatureHash: right });
    await settled(v);
    v.send('syncRequest', { requestId: stage.requestId(viewer) });
    await settled(v);
    expect(of(v, 'userBlocked')).toEqual([]);
    expect(of(e, 'userBlocked')).toEqual([]);
  });
});

describe('the notice of a removal', () => {
  test('is acknowledged by who was sent it, and refused by nobody', async () => {
    const [author, holder, enemy] = (await stage.accounts(3)) as [LightAccount, LightAccount, LightAccount];
    const reed = await stage.reed(author, [author, holder]);
    const [h, e] = [await synced(holder), await synced(enemy)];
    await stage.community.removed('reed-removal', reed);
    await settled(h, e);
    const { id } = await h.next('reedRemoved');
    e.send('dataAck', {}, id);
    e.send('dataInvalid', { reason: 2 }, id);
    for (const reason of [1, 2, 5, 6, 7]) h.send('dataInvalid', { reason }, id);
    h.send('relayMiss', { attempt: 0 }, id);
    h.send('relayResponse', { attempt: 0, ciphertext: 'none' }, id);
    await settled(h, e);
    expect(await holders(reed)).toEqual([holder.userId]);
    expect(await rows('select from reed_declines where reed_id = $1', reed)).toEqual([]);
    h.send('dataAck', {}, id);
    h.send('dataAck', {}, id);
    await settled(h);
    expect([await holders(reed), types(e)]).toEqual([[], []]);
  });

  test('comes after a copy that was acknowledged too late', async () => {
    const [author, viewer] = (await stage.accounts(2)) as [LightAccount, LightAccount];
    const reed = await stage.reed(author);
    await stage.join(author);
    const v = await synced(viewer);
    request(v, viewer, reed);
    const { id } = await v.next('dataResponse');
    await stage.community.removed('reed-removal', reed);
    await settled(v);
    v.send('dataAck', {}, id);
    await settled(v);
    await pass(15 * SECOND, v);
    v.send('dataAck', {}, (await v.next('reedRemoved')).id);
    await settled(v);
    expect(await holders(reed)).toEqual([]);
  });
});

describe('watching', () => {
  test('what is unknown, not published, removed, of a member who is gone or blocks since tells nothing, whatever becomes of it', async () => {
    const [author, gone, watcher, blocker] = (await stage.accounts(4)) as [LightAccount, LightAccount, LightAccount, LightAccount];
    const [removed, hidden, blocked] = [await stage.reed(author), await stage.reed(gone), await stage.reed(blocker)];
    await stage.community.removed('reed-removal', removed);
    await rows(`insert into account_removals (user_id, statement, due_at) values ($1, '{}', now() + interval '1 day')`, gone.userId);
    const secret = [await stage.community.registered(author.userId), removed, hidden, `${author.userId}/${uuid()}` as ReedId];
    const w = await synced(watcher);
    for (const reedId of secret) w.send('subscribeReed', { reedId });
    for (const { userId } of [gone, author]) w.send('subscribeProfile', { userId });
    w.send('subscribeReed', { reedId: blocked });
    await w.next('reedStats');
    // As a block whose look for what is watched came before the watching was committed.
    await stage.community.blocks(blocker.userId, watcher.userId);
    await pass(2 * SECOND, w);
    await rows(
      'insert into reed_stats (reed_id, likes, holders) select unnest($1::text[]), 7, 7 on conflict (reed_id) do update set likes = 7',
      [...secret, blocked],
    );
    await pass(2 * SECOND, w);
    expect(types(w)).toEqual([]);
    await rows('delete from reed_stats where reed_id = any($1)', secret);
  });

  test('the community stream, leaving it and watching it again serves nobody before those who wait longer, and costs', async () => {
    const [author, ...listeners] = await stage.accounts(4);
    const sockets = (await Promise.all([author, ...listeners].map((each) => synced(each as LightAccount)))) as [
      RawSocket,
      RawSocket,
      RawSocket,
      RawSocket,
    ];
    const [a, patient, other, hasty] = sockets;
    const again = (): void => {
      hasty.send('unsubscribeBroadcast');
      hasty.send('subscribeBroadcast');
    };
    for (const socket of sockets.slice(1)) socket.send('subscribeBroadcast');
    await settled(...sockets);
    const waits = `update broadcast_subscriptions set served_at = now() - interval '1 minute' * (4 - array_position($1::text[], viewer))`;
    await rows(
      waits,
      [listeners[2], listeners[0], listeners[1]].map((each) => each?.userId),
    );
    again();
    await settled(hasty);
    const reedId = await stage.community.registered((author as LightAccount).userId);
    a.send('publishReady', { reedId });
    const { id } = await a.next('relayRequest');
    a.send('relayResponse', { ciphertext: 'new', attempt: 1 }, id);
    await patient.next('broadcastReed');
    await settled(...sockets);
    expect([a, other, hasty].flatMap((socket) => of(socket, 'relayRequest').concat(of(socket, 'broadcastReed')))).toEqual([]);
    for (let nth = 0; nth < 310; nth += 1) {
      again();
      if (nth % 50 === 0) await settled(hasty);
    }
    await hasty.next('error', (found) => countOf(found, 'code') === ERROR.rateLimited);
  });

  test('ten thousand things is refused beyond fifty and ends the connection, which leaves nothing behind', async () => {
    const account = await stage.account();
    const w = await stage.signIn(account);
    for (let nth = 0; nth < 80; nth += 1) w.send('subscribePipe', { tag: `t${nth}` });
    for (let nth = 0; nth < 10; nth += 1) w.send('subscribeReed', { reedId: `${account.userId}/${uuid()}` });
    w.send('subscribeBroadcast');
    await settled(w);
    expect(of(w, 'error').map((found) => countOf(found, 'code'))).toEqual(Array(41).fill(ERROR.tooManyOpen));
    expect(await rows('select from pipe_subscriptions where viewer = $1', account.userId)).toHaveLength(50);
    for (let nth = 0; nth < 10_000; nth += 1) w.send('subscribePipe', { tag: `u${nth}` });
    expect((await w.closed).code).toBe(CLOSE.rateLimited);
    while ((await rows('select from online_users where user_id = $1', account.userId)).length > 0);
    await stage.server.settle();
    for (const table of ['reed', 'pipe', 'profile', 'broadcast'])
      expect(await rows(`select from ${table}_subscriptions where viewer = $1`, account.userId), table).toEqual([]);
  });
});

describe('asking', () => {
  test('to be caught up without an end is refused, then ends the connection, and leaves one place a stage', async () => {
    const account = await stage.account();
    const s = await stage.signIn(account);
    for (let nth = 0; nth < 300; nth += 1) s.send('syncRequest', { requestId: stage.requestId(account) });
    expect((await s.closed).code).toBe(CLOSE.rateLimited);
    expect(of(s, 'error').length).toBeGreaterThan(100);
    await stage.server.settle();
    expect(await rows('select from catchup_positions where user_id = $1', account.userId)).toEqual([]);
  });

  test('for pages that are none, of members who are none, gone or blocked, shows nothing of them', async () => {
    const [author, gone, viewer] = (await stage.accounts(3)) as [LightAccount, LightAccount, LightAccount];
    await stage.reed(gone);
    await stage.reed(author);
    await rows(`insert into account_removals (user_id, statement, due_at) values ($1, '{}', now() + interval '1 day')`, gone.userId);
    const v = await synced(viewer);
    const nobody = `${'a'.repeat(16)}@${author.userId.split('@')[1]}`;
    for (const userId of [nobody, gone.userId]) for (const page of [1, 10_000]) v.send('profilePage', { userId, page });
    v.send('profilePage', { userId: author.userId, page: 10_000 });
    await settled(v);
    expect(of(v, 'pageAck').map((found) => [countOf(found, 'count'), countOf(found, 'hasMore')])).toEqual(Array(5).fill([0, 0]));
    v.frames.length = 0;
    for (const page of [0, 10_001, 2 ** 31, 2 ** 32 - 1]) v.send('profilePage', { userId: author.userId, page });
    for (const userId of ['', 'x', `${author.userId}/${uuid()}`, `peer@${nobody.slice(17)}`]) v.send('profilePage', { userId, page: 1 });
    await settled(v);
    expect(of(v, 'error').map((found) => countOf(found, 'code'))).toEqual(Array(8).fill(ERROR.invalid));
    expect(types(v)).toHaveLength(8);
    for (let nth = 0; nth < 40; nth += 1) v.send('profilePage', { userId: nobody, page: 1 });
    await settled(v);
    expect(of(v, 'error').map((found) => countOf(found, 'code'))).toContain(ERROR.rateLimited);
  });
});

test('a key revoked by whoever found its revocation ends every socket, and nothing of it is taken after that', async () => {
  const who = await person();
  const reed = await stage.community.registered(who.userId);
  const sockets = [await synced(who), await stage.signIn(who)];
  const { status } = await who.raw.state(`keys/${at(who.raw.key)}/revocation`, 'key-revocation', { reason: 'found' });
  expect(status).toBe(200);
  for (const socket of sockets) {
    socket.send('publishReady', { reedId: reed });
    socket.send('subscribePipe', { tag: 'reeds' });
    expect((await socket.closed).code).toBe(CLOSE.signedOut);
  }
  await stage.server.settle();
  expect(await rows('select from reeds where id = $1 and published_at is not null', reed)).toEqual([]);
  expect(await rows('select from pipe_subscriptions where viewer = $1', who.userId)).toEqual([]);
  expect((await about(who, 'block', bob.userId)).status).toBe(401);
});
