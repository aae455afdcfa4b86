// What members do with each other through the SDK on a whole server: follow, like, block, take back, publish threads, say who they are; each
// written on the device first, also without a connection, and each refusal with what helps.
import { describe, expect, it } from 'vitest';
import type { Pages } from '../../src/client/lists.ts';
import { memoryKeySafe } from '../../src/client/memory-key-ring.ts';
import type { ReedId } from '../../src/wire/address.ts';
import { LightCommunity } from '../support/light-member.ts';
import { openTestMember } from '../support/members.ts';
import { type Actor, SdkStage } from '../support/sdk-stage.ts';

const stage = SdkStage.forEachTest();

async function all<T>(pages: Pages<T>): Promise<T[]> {
  const items: T[] = [];
  for await (const page of pages) items.push(...page);
  return items;
}
const ids = async (pages: Pages<{ readonly reedId: ReedId }>): Promise<ReedId[]> => (await all(pages)).map(({ reedId }) => reedId);
const users = async (pages: Pages<{ readonly user: string }>): Promise<string[]> => (await all(pages)).map(({ user }) => user);
const answer = async ({ member }: Actor, draft: { text: string; replyTo?: ReedId; echoOf?: ReedId }): Promise<ReedId> => {
  const { reedId, published } = await member.publish(draft);
  await published;
  return reedId;
};
/** Does something without a connection, then comes back. */
const offline = async <T>({ member }: Actor, work: () => Promise<T>): Promise<T> => {
  await member.close();
  const done = await work();
  member.connect();
  await member.online();
  return done;
};

describe('following', () => {
  it('is listed for both sides, as long as the member shows it', async () => {
    const [ann, bob, cid] = [await stage.join(), await stage.join(), await stage.join()];
    await (await ann.member.relations.follow(bob.user)).accepted;
    expect(await ann.member.relations.follows(bob.user)).toBe(true);
    expect(await users(cid.member.lists.followers(bob.user))).toEqual([ann.user]);
    expect(await all(cid.member.lists.following(ann.user))).toEqual([{ user: bob.user, username: bob.member.account?.username }]);
    await ann.member.editProfile({ follows: 'hidden' });
    await expect(all(cid.member.lists.following(ann.user))).rejects.toMatchObject({ code: 'FORBIDDEN' });
    expect((await cid.member.profiles.read(ann.user)).counts).toEqual({ reeds: 0, following: null, followers: 0 });
    await (await ann.member.relations.unfollow(bob.user)).accepted;
    expect(await ann.member.relations.follows(bob.user)).toBe(false);
    expect(await users(cid.member.lists.followers(bob.user))).toEqual([]);
  });

  it('said without a connection waits in the outbox and is said in its order', async () => {
    const [ann, bob, cid] = [await stage.join(), await stage.join(), await stage.join()];
    const { accepted } = await offline(ann, async () => {
      await ann.member.relations.follow(bob.user);
      await ann.member.relations.follow(cid.user);
      return ann.member.relations.unfollow(bob.user);
    });
    await accepted;
    expect(await users(ann.member.lists.following(ann.user))).toEqual([cid.user]);
  });

  it('of yet another, while there is no room for what many wrote who were followed before, is caught up with all of them', async () => {
    await stage.again({ catchupBelow: 0 });
    const [ann, bob] = [await stage.join(), await stage.join()];
    const community = new LightCommunity(stage.server.database.url, stage.server.app.serverId);
    await stage.server.settle();
    await community.rows(
      `insert into catchup_positions (user_id, stage, due_at) select $1, 'author ' || n, 'infinity' from generate_series(1, 32) as n`,
      [ann.user],
    );
    await community.rows(`update catchup_positions set id = 'far on' where stage = 'follows'`);
    await (await ann.member.relations.follow(bob.user)).accepted;
    await stage.server.settle();
    expect(await community.rows('select from catchup_positions where stage = $1', [`author ${bob.user}`])).toEqual([]);
    expect(await community.rows(`select id from catchup_positions where stage = 'follows' and user_id = $1`, [ann.user])).toEqual([
      { id: null },
    ]);
  });

  it('of oneself is refused before anything is written', async () => {
    const ann = await stage.join();
    await expect(ann.member.relations.follow(ann.user)).rejects.toMatchObject({
      code: 'INVALID',
      detail: expect.stringContaining('somebody else'),
    });
    expect(await ann.store.list('outbox')).toEqual([]);
  });
});

describe('a block', () => {
  it('ends the follow of the blocked; what they try then is refused, undone on their device and explained (F23)', async () => {
    const [ann, bob] = [await stage.join(), await stage.join()];
    const [reed] = (await stage.publish(ann)) as [ReedId];
    await (await bob.member.relations.follow(ann.user)).accepted;
    await (await ann.member.relations.block(bob.user)).accepted;
    expect(await users(ann.member.lists.blocks())).toEqual([bob.user]);
    expect(await users(ann.member.lists.followers(ann.user))).toEqual([]);
    const like = await bob.member.relations.like(reed);
    await expect(like.accepted).rejects.toMatchObject({ code: 'BLOCKED', detail: expect.stringMatching(/block.*can end it/) });
    expect(await bob.member.relations.likes(reed)).toBe(false);
    await expect(ids(bob.member.lists.replies(reed))).rejects.toMatchObject({ code: 'BLOCKED', certificate: expect.anything() });
    await expect(bob.member.profiles.read(ann.user)).rejects.toMatchObject({ code: 'BLOCKED' });
    await (await ann.member.relations.unblock(bob.user)).accepted;
    await (await bob.member.relations.like(reed)).accepted;
    expect(await all(bob.member.lists.likes())).toEqual([reed]);
  });

  it('that comes between registering an answer and announcing it ends its publication', async () => {
    const [ann, bob] = [await stage.join(), await stage.join()];
    const [reed] = (await stage.publish(ann)) as [ReedId];
    bob.line.fate = (frame, way) => (way === 'out' && frame.type === 'publishReady' ? 'hold' : 'pass');
    const { published } = await bob.member.publish({ text: 'an answer', replyTo: reed });
    await bob.line.seen('out', 'publishReady');
    await (await ann.member.relations.block(bob.user)).accepted;
    bob.line.release();
    await expect(published).rejects.toMatchObject({ code: 'BLOCKED', detail: expect.stringContaining('blocks you') });
    expect(await ids(ann.member.lists.replies(reed))).toEqual([]);
    expect(await bob.member.outbox()).toMatchObject([{ refused: { code: 'BLOCKED' } }]);
  });
});

describe('replies and echoes', () => {
  it('are listed one level at a time with certificates that hold', async () => {
    const [ann, bob] = [await stage.join(), await stage.join()];
    const [root] = (await stage.publish(ann)) as [ReedId];
    const reply = await answer(bob, { text: 'yes', replyTo: root });
    const deeper = await answer(ann, { text: 'indeed', replyTo: reply });
    const echo = await answer(bob, { text: '', echoOf: root });
    expect(await ids(ann.member.lists.replies(root))).toEqual([reply]);
    const [below] = await all(bob.member.lists.replies(reply));
    expect(below?.certificate.statement).toMatchObject({ id: deeper, root, replyTo: reply });
    expect(await ids(ann.member.lists.echoes(root))).toEqual([echo]);
    expect(await ids(bob.member.lists.ownReeds(bob.user))).toEqual([echo, reply]);
  });

  it('of what is on no device and can not be asked for say what to do', async () => {
    const [ann, bob] = [await stage.join(), await stage.join()];
    const [root] = (await stage.publish(ann)) as [ReedId];
    const missing = root.replace(/.$/, (last) => (last === '0' ? '1' : '0')) as ReedId;
    await expect(bob.member.publish({ text: 'x', replyTo: missing })).rejects.toMatchObject({
      code: 'NOT_FOUND',
      detail: expect.stringContaining('check the id'),
    });
  });
});

describe('taking back', () => {
  it('a reed leaves a tombstone here at once, and everywhere else when it is said; nothing answers it any more (F17, F31)', async () => {
    const [ann, bob] = [await stage.join(), await stage.join()];
    const [reed] = (await stage.publish(ann)) as [ReedId];
    await stage.keep(bob, reed);
    const told = bob.line.seen('in', 'reedRemoved');
    const removal = await offline(ann, async () => {
      const act = await ann.member.relations.removeReed(reed);
      expect(await ann.member.copy(reed)).toBe(null);
      expect(await ann.store.get('tombstones', reed)).toMatchObject({ kind: 'reed' });
      return act;
    });
    const certificate = await removal.accepted;
    expect(await ann.store.get('tombstones', reed)).toMatchObject({ certificate });
    await told;
    await stage.server.settle();
    await bob.member.idle();
    expect(await bob.member.copy(reed)).toBe(null);
    expect(await stage.allocations(reed)).toEqual([]);
    await expect(ids(bob.member.lists.replies(reed))).rejects.toMatchObject({ code: 'REMOVED', certificate });
    await expect(ann.member.publish({ text: 'x', echoOf: reed })).rejects.toMatchObject({
      code: 'REMOVED',
      detail: expect.stringContaining('leave the reference'),
    });
    expect(await ids(ann.member.lists.ownReeds(ann.user))).toEqual([]);
  });

  it('again, from a device that did not know, is no failure', async () => {
    const ann = await stage.join();
    const [reed] = (await stage.publish(ann)) as [ReedId];
    const first = await (await ann.member.relations.removeReed(reed)).accepted;
    const again = await (await ann.member.relations.removeReed(reed)).accepted;
    expect(again).toEqual(first);
  });

  it('what is not one’s own, or a part of a thread, is refused with what to take back instead', async () => {
    const [ann, bob] = [await stage.join(), await stage.join()];
    const [reed] = (await stage.publish(ann)) as [ReedId];
    await expect(bob.member.relations.removeReed(reed)).rejects.toMatchObject({
      code: 'INVALID',
      detail: expect.stringContaining('author'),
    });
    const { reedId: head, published } = await ann.member.publish({ texts: ['one', 'two'] });
    await published;
    const parts = await ids(ann.member.lists.ownReeds(ann.user));
    for (const part of parts.filter((id) => id !== reed))
      await expect(ann.member.relations.removeReed(part)).rejects.toMatchObject({ detail: expect.stringContaining(head) });
  });
});

describe('a thread', () => {
  it('of 30 parts at the text limit is published whole, and taken back whole', async () => {
    const [ann, bob] = [await stage.join(), await stage.join()];
    const texts = Array.from({ length: 30 }, (_, at) => `${at} `.padEnd(5_000, 'ü'));
    const [root] = (await stage.publish(bob)) as [ReedId];
    const { reedId: head, published } = await ann.member.publish({ texts, replyTo: root });
    await published;
    expect(await ids(bob.member.lists.replies(root))).toEqual([head]);
    const own = await all(ann.member.lists.ownReeds(ann.user));
    expect(own).toHaveLength(30);
    expect(new Set(own.map(({ publishedAt }) => publishedAt)).size).toBe(1);
    expect((await all(ann.member.lists.allocations())).length).toBe(30);
    expect((await bob.member.profiles.read(ann.user)).counts.reeds).toBe(1);
    await (await ann.member.relations.removeThread(head)).accepted;
    expect(await ids(ann.member.lists.ownReeds(ann.user))).toEqual([]);
    expect(await ids(bob.member.lists.replies(root)).catch(({ code }) => code)).toEqual([]);
    expect(await ann.member.copies()).toEqual([]);
  });
});

describe('a mention', () => {
  it('is told to reach somebody or not, and why (F38)', async () => {
    const [ann, bob, cid] = [await stage.join(), await stage.join(), await stage.join()];
    await (await cid.member.relations.block(ann.user)).accepted;
    const nobody = `${'a'.repeat(16)}@${stage.server.app.serverId}`;
    const { published } = await ann.member.publish({ text: `@${bob.user} and @${cid.user} and @${nobody} #hello` });
    const { mentions } = await published;
    expect(mentions).toHaveLength(3);
    expect(mentions).toEqual(
      expect.arrayContaining([
        { user: bob.user, accepted: true },
        { user: cid.user, accepted: false, reason: 'blocked' },
        { user: nobody, accepted: false, reason: 'unknown' },
      ]),
    );
  });
});

describe('a profile', () => {
  it('says what its member last said, proved, with the reed that is pinned', async () => {
    const [ann, bob] = [await stage.join(), await stage.join()];
    const [reed] = (await stage.publish(ann)) as [ReedId];
    await ann.member.editProfile({ bio: 'Grows reeds', pinned: reed, archive: false });
    const username = `x${ann.member.account?.username}`;
    await ann.member.editProfile({ username });
    expect(await bob.member.profiles.read(ann.user)).toMatchObject({
      username,
      bio: 'Grows reeds',
      archive: false,
      follows: 'public',
      counts: { reeds: 1, following: 0, followers: 0 },
      pinned: { reedId: reed },
    });
    expect(ann.member.account?.username).toBe(username);
    expect(await all(bob.member.lists.people(username))).toEqual([{ user: ann.user, username }]);
    await ann.member.editProfile({ pinned: null });
    expect((await bob.member.profiles.read(ann.user)).pinned).toBe(null);
  });

  it('is not changed to what can not be, and says what can: a name taken, another’s reed, no connection', async () => {
    const [ann, bob] = [await stage.join(), await stage.join()];
    const [theirs] = (await stage.publish(bob)) as [ReedId];
    const edit = (changes: Parameters<typeof ann.member.editProfile>[0]) => ann.member.editProfile(changes);
    const refusal = (code: string, detail: string) => ({ code, detail: expect.stringContaining(detail) });
    await expect(edit({ username: bob.member.account?.username ?? '' })).rejects.toMatchObject(refusal('USERNAME_TAKEN', 'another name'));
    await expect(edit({ username: 'x' })).rejects.toMatchObject(refusal('INVALID', '2 to 30'));
    await expect(edit({ pinned: theirs })).rejects.toMatchObject(refusal('INVALID', 'echo it'));
    await expect(edit({ bio: 'x'.repeat(501) })).rejects.toMatchObject(refusal('INVALID', 'bio'));
    const away = await openTestMember({ url: 'http://127.0.0.1:9' }, { store: ann.store, safe: ann.safe });
    await expect(away.editProfile({ bio: 'x' })).rejects.toMatchObject(refusal('UNAVAILABLE', 'try again'));
    expect((await bob.member.profiles.read(ann.user)).bio).toBe('');
  });
});

describe('a new device', () => {
  it('learns whom its member follows and blocks and what it likes; what it wrote and is counted on to have is listed', async () => {
    const [ann, bob, cid] = [await stage.join(), await stage.join(), await stage.join()];
    const [reed] = (await stage.publish(bob)) as [ReedId];
    const [own] = (await stage.publish(ann)) as [ReedId];
    const passphrase = 'correct horse battery staple';
    // Before the follow, by which it would come of itself.
    await stage.keep(ann, reed);
    await (await ann.member.relations.follow(bob.user)).accepted;
    await (await ann.member.relations.block(cid.user)).accepted;
    await (await ann.member.relations.like(reed)).accepted;
    expect(await ids(ann.member.lists.ownReeds(ann.user))).toEqual([own]);
    expect(await all(ann.member.lists.allocations())).toEqual([own, reed].sort());
    const backup = await ann.member.backup(passphrase);
    await ann.member.close();
    const next = await openTestMember(stage.server, { safe: memoryKeySafe() });
    await next.restore({ backup, passphrase });
    next.connect();
    await next.online();
    // Of the rest some can't come: nobody else has what is ann's own.
    await next.relations.idle();
    expect(await next.relations.follows(bob.user)).toBe(true);
    expect(await next.relations.blocks(cid.user)).toBe(true);
    expect(await next.relations.likes(reed)).toBe(true);
    await next.close();
  });
});
