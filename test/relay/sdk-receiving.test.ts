// What comes to a member of a whole server without being asked for: every path by its message, what the SDK does with what it did not agree to
// and with what is false.
import { describe, expect, it } from 'vitest';
import type { KeyRing } from '../../src/client/key-ring.ts';
import { memoryKeySafe, openKeyRing } from '../../src/client/memory-key-ring.ts';
import { AlteredStore, Line } from '../support/altered-parts.ts';
import { isA, makeMember, nextEvent } from '../support/members.ts';
import { eventsOf, follow, messages, state, texts, waitsOn, write } from '../support/receiving.ts';
import { type Actor, SdkStage } from '../support/sdk-stage.ts';

const stage = SdkStage.forEachTest({ broadcastPauseMs: 0, syncIntervalMs: 0 });
const { quiet, synced } = waitsOn(stage);

describe('a publication comes to', () => {
  it('a follower, is kept and stands in the home timeline; to who does not follow nothing comes', async () => {
    const [ann, bob, cid] = [await stage.join(), await stage.join(), await stage.join()];
    await follow(bob, ann);
    await synced(ann, bob, cid);
    const events = eventsOf(bob);
    const reed = await write(ann, { text: 'a heron stands' });
    await quiet(bob);
    expect(messages(bob, reed)).toEqual(['followReed']);
    expect(await state(bob, reed)).toBe('held');
    expect(events).toContainEqual({ type: 'arrived', reedId: reed, by: 'followReed', thread: false });
    expect(await texts(bob, { kind: 'home' })).toEqual(['a heron stands']);
    expect(await texts(ann, { kind: 'home' })).toEqual(['a heron stands']);
    expect(messages(cid, reed)).toEqual([]);
    expect(await stage.allocations(reed)).toEqual([ann.user, bob.user].sort());
  });

  it('whom it mentions, and stands among the mentions', async () => {
    const [ann, bob] = [await stage.join(), await stage.join()];
    await synced(ann, bob);
    const reed = await write(ann, { text: `look, @${bob.user}` });
    await quiet(bob);
    expect(messages(bob, reed)).toEqual(['mention']);
    expect(await texts(bob, { kind: 'mentions' })).toEqual([`look, @${bob.user}`]);
    expect(await texts(bob, { kind: 'home' })).toEqual([]);
  });

  it('the author of what it answers, and whoever watches anything above it, one level at a time', async () => {
    const [ann, bob, cid] = [await stage.join(), await stage.join(), await stage.join()];
    await synced(ann, bob, cid);
    const root = await write(ann, { text: 'root' });
    await stage.keep(cid, root);
    cid.member.receiving.watch({ kind: 'reed', reedId: root });
    const reply = await write(bob, { text: 'reply', replyTo: root });
    await quiet(ann, cid);
    expect(messages(ann, reply)).toEqual(['reedReply']);
    const deeper = await write(ann, { text: 'deeper', replyTo: reply });
    await quiet(bob, cid);
    expect(messages(bob, deeper)).toEqual(['reedReply']);
    expect(messages(cid, deeper)).toEqual(['reedReply']);
    expect(await texts(cid, { kind: 'replies', reedId: root })).toEqual(['reply']);
    expect(await texts(cid, { kind: 'replies', reedId: reply })).toEqual(['deeper']);
    expect(await texts(ann, { kind: 'answers' })).toEqual(['reply']);
  });

  it('the listeners of its tags as they are when it is published, and no more once they stop (F28)', async () => {
    const [ann, bob] = [await stage.join(), await stage.join()];
    await synced(ann, bob);
    const stop = bob.member.receiving.watch({ kind: 'pipe', tag: 'Heron' });
    const second = bob.member.receiving.watch({ kind: 'pipe', tag: 'heron' });
    await bob.line.seen('out', 'subscribePipe');
    const reed = await write(ann, { text: 'a #heron' });
    await quiet(bob);
    expect(messages(bob, reed)).toEqual(['pipeReed']);
    expect(await texts(bob, { kind: 'pipe', tag: 'Heron' })).toEqual(['a #heron']);
    second();
    expect(bob.line.frames('out', 'unsubscribePipe')).toEqual([]);
    stop();
    await bob.line.seen('out', 'unsubscribePipe');
    await stage.server.settle();
    const later = await write(ann, { text: 'another #heron' });
    await quiet(bob);
    expect(messages(bob, later)).toEqual([]);
  });

  it('who has the profile of its author before them', async () => {
    const [ann, bob] = [await stage.join(), await stage.join()];
    await synced(ann, bob);
    bob.member.receiving.watch({ kind: 'profile', user: ann.user });
    await bob.line.seen('out', 'subscribeProfile');
    await stage.server.settle();
    const reed = await write(ann, { text: 'news' });
    await quiet(bob);
    expect(messages(bob, reed)).toEqual(['dataResponse']);
    expect(await texts(bob, { kind: 'profile', user: ann.user })).toEqual(['news']);
  });

  it('an archivist who agreed to keep what comes', async () => {
    const [ann, bob] = [await stage.join(), await stage.join()];
    await stage.rows("update users set role = 'archivist' where id = $1", [bob.user]);
    await bob.member.receiving.agreements.setArchivist(true);
    await ann.member.editProfile({ archive: true });
    await synced(ann, bob);
    const reed = await write(ann, { text: 'for ever' });
    await quiet(bob);
    expect(messages(bob, reed)).toEqual(['archiveReed']);
    expect(await state(bob, reed)).toBe('held');
  });

  it('listeners of the community stream, who see it and hold nothing', async () => {
    const [ann, bob] = [await stage.join(), await stage.join()];
    await synced(ann, bob);
    bob.member.receiving.watch({ kind: 'broadcast' });
    await bob.line.seen('out', 'subscribeBroadcast');
    await stage.server.settle();
    const shown = nextEvent(bob.member, isA('broadcast'));
    const reed = await write(ann, { text: 'to all' });
    expect(await shown).toMatchObject({ reedId: reed, skipped: 0 });
    expect(bob.member.receiving.broadcasts()).toMatchObject([{ reedId: reed, body: { text: 'to all' } }]);
    await quiet(bob);
    expect(await state(bob, reed)).toBe(null);
    expect(await stage.allocations(reed)).toEqual([ann.user]);
    // Opening it means keeping it.
    await stage.keep(bob, reed);
    expect(await stage.allocations(reed)).toEqual([ann.user, bob.user].sort());
  });

  it('whom it concerns in several ways once, by the strongest, and is counted once (F26)', async () => {
    const [ann, bob] = [await stage.join(), await stage.join()];
    await follow(bob, ann);
    await synced(ann, bob);
    bob.member.receiving.watch({ kind: 'pipe', tag: 'heron' });
    bob.member.receiving.watch({ kind: 'broadcast' });
    const root = await write(bob, { text: 'root' });
    bob.member.receiving.watch({ kind: 'reed', reedId: root });
    await bob.line.seen('in', 'reedStats');
    const events = eventsOf(bob);
    const reed = await write(ann, { text: `#heron for @${bob.user}`, replyTo: root });
    await quiet(bob);
    expect(messages(bob, reed)).toEqual(['mention']);
    expect(events.filter(({ type }) => type === 'arrived')).toHaveLength(1);
    await bob.line.seen('in', 'reedStats', ({ body }) => body.replies > 0);
    expect(events.flatMap((event) => (event.type === 'stats' && event.replies > 0 ? [event.replies] : []))[0]).toBe(1);
  });

  it('nobody who is not synced, by any path (F35)', async () => {
    const [ann, bob] = [await stage.join(), await stage.join()];
    await follow(bob, ann);
    await stage.vanish(bob);
    const again = await joinWithout(bob, 'syncRequest');
    again.member.receiving.watch({ kind: 'profile', user: ann.user });
    await again.line.seen('out', 'subscribeProfile');
    await stage.server.settle();
    const reed = await write(ann, { text: 'unheard' });
    await quiet(ann);
    expect(messages(again, reed)).toEqual([]);
    again.line.release();
    await again.line.seen('in', 'followReed', ({ body }) => body.reedId === reed);
  });
});

/** The same device again, whose frames of one type wait. */
const joinWithout = async (device: Actor, type: 'syncRequest'): Promise<Actor> => {
  const line = new Line();
  line.fate = (frame, way) => (way === 'out' && frame.type === type ? 'hold' : 'pass');
  const member = await makeMember(stage.server, { store: device.store, safe: device.safe, deps: { socket: line.factory } });
  return stage.adopt({ ...device, member, line });
};

describe('what nobody agreed to', () => {
  it('is turned away, stored by nobody and owed no more', async () => {
    const [ann, bob] = [await stage.join(), await stage.join()];
    await follow(bob, ann);
    await synced(ann, bob);
    // The device knows nothing of it: a server that pushes by itself looks the same.
    await bob.store.write([{ delete: 'follows', id: ann.user }]);
    const events = eventsOf(bob);
    const reed = await write(ann, { text: 'pushed' });
    await quiet(bob);
    expect(events).toContainEqual({ type: 'unsolicited', frame: 'followReed', reedId: reed });
    expect(bob.line.frames('out', 'dataInvalid').map(({ body }) => body.reason)).toEqual(['UNSOLICITED']);
    expect(await state(bob, reed)).toBe(null);
    expect(await stage.allocations(reed)).toEqual([ann.user]);
  });

  it('by who is muted stays away until they are muted no more; by who is followed it is kept and not shown', async () => {
    const [ann, bob] = [await stage.join(), await stage.join()];
    await synced(ann, bob);
    await bob.member.receiving.mark(ann.user, { muted: true });
    const mention = await write(ann, { text: `@${bob.user}` });
    await quiet(bob);
    expect(await state(bob, mention)).toBe(null);
    await follow(bob, ann);
    const reed = await write(ann, { text: 'more' });
    await quiet(bob);
    expect(await state(bob, reed)).toBe('held');
    expect(await texts(bob, { kind: 'home' })).toEqual([]);
    const held = nextEvent(
      bob.member,
      isA('copy', ({ reedId, state: now }) => reedId === mention && now === 'held'),
    );
    await bob.member.receiving.mark(ann.user, { muted: false });
    expect(await texts(bob, { kind: 'home' })).toContain('more');
    await held;
    expect(await texts(bob, { kind: 'mentions' })).toEqual([`@${bob.user}`]);
  });
});

describe('a false claim', () => {
  /** Signs what the text does not say. */
  const lying = async (): Promise<Actor> => {
    const safe = memoryKeySafe();
    const honest = await openKeyRing(safe);
    const keyRing = new Proxy<KeyRing>(honest, {
      get: (ring, name) => {
        if (name !== 'sign') return Reflect.get(ring, name).bind(ring);
        return (statement: object, dateMs: number) =>
          ring.sign(('type' in statement && statement.type === 'reed' ? { ...statement, tags: ['heron'] } : statement) as never, dateMs);
      },
    });
    const line = new Line();
    const store = new AlteredStore();
    const member = await makeMember(stage.server, { store, keyRing, deps: { socket: line.factory } });
    return stage.adopt({ store, safe, member, line, user: member.account?.user as Actor['user'] });
  };

  it('of a tag is shown to nobody, reported to the operator, and owed no more', async () => {
    const [liar, bob] = [await lying(), await stage.join()];
    await synced(liar, bob);
    bob.member.receiving.watch({ kind: 'pipe', tag: 'heron' });
    await bob.line.seen('out', 'subscribePipe');
    await stage.server.settle();
    const events = eventsOf(bob);
    const reed = await write(liar, { text: 'nothing of that kind' });
    await quiet(bob);
    expect(bob.line.frames('out', 'dataInvalid').map(({ body }) => body.reason)).toEqual(['CLAIM_MISMATCH']);
    expect(bob.line.frames('out', 'contentRejected').map(({ body }) => body)).toEqual([{ reedId: reed, reason: 'claim mismatch: tags' }]);
    expect(events).toContainEqual({ type: 'rejected', reedId: reed, reason: 'tags' });
    expect(await state(bob, reed)).toBe(null);
    expect(await stage.rows('select user_id from reed_declines where reed_id = $1', [reed])).toEqual([{ user_id: bob.user }]);
    expect(stage.server.logged()).toContain('"reason":"claim mismatch: tags"');
    expect(stage.server.logged()).toContain(`"reed":"${reed}"`);
    expect(await stage.rows('select viewer from holder_strikes where reed_id = $1', [reed])).toEqual([]);
  });

  it('in the community stream is shown to nobody and reported', async () => {
    const [liar, bob] = [await lying(), await stage.join()];
    await synced(liar, bob);
    bob.member.receiving.watch({ kind: 'broadcast' });
    await bob.line.seen('out', 'subscribeBroadcast');
    await stage.server.settle();
    const reed = await write(liar, { text: 'nothing of that kind' });
    expect((await bob.line.seen('out', 'contentRejected')).body).toEqual({ reedId: reed, reason: 'claim mismatch: tags' });
    expect(bob.member.receiving.broadcasts()).toEqual([]);
  });
});
