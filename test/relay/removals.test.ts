// What an author takes back is gone: holders are told and drop it, whoever is away is told at its next sync, and no late copy passes.
import { describe, expect, it } from 'vitest';
import type { ReedId } from '../../src/wire/address.ts';
import type { LightAccount, LightMember } from '../support/light-member.ts';
import { LightStage } from '../support/light-stage.ts';

const stage = LightStage.forEachTest();

const told = (member: LightMember, type: 'reedRemoved' | 'threadRemoved' = 'reedRemoved'): { requestId: string; certificate: string }[] =>
  member.frames.flatMap((frame) =>
    frame.type === type ? [{ requestId: frame.body.requestId, certificate: new TextDecoder().decode(frame.body.certificate) }] : [],
  );
const synced = async (account: LightAccount): Promise<LightMember> => {
  const member = await stage.join(account);
  member.sync();
  await stage.quiet();
  return member;
};
const hold = (reeds: readonly ReedId[], ...holders: readonly LightAccount[]): Promise<unknown> =>
  stage.community.rows(
    `insert into reed_allocations (holder_user_id, reed_id, device_id, delivered_on)
      select h, r, 'd', current_date from unnest($1::text[]) as h, unnest($2::text[]) as r`,
    [holders.map(({ userId }) => userId), reeds],
  );

describe('the removal of a reed', () => {
  it('tells every holder online at once, whoever watches it, and nobody else; who acknowledges holds it no more (F17)', async () => {
    const [author, holder, watcher, stranger] = await stage.accounts(4);
    const [reed] = (await stage.community.reeds(author.userId, 1)) as [ReedId];
    await hold([reed], holder);
    const [h, w, s] = [await synced(holder), await synced(watcher), await synced(stranger)];
    w.send({ id: '', type: 'subscribeReed', body: { reedId: reed } });
    await stage.quiet();
    await stage.community.removed('reed-removal', reed);
    await stage.quiet();
    expect(told(h)).toEqual([{ requestId: '', certificate: expect.stringContaining(reed) }]);
    expect(told(w)).toHaveLength(1);
    expect(told(s)).toEqual([]);
    expect(await stage.allocations(reed)).toEqual([]);
    await stage.pass(15_000);
    await stage.quiet();
    expect(told(h)).toHaveLength(1);
    expect(await stage.community.rows('select kind from pending_fanout')).toEqual([]);
  });

  it('is told though something else that is to be told fails every time', async () => {
    const [author, holder] = await stage.accounts(2);
    const [reed, broken] = (await stage.community.reeds(author.userId, 2)) as [ReedId, ReedId];
    await hold([reed], holder);
    const h = await synced(holder);
    await stage.community.rows('alter table reed_mentions rename column accepted to broken');
    await stage.community.rows(`insert into pending_fanout (kind, subject_id, due_at) values ('publication', $1, '-infinity')`, [broken]);
    await stage.community.removed('reed-removal', reed);
    await stage.quiet();
    await stage.community.rows('alter table reed_mentions rename column broken to accepted');
    expect(told(h)).toHaveLength(1);
    await stage.pass(31_000);
    expect(await stage.community.rows('select kind from pending_fanout')).toEqual([]);
  });

  it('reaches who was away at the next sync (F16)', async () => {
    const [author, holder] = await stage.accounts(2);
    const [reed, other] = (await stage.community.reeds(author.userId, 2)) as [ReedId, ReedId];
    await hold([reed, other], holder);
    await stage.community.removed('reed-removal', reed);
    // Else it may be told by both while it comes.
    await stage.quiet();
    const h = await synced(holder);
    expect(told(h)).toHaveLength(1);
    expect(await stage.allocations(reed)).toEqual([]);
    expect(await stage.allocations(other)).toContain(holder.userId);
  });

  it('is told three times to who does not answer, then at the next sync', async () => {
    await stage.again({ syncIntervalMs: 0 });
    const [author, holder] = await stage.accounts(2);
    const [reed] = (await stage.community.reeds(author.userId, 1)) as [ReedId];
    await hold([reed], holder);
    await stage.community.removed('reed-removal', reed);
    const h = await stage.join(holder, { acknowledge: 'nothing' });
    h.sync();
    await stage.quiet();
    await stage.passUntil(31_000, async () => (await stage.community.rows('select event_id from pending_events')).length === 0);
    expect(told(h)).toHaveLength(3);
    h.behaviour.acknowledge = 'ack';
    h.sync();
    await stage.quiet();
    expect(told(h)).toHaveLength(4);
    expect(await stage.allocations(reed)).toEqual([]);
  });

  it('ends what waits for the reed, telling who asked, and lets no late copy pass', async () => {
    const [author, holder, asking, following] = await stage.accounts(4);
    const [reed] = (await stage.community.reeds(author.userId, 1)) as [ReedId];
    await hold([reed], holder);
    const h = await stage.join(holder, { answer: 'nothing' });
    const [a, f] = [await synced(asking), await synced(following)];
    const requestId = a.request(reed);
    await stage.quiet();
    const asked = [...h.asked];
    expect(asked).toHaveLength(1);
    await stage.community.removed('reed-removal', reed);
    f.request(reed);
    await stage.quiet();
    expect(told(f).map((each) => each.requestId)).not.toEqual(['']);
    for (const [id, attempt] of asked) h.answer(id, attempt);
    await stage.quiet();
    expect(told(a).map((each) => each.requestId)).toEqual([requestId]);
    expect(a.frames.filter(({ type }) => type === 'dataResponse')).toEqual([]);
    expect(await stage.allocations(reed)).toEqual([]);
  });

  it('reaches a copy whose acknowledgement came between its look and its commit', async () => {
    const [author, holder] = await stage.accounts(2);
    const [reed] = (await stage.community.reeds(author.userId, 1)) as [ReedId];
    const h = await synced(holder);
    await stage.community.removed('reed-removal', reed);
    await stage.quiet();
    // As an acknowledgement would whose statement began before the removal was committed.
    await hold([reed], holder);
    await stage.pass(15_000);
    await stage.quiet();
    expect(told(h)).toHaveLength(1);
    expect(await stage.allocations(reed)).toEqual([]);
  });
});

describe('the removal of a thread', () => {
  it('tells holders of any of its parts once, and takes all parts', async () => {
    const [author, holder, away] = await stage.accounts(3);
    const parts = await stage.community.reeds(author.userId, 3);
    await stage.community.thread(parts);
    await hold(parts.slice(1), holder, away);
    const h = await synced(holder);
    await stage.community.removed('thread-removal', parts[0] as ReedId);
    await stage.quiet();
    expect(told(h, 'threadRemoved')).toHaveLength(1);
    const a = await synced(away);
    expect(told(a, 'threadRemoved')).toHaveLength(1);
    for (const part of parts) expect(await stage.allocations(part)).toEqual([]);
  });
});
