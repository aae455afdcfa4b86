// Pages of a profile and live counts: the same for every viewer, told before what is owed by them, and only when something changed.
import { describe, expect, it } from 'vitest';
import type { ReedId } from '../../src/wire/address.ts';
import type { FrameOf } from '../../src/wire/frames.ts';
import type { LightMember } from '../support/light-member.ts';
import { LightStage } from '../support/light-stage.ts';

const stage = LightStage.forEachTest();

const of = <T extends 'pageAck' | 'dataResponse' | 'reedStats' | 'error'>(member: LightMember, type: T): FrameOf<T>['body'][] =>
  member.frames.flatMap((frame) => (frame.type === type ? [frame.body as FrameOf<T>['body']] : []));
const ask = async (member: LightMember, userId: string, page: number): Promise<void> => {
  member.send({ id: '', type: 'profilePage', body: { userId, page } });
  await stage.quiet();
};

describe('a page of a profile', () => {
  it('names how many there are before it owes what the viewer does not hold, newest first, the next page the rest', async () => {
    await stage.again({ pageItems: 3, awakeEventsPerMember: 1 });
    const [author, viewer] = await stage.accounts(2);
    const reeds: ReedId[] = [];
    for (let count = 0; count < 5; count++) {
      const reed = await stage.community.registered(author.userId);
      await stage.community.publishNow(reed);
      reeds.unshift(reed);
    }
    await stage.community.rows(
      `insert into reed_allocations (holder_user_id, reed_id, device_id, delivered_on) values ($1, $2, 'd', current_date)`,
      [viewer.userId, reeds[1]],
    );
    await stage.join(author);
    const v = await stage.join(viewer);
    await ask(v, author.userId, 1);
    await stage.passUntil(100, () => of(v, 'dataResponse').length === 2);
    expect(of(v, 'pageAck')).toEqual([{ userId: author.userId, page: 1, count: 3, hasMore: true }]);
    expect(of(v, 'dataResponse').map(({ reedId }) => reedId)).toEqual([reeds[0], reeds[2]]);
    expect(v.frames.findIndex(({ type }) => type === 'pageAck')).toBeLessThan(v.frames.findIndex(({ type }) => type === 'dataResponse'));
    await ask(v, author.userId, 2);
    await stage.passUntil(100, () => of(v, 'dataResponse').length === 4);
    expect(of(v, 'pageAck').at(-1)).toEqual({ userId: author.userId, page: 2, count: 2, hasMore: false });
    await ask(v, author.userId, 3);
    expect(of(v, 'pageAck').at(-1)).toEqual({ userId: author.userId, page: 3, count: 0, hasMore: false });
  });

  it('of who blocks, or of no id, is refused', async () => {
    const [author, viewer] = await stage.accounts(2);
    await stage.community.blocks(author.userId, viewer.userId);
    const v = await stage.join(viewer);
    await ask(v, author.userId, 1);
    await ask(v, 'x', 1);
    await ask(v, viewer.userId, 0);
    expect(v.frames.map(({ type }) => type)).toContain('userBlocked');
    expect(of(v, 'pageAck')).toEqual([]);
    expect(of(v, 'error').map(({ code }) => code)).toEqual(['INVALID', 'INVALID']);
  });

  it('that could not be owed, as the viewer was coming or going, is said to be so', async () => {
    const [author, viewer] = await stage.accounts(2);
    await stage.community.reeds(author.userId, 1);
    const v = await stage.join(viewer);
    await stage.community.holding('select from online_users where user_id = $1 for update', [viewer.userId], () =>
      ask(v, author.userId, 1),
    );
    expect(of(v, 'pageAck')).toHaveLength(1);
    expect(of(v, 'error')).toMatchObject([{ requestId: author.userId, code: 'UNAVAILABLE', retryAfterMs: 1_000 }]);
  });

  it('gives a member back what it wrote, from others', async () => {
    const [author, holder] = await stage.accounts(2);
    const [reed] = (await stage.community.reeds(author.userId, 1, [holder.userId])) as [ReedId];
    await stage.join(holder);
    const a = await stage.join(author);
    await ask(a, author.userId, 1);
    await stage.passUntil(100, () => of(a, 'dataResponse').length === 1);
    expect(await stage.allocations(reed)).toContain(author.userId);
  });
});

describe('live counts of a reed', () => {
  const like = (reed: ReedId, ...users: string[]) =>
    stage.community.rows(
      `insert into likes (user_id, target, active, seq, statement_hash) select u.id, $1, true, 1, u.identity_hash from users u where u.id = any($2::text[])`,
      [reed, users],
    );

  it('are told on subscribing, then when they change, once for all that changed meanwhile', async () => {
    const [author, watcher, other, more] = await stage.accounts(4);
    const [reed] = (await stage.community.reeds(author.userId, 1)) as [ReedId];
    const [{ members }] = (await stage.community.rows('select count(*)::int as members from users')) as [{ members: number }];
    const w = await stage.join(watcher);
    w.send({ id: '', type: 'subscribeReed', body: { reedId: reed } });
    await stage.quiet();
    const coverage = (holders: number): number => Math.floor((100 * holders) / members);
    expect(of(w, 'reedStats')).toEqual([{ reedId: reed, echoes: 0, replies: 0, likes: 0, coveragePercent: coverage(1), holderServers: 0 }]);
    await stage.pass(2_000);
    await stage.quiet();
    expect(of(w, 'reedStats')).toHaveLength(1);
    await like(reed, other.userId);
    await like(reed, more.userId);
    await stage.community.rows(
      `insert into reed_allocations (holder_user_id, reed_id, device_id, delivered_on) values ($1, $2, 'd', current_date)`,
      [other.userId, reed],
    );
    await stage.pass(2_000);
    await stage.quiet();
    expect(of(w, 'reedStats').slice(1)).toEqual([
      { reedId: reed, echoes: 0, replies: 0, likes: 2, coveragePercent: coverage(2), holderServers: 0 },
    ]);
    w.send({ id: '', type: 'unsubscribeReed', body: { reedId: reed } });
    await stage.quiet();
    await like(reed, author.userId);
    await stage.pass(2_000);
    await stage.quiet();
    expect(of(w, 'reedStats')).toHaveLength(2);
  });

  it('are told to who watched before, if somebody begins to watch between a change and its telling', async () => {
    const [author, watcher, other] = await stage.accounts(3);
    const [reed] = (await stage.community.reeds(author.userId, 1)) as [ReedId];
    const [w, o] = [await stage.join(watcher), await stage.join(other)];
    w.send({ id: '', type: 'subscribeReed', body: { reedId: reed } });
    await stage.quiet();
    await stage.pass(2_000);
    await stage.quiet();
    await like(reed, other.userId);
    o.send({ id: '', type: 'subscribeReed', body: { reedId: reed } });
    await stage.quiet();
    await stage.pass(2_000);
    await stage.quiet();
    expect(of(o, 'reedStats')[0]?.likes).toBe(1);
    expect(of(w, 'reedStats').map(({ likes }) => likes)).toEqual([0, 1]);
  });

  it('are told of nothing that is not there, nor any more', async () => {
    const [author, watcher, other] = await stage.accounts(3);
    const unpublished = await stage.community.registered(author.userId);
    const [reed] = (await stage.community.reeds(author.userId, 1)) as [ReedId];
    const w = await stage.join(watcher);
    w.send({ id: '', type: 'subscribeReed', body: { reedId: unpublished } });
    w.send({ id: '', type: 'subscribeReed', body: { reedId: reed } });
    await stage.quiet();
    await stage.pass(2_000);
    await stage.quiet();
    await stage.community.rows('update reeds set removed_at = now() where id = $1', [reed]);
    await like(reed, other.userId);
    await stage.pass(2_000);
    await stage.quiet();
    expect(of(w, 'reedStats')).toMatchObject([{ reedId: reed, likes: 0 }]);
  });

  it('count a reply when it can be fetched, not when it is registered (F30)', async () => {
    const [author, watcher, replier] = await stage.accounts(3);
    const [reed] = (await stage.community.reeds(author.userId, 1)) as [ReedId];
    const [w, r] = [await stage.join(watcher), await stage.join(replier)];
    w.send({ id: '', type: 'subscribeReed', body: { reedId: reed } });
    await stage.quiet();
    const reply = await stage.community.registered(replier.userId, { replyTo: reed });
    await stage.pass(2_000);
    await stage.quiet();
    expect(of(w, 'reedStats').map(({ replies }) => replies)).toEqual([0]);
    r.send({ id: '', type: 'publishReady', body: { reedId: reply } });
    await r.next('publishReadyAck');
    await stage.pass(2_000);
    await stage.quiet();
    expect(of(w, 'reedStats').at(-1)?.replies).toBe(1);
  });
});
