// What a block sets off after its commit, on a whole server: watching ends, last copies are gone, and what was taken back ends nothing.
import { describe, expect, it } from 'vitest';
import { DEFAULT_LIMITS } from '../../src/base/limits.ts';
import type { ReedId } from '../../src/wire/address.ts';
import type { LightAccount, LightMember } from '../support/light-member.ts';
import { LightStage } from '../support/light-stage.ts';

const stage = LightStage.forEachTest();

/** The debt of a block that is committed; from another process, so that a sweep takes it up. */
const owe = async (author: LightAccount, viewer: LightAccount): Promise<void> => {
  await stage.community.rows(`insert into pending_fanout (kind, subject_id, due_at) values ('block', $1, '-infinity')`, [
    `${author.userId} ${viewer.userId}`,
  ]);
  await stage.quiet();
};
const hold = (reed: ReedId, holder: LightAccount): Promise<unknown> =>
  stage.community.rows(
    `insert into reed_allocations (holder_user_id, reed_id, device_id, delivered_on) values ($1, $2, 'd', current_date) on conflict do nothing`,
    [holder.userId, reed],
  );
const like = (reed: ReedId, by: LightAccount): Promise<unknown> =>
  stage.community.rows(
    `insert into likes (user_id, target, active, seq, statement_hash) select u.id, $1, true, 1, u.identity_hash from users u where u.id = $2`,
    [reed, by.userId],
  );
const likesTold = (member: LightMember): number[] =>
  member.frames.flatMap((frame) => (frame.type === 'reedStats' ? [frame.body.likes] : []));

describe('a block', () => {
  it('ends what the blocked member watches of the other one, and nothing else', async () => {
    const [author, viewer, other] = await stage.accounts(3);
    const [reed] = (await stage.community.reeds(author.userId, 1)) as [ReedId];
    const [kept] = (await stage.community.reeds(other.userId, 1)) as [ReedId];
    const [v, o] = [await stage.join(viewer), await stage.join(other)];
    for (const reedId of [reed, kept]) v.send({ id: '', type: 'subscribeReed', body: { reedId } });
    v.send({ id: '', type: 'subscribeProfile', body: { userId: author.userId } });
    o.send({ id: '', type: 'subscribeReed', body: { reedId: reed } });
    await stage.quiet();
    await stage.community.blocks(author.userId, viewer.userId);
    await owe(author, viewer);
    await like(reed, other);
    await stage.pass(2_000);
    await stage.quiet();
    expect(likesTold(v)).toEqual([0, 0]);
    expect(likesTold(o)).toEqual([0, 1]);
    expect(await stage.community.rows('select target from reed_subscriptions where viewer = $1', [viewer.userId])).toEqual([
      { target: kept },
    ]);
    expect(await stage.community.rows('select target from profile_subscriptions')).toEqual([]);
  });

  it('of who had the last copy answers who waits for it', async () => {
    const [author, viewer, other] = await stage.accounts(3);
    const [reed] = (await stage.community.reeds(author.userId, 1, [viewer.userId])) as [ReedId];
    const o = await stage.join(other);
    o.request(reed);
    await stage.quiet();
    await stage.community.rows('delete from reed_allocations where reed_id = $1 and holder_user_id <> $2', [reed, viewer.userId]);
    await stage.community.blocks(author.userId, viewer.userId);
    await owe(author, viewer);
    expect(await stage.allocations(reed)).toEqual([]);
    expect(o.frames.filter(({ type }) => type === 'reedNotHeld')).toHaveLength(1);
  });

  it('that was taken back ends nothing any more', async () => {
    const [author, viewer] = await stage.accounts(2);
    const [reed] = (await stage.community.reeds(author.userId, 1)) as [ReedId];
    await stage.community.blocks(author.userId, viewer.userId);
    await owe(author, viewer);
    await stage.community.rows('update blocks set active = false');
    await hold(reed, viewer);
    await stage.pass(15_000);
    await stage.quiet();
    expect(await stage.community.rows('select kind from pending_fanout')).toEqual([]);
    expect(await stage.allocations(reed)).toContain(viewer.userId);
  });

  it('is told by pages, however many there are: the next one when those before are acknowledged', async () => {
    const { pageItems: page } = DEFAULT_LIMITS;
    const [viewer, ...authors] = await stage.accounts(2 * page + 1);
    await stage.community.rows(
      `insert into owed_notices (user_id, about_user_id, kind, statement_hash, countersignature_hash)
        select $1, id, 'block', identity_hash, 'hash' from users where id = any($2::text[])`,
      [viewer.userId, authors.map(({ userId }) => userId)],
    );
    const v = await stage.join(viewer);
    const told = () => v.frames.filter(({ type }) => type === 'userBlocked').length;
    v.sync();
    await stage.quiet();
    expect(told()).toBe(page);
    const sorted = authors.map(({ userId }) => userId).sort();
    for (const userId of sorted.slice(0, page)) v.send({ id: '', type: 'userBlockedAck', body: { userId, countersignatureHash: 'hash' } });
    await stage.quiet();
    expect(told()).toBe(2 * page);
  });

  it('is told to who acknowledges nothing, too: the next page after a while, each once', async () => {
    const { acknowledgeMs, pageItems: page } = DEFAULT_LIMITS;
    const [viewer, ...authors] = await stage.accounts(page + 2);
    await stage.community.rows(
      `insert into owed_notices (user_id, about_user_id, kind, statement_hash, countersignature_hash)
        select $1, id, 'block', identity_hash, 'hash' from users where id = any($2::text[])`,
      [viewer.userId, authors.map(({ userId }) => userId)],
    );
    const v = await stage.join(viewer);
    const told = () => v.frames.filter(({ type }) => type === 'userBlocked').length;
    v.sync();
    await stage.quiet();
    expect(told()).toBe(page);
    for (let passes = 0; passes < 3; passes++) await stage.pass(acknowledgeMs);
    expect(told()).toBe(page + 1);
  });

  it('is acknowledged by a hash and by nothing else: what the database could not even read is invalid', async () => {
    const [viewer, author] = await stage.accounts(2);
    const v = await stage.join(viewer);
    for (const countersignatureHash of ['a\0', '=', 'ä']) {
      v.send({ id: '', type: 'userBlockedAck', body: { userId: author.userId, countersignatureHash } });
      v.send({ id: '', type: 'userUnblockedAck', body: { userId: author.userId, countersignatureHash } });
    }
    await stage.quiet();
    const codes = v.frames.flatMap((frame) => (frame.type === 'error' ? [frame.body.code] : []));
    expect(codes).toEqual(Array.from({ length: 6 }, () => 'INVALID'));
  });
});
