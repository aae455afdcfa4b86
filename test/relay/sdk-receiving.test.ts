// What comes to a member of a whole server without being asked for: every path by its message, what the SDK does with what it did not agree to,
// with what is false, with duplicates, with lost connections and with what was taken back meanwhile.
import { describe, expect, it } from 'vitest';
import type { KeyRing } from '../../src/client/key-ring.ts';
import { memoryKeySafe, openKeyRing } from '../../src/client/memory-key-ring.ts';
import type { MemberEvent } from '../../src/client/types.ts';
import type { ReedId } from '../../src/wire/address.ts';
import { DELIVERY_TYPES } from '../../src/wire/frames.ts';
import { AlteredStore, holdAnswers, Line } from '../support/altered-parts.ts';
import { isA, makeMember, nextEvent } from '../support/members.ts';
import { type Actor, SdkStage } from '../support/sdk-stage.ts';

const stage = SdkStage.forEachTest({ broadcastPauseMs: 0, syncIntervalMs: 0 });

/** Caught up as far as the server is concerned: its label is committed, nothing is owed. */
const synced = async (...actors: Actor[]): Promise<void> => {
  for (const actor of actors) await actor.line.seen('out', 'syncRequest');
  await stage.server.settle();
};
const write = async (
  { member }: Actor,
  draft: { text: string; replyTo?: ReedId; echoOf?: ReedId; broadcast?: boolean },
): Promise<ReedId> => {
  const { reedId, published } = await member.publish(draft);
  await published;
  return reedId;
};
const follow = async (one: Actor, other: Actor): Promise<void> => void (await (await one.member.relations.follow(other.user)).accepted);
const eventsOf = ({ member }: Actor): MemberEvent[] => {
  const events: MemberEvent[] = [];
  member.subscribe((event) => void events.push(event));
  return events;
};
/** By which messages a reed came to a member. */
const messages = ({ line }: Actor, reed: ReedId): string[] => {
  const types: readonly string[] = [...DELIVERY_TYPES, 'broadcastReed'];
  return line
    .all('in')
    .flatMap((frame) => (types.includes(frame.type) && 'reedId' in frame.body && frame.body.reedId === reed ? [frame.type] : []));
};
const quiet = async (...actors: Actor[]): Promise<void> => {
  await stage.empty();
  for (const { member } of actors) await member.idle();
};
const state = async ({ store }: Actor, reed: ReedId) => (await store.get('copies', reed))?.state ?? null;
const texts = async ({ member }: Actor, timeline: Parameters<Actor['member']['receiving']['timeline']>[0]): Promise<string[]> =>
  (await member.receiving.timeline(timeline)).copies.map(({ body }) => body.text);

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

  it('by who is muted stays away, unless it is followed: then it is kept and not shown', async () => {
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
    await bob.member.receiving.mark(ann.user, { muted: false });
    expect(await texts(bob, { kind: 'home' })).toContain('more');
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
