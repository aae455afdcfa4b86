// What becomes of copies that came to a member: duplicates, lost connections, false ones, what is taken back, threads, blocks; and what a
// member watches: counts and pages.
import { describe, expect, it } from 'vitest';
import type { ReedId } from '../../src/wire/address.ts';
import { holdAnswers } from '../support/altered-parts.ts';
import { isA, nextEvent } from '../support/members.ts';
import { eventsOf, follow, messages, state, texts, waitsOn, write } from '../support/receiving.ts';
import { type Actor, SdkStage } from '../support/sdk-stage.ts';

const stage = SdkStage.forEachTest({ syncIntervalMs: 0 });
const { quiet, synced } = waitsOn(stage);

describe('a copy that', () => {
  it('comes twice is stored once and acknowledged both times (F18)', async () => {
    const [ann, bob] = [await stage.join(), await stage.join()];
    await follow(bob, ann);
    await synced(ann, bob);
    const events = eventsOf(bob);
    // The first acknowledgement is lost, so the server drives the event again.
    let lost = false;
    bob.line.fate = (frame, way) => {
      if (way !== 'out' || frame.type !== 'dataAck' || lost) return 'pass';
      lost = true;
      return 'drop';
    };
    const reed = await write(ann, { text: 'again' });
    await bob.line.seen('out', 'dataAck');
    await stage.expire(3);
    await quiet(bob);
    expect(messages(bob, reed)).toEqual(['followReed', 'followReed']);
    expect(bob.line.frames('out', 'dataAck')).toHaveLength(2);
    expect(events.filter(({ type }) => type === 'arrived')).toHaveLength(1);
    expect(await state(bob, reed)).toBe('held');
  });

  it('was on its way when the connection was lost comes by the next sync', async () => {
    const [ann, bob] = [await stage.join(), await stage.join()];
    await follow(bob, ann);
    await synced(ann, bob);
    ann.line.fate = holdAnswers;
    const { reedId: reed, published } = await ann.member.publish({ text: 'in between' });
    await published;
    await ann.line.seen('out', 'relayResponse');
    await stage.vanish(bob);
    await stage.server.settle();
    ann.line.release();
    const again = await stage.join(bob);
    await again.line.seen('in', 'followReed', ({ body }) => body.reedId === reed);
    await quiet(again);
    expect(await state(again, reed)).toBe('held');
  });

  it('was stored and not settled is confirmed after the reconnect', async () => {
    const [ann, bob] = [await stage.join(), await stage.join()];
    await follow(bob, ann);
    await synced(ann, bob);
    bob.line.fate = (frame, way) => (way === 'out' && frame.type === 'dataAck' ? 'drop' : 'pass');
    const reed = await write(ann, { text: 'unsettled' });
    await bob.line.seen('out', 'dataAck');
    expect(await state(bob, reed)).toBe('unconfirmed');
    await stage.vanish(bob);
    const again = await stage.join(bob);
    await again.line.seen('in', 'settled');
    await quiet(again);
    expect(await state(again, reed)).toBe('held');
    expect(await stage.allocations(reed)).toEqual([ann.user, bob.user].sort());
  });

  it('is false by its holder is asked for again, from another', async () => {
    const [ann, bob, cid] = [await stage.join(), await stage.join(), await stage.join()];
    await follow(cid, ann);
    await stage.vanish(cid);
    const reed = await write(ann, { text: 'the true one' });
    await stage.keep(bob, reed);
    await stage.vanish(ann);
    bob.store.copyRead = (copy) => ({ ...copy, body: { ...copy.body, text: 'another' } });
    const again = await stage.join(cid);
    expect((await again.line.seen('out', 'dataInvalid')).body.reason).toBe('BAD_SIGNATURE');
    await again.line.seen('out', 'requestReed', ({ body }) => body.reedId === reed);
    await stage.join(ann);
    await again.line.seen('in', 'settled', ({ body }) => body.events.some(({ outcome }) => outcome === 'HELD'));
    await quiet(again);
    expect(await state(again, reed)).toBe('held');
    expect(await texts(again, { kind: 'home' })).toEqual(['the true one']);
  });
});

describe('what was taken back', () => {
  it('is deleted by every holder who is online, first of all, and refused to whoever asks (F17, F31)', async () => {
    const [ann, bob, cid] = [await stage.join(), await stage.join(), await stage.join()];
    await follow(bob, ann);
    await synced(ann, bob, cid);
    const reed = await write(ann, { text: 'oops' });
    await quiet(bob);
    await stage.keep(cid, reed);
    const events = eventsOf(cid);
    await (await ann.member.relations.removeReed(reed)).accepted;
    await quiet(bob, cid);
    for (const member of [bob, cid]) {
      expect(await state(member, reed)).toBe(null);
      expect(await member.member.receiving.tombstone(reed)).toMatchObject({ kind: 'reed', certificate: { statement: { id: reed } } });
    }
    expect(events).toContainEqual({ type: 'tombstone', id: reed, kind: 'reed' });
    expect(await texts(bob, { kind: 'home' })).toEqual([]);
    expect(await stage.allocations(reed)).toEqual([]);
    await expect(cid.member.request(reed)).rejects.toMatchObject({ outcome: 'removed', certificate: { statement: { id: reed } } });
    const dee = await stage.join();
    await expect(dee.member.request(reed)).rejects.toMatchObject({ outcome: 'removed' });
    expect(await dee.member.receiving.tombstone(reed)).toMatchObject({ kind: 'reed' });
  });

  it.each([
    ['a list of what answers it', async ({ member }, { reed }) => void (await member.lists.replies(reed).next())],
    ['a like', async ({ member }, { reed }) => void (await (await member.relations.like(reed)).accepted)],
    ['an answer to it', async (member, { reed }) => void (await write(member, { text: 'too late', replyTo: reed }))],
  ] satisfies [string, (who: Actor, about: { reed: ReedId }) => Promise<void>][])(
    'is known from then on to who hears of it by %s',
    async (_by, ask) => {
      const [ann, bob] = [await stage.join(), await stage.join()];
      const reed = await write(ann, { text: 'oops' });
      await (await ann.member.relations.removeReed(reed)).accepted;
      await expect(ask(bob, { reed })).rejects.toMatchObject({ code: 'REMOVED' });
      expect(await bob.member.receiving.tombstone(reed)).toMatchObject({ kind: 'reed', certificate: { statement: { id: reed } } });
      expect(bob.line.frames('in', 'reedRemoved')).toEqual([]);
    },
  );

  it('is deleted at the next sync by who was away (F16)', async () => {
    const [ann, bob] = [await stage.join(), await stage.join()];
    await follow(bob, ann);
    await synced(ann, bob);
    const reed = await write(ann, { text: 'oops' });
    await quiet(bob);
    await stage.vanish(bob);
    await (await ann.member.relations.removeReed(reed)).accepted;
    const again = await stage.join(bob);
    await again.line.seen('in', 'reedRemoved');
    await quiet(again);
    expect(await again.member.receiving.tombstone(reed)).toMatchObject({ kind: 'reed' });
    expect(await state(again, reed)).toBe(null);
    expect(await stage.allocations(reed)).toEqual([]);
  });

  it('while its copy is on the way is not stored', async () => {
    const [ann, bob, cid] = [await stage.join(), await stage.join(), await stage.join()];
    await follow(bob, ann);
    await synced(ann, bob, cid);
    const root = await write(ann, { text: 'root' });
    await quiet(bob);
    // Its copy arrives after the removal, as if the server had not ended its event.
    cid.line.fate = (frame, way) => (way === 'in' && frame.type === 'dataResponse' ? 'hold' : 'pass');
    const asked = stage.ask(cid, root);
    await cid.line.seen('in', 'dataResponse');
    const [copy] = cid.line.frames('in', 'dataResponse');
    await (await ann.member.relations.removeReed(root)).accepted;
    await bob.line.seen('out', 'dataAck', ({ id }) => bob.line.frames('in', 'reedRemoved').some((removed) => removed.id === id));
    await cid.member.receiving.tombstones.learn((await bob.member.receiving.tombstone(root))?.certificate);
    cid.line.release();
    expect((await asked.failure()).outcome).toBe('removed');
    await quiet(cid);
    expect(copy).toBeDefined();
    expect(await state(cid, root)).toBe(null);
    expect(cid.line.frames('out', 'dataAck')).toEqual([]);
  });
});

describe('a thread', () => {
  it('comes whole, is kept by every part, served on, and taken back whole', async () => {
    const [ann, bob, cid] = [await stage.join(), await stage.join(), await stage.join()];
    await follow(bob, ann);
    await synced(ann, bob, cid);
    const { reedId: head, published } = await ann.member.publish({ texts: ['one', 'two', 'three'] });
    await published;
    await quiet(bob);
    expect(await texts(bob, { kind: 'home' })).toEqual(['one']);
    expect(await texts(bob, { kind: 'thread', reedId: head })).toEqual(['one', 'two', 'three']);
    await stage.vanish(ann);
    await cid.member.request(head, { thread: true });
    expect(await texts(cid, { kind: 'thread', reedId: head })).toEqual(['one', 'two', 'three']);
    await quiet(cid);
    const again = await stage.join(ann);
    await (await again.member.relations.removeThread(head)).accepted;
    await quiet(bob, cid);
    for (const member of [bob, cid]) expect(await texts(member, { kind: 'thread', reedId: head })).toEqual([]);
    expect(await stage.allocations(head)).toEqual([]);
  });
});

describe('a block', () => {
  it('is told at once or at the next sync, ends the follow and every copy of the blocker, and is acknowledged; an unblock is told, too (F23)', async () => {
    const [ann, bob] = [await stage.join(), await stage.join()];
    await follow(bob, ann);
    await synced(ann, bob);
    const reed = await write(ann, { text: 'not for bob' });
    await quiet(bob);
    const blocked = nextEvent(bob.member, isA('blocker'));
    await (await ann.member.relations.block(bob.user)).accepted;
    expect(await blocked).toEqual({ type: 'blocker', user: ann.user, active: true });
    expect(await state(bob, reed)).toBe(null);
    expect(await bob.member.relations.follows(ann.user)).toBe(false);
    await bob.line.seen('out', 'userBlockedAck');
    await quiet(bob);
    expect(await stage.rows('select 1 from owed_notices')).toEqual([]);
    await stage.vanish(bob);
    await (await ann.member.relations.unblock(bob.user)).accepted;
    const again = await stage.join(bob);
    await again.line.seen('out', 'userUnblockedAck');
    await quiet(again);
    expect(await stage.rows('select 1 from owed_notices')).toEqual([]);
    expect(await again.store.get('blockers', ann.user)).toMatchObject({ active: false });
  });
});

describe('counts of a reed', () => {
  it('come live, after what they count can be fetched (F30), and again after a reconnect', async () => {
    const [ann, bob] = [await stage.join(), await stage.join()];
    await synced(ann, bob);
    const root = await write(ann, { text: 'root' });
    const counted = nextEvent(
      bob.member,
      isA('stats', ({ replies }) => replies === 1),
    );
    bob.member.receiving.watch({ kind: 'reed', reedId: root });
    await bob.line.seen('in', 'reedStats');
    ann.line.fate = (frame, way) => (way === 'out' && frame.type === 'publishReady' ? 'hold' : 'pass');
    const { reedId: reply, published } = await ann.member.publish({ text: 'reply', replyTo: root });
    await ann.line.seen('out', 'publishReady');
    await stage.server.settle();
    expect(bob.line.frames('in', 'reedStats').map(({ body }) => body.replies)).toEqual([0]);
    ann.line.release();
    await published;
    expect(await counted).toMatchObject({ reedId: root, replies: 1 });
    await bob.member.request(reply);
    await stage.vanish(bob);
    const again = await stage.join(bob);
    again.member.receiving.watch({ kind: 'reed', reedId: root });
    expect((await again.line.seen('in', 'reedStats')).body).toMatchObject({ reedId: root, replies: 1 });
  });
});

describe('a page of a profile', () => {
  it('says how much there is, and what of it is not here arrives', async () => {
    const [ann, bob] = [await stage.join(), await stage.join()];
    const reeds = await stage.publish(ann, 3);
    await synced(bob);
    expect(await bob.member.receiving.profilePage(ann.user, 1)).toEqual({ count: 3, hasMore: false });
    await quiet(bob);
    for (const reed of reeds) expect(await state(bob, reed)).toBe('held');
    expect(await bob.member.receiving.profilePage(ann.user, 2)).toEqual({ count: 0, hasMore: false });
    await expect(bob.member.receiving.profilePage(ann.user, 0)).rejects.toMatchObject({ code: 'INVALID' });
  });
});

describe('what is asked of somebody who blocks', () => {
  it('is refused by name', async () => {
    const [ann, bob] = [await stage.join(), await stage.join()];
    await (await ann.member.relations.block(bob.user)).accepted;
    await expect(bob.member.receiving.profilePage(ann.user, 1)).rejects.toMatchObject({ code: 'BLOCKED' });
  });
});
