// A member's new device on a whole server: what it lacks is said, what is its own and followed comes back, threads whole; and a device that
// makes room.
import { describe, expect, it } from 'vitest';
import { DEFAULT_LIMITS } from '../../src/base/limits.ts';
import { memoryKeySafe } from '../../src/client/memory-key-ring.ts';
import type { RecallProgress } from '../../src/client/types.ts';
import type { ReedId } from '../../src/wire/address.ts';
import type { Frame } from '../../src/wire/frames.ts';
import { AlteredStore, Line } from '../support/altered-parts.ts';
import { isA, nextEvent, openTestMember } from '../support/members.ts';
import { type Actor, SdkStage } from '../support/sdk-stage.ts';

const stage = SdkStage.forEachTest({ syncIntervalMs: 0 });
const PASSPHRASE = 'seven words of a kind that nobody guesses';
const LIMITS = { ...DEFAULT_LIMITS, recallPauseMs: 0, recallAgainMs: 200 };

const follow = async (one: Actor, other: Actor): Promise<void> => void (await (await one.member.relations.follow(other.user)).accepted);

/** The member of a backup on a device that holds nothing, connected; with all that it told of its progress. */
const restored = async (
  backup: string,
  fate: Line['fate'] = () => 'pass',
): Promise<{ actor: Actor; told: RecallProgress[]; done: Promise<unknown> }> => {
  const [line, store, safe] = [new Line(), new AlteredStore(), memoryKeySafe()];
  line.fate = fate;
  const member = await openTestMember(stage.server, { store, safe, deps: { socket: line.factory, limits: LIMITS } });
  const told: RecallProgress[] = [];
  member.subscribe((event) => event.type === 'recall' && told.push(event));
  const done = nextEvent(
    member,
    isA('recall', ({ state }) => state === 'done'),
  );
  const { user } = await member.restore({ backup, passphrase: PASSPHRASE });
  const actor = stage.adopt({ store, safe, member, line, user });
  member.connect();
  await member.online();
  return { actor, told, done };
};
const heldBy = async (user: string): Promise<ReedId[]> => {
  const rows = await stage.rows<{ reed_id: ReedId }>('select reed_id from reed_allocations where holder_user_id = $1 order by reed_id', [
    user,
  ]);
  return rows.map(({ reed_id }) => reed_id);
};

describe('a new device', () => {
  it('gets back own reeds and those of followed authors, threads whole, and says of the rest that it is not there', async () => {
    const [ann, bob, cid] = [await stage.join(), await stage.join(), await stage.join()];
    await follow(ann, bob);
    await follow(bob, ann);
    const own = await stage.publish(ann, 2);
    const { reedId: head, published } = await ann.member.publish({ texts: ['one', 'two', 'three'] });
    await published;
    const [followed] = (await stage.publish(bob)) as [ReedId];
    const [opened] = (await stage.publish(cid)) as [ReedId];
    await stage.keep(ann, opened);
    await stage.empty();
    await bob.member.idle();
    expect(await heldBy(ann.user)).toHaveLength(7);
    const backup = await ann.member.backup(PASSPHRASE);
    await stage.vanish(ann);
    const { actor, told, done } = await restored(backup);
    await done;
    await stage.empty();
    const held = [...own, followed];
    for (const reed of held) expect((await actor.store.get('copies', reed))?.state, reed).toBe('held');
    expect(await actor.member.receiving.timeline({ kind: 'thread', reedId: head })).toMatchObject({
      copies: [{ body: { text: 'one' } }, { body: { text: 'two' } }, { body: { text: 'three' } }],
    });
    expect(await heldBy(ann.user)).toHaveLength(6);
    expect(await heldBy(ann.user)).not.toContain(opened);
    expect(actor.line.frames('out', 'eviction').map(({ body }) => body.reedId)).toEqual([opened]);
    expect(told[0]).toMatchObject({ state: 'listing' });
    expect(told.at(-1)).toMatchObject({ state: 'done', lost: 0, later: 0 });
    const [{ here = 0, total = 0 } = {}] = told.slice(-1);
    expect([here >= 6, here]).toEqual([true, total]);
  });

  it('is done also when a thread comes before those of its parts that were asked for alone', async () => {
    const [ann, bob] = [await stage.join(), await stage.join()];
    await follow(bob, ann);
    const { reedId: head, published } = await ann.member.publish({ texts: ['one', 'two', 'three'] });
    await published;
    await stage.empty();
    const backup = await ann.member.backup(PASSPHRASE);
    await stage.vanish(ann);
    const isAlone = (frame: Frame): boolean => frame.type === 'dataResponse' && frame.body.reedId !== head;
    const { actor, done } = await restored(backup, (frame, way) => (way === 'in' && isAlone(frame) ? 'hold' : 'pass'));
    for (const part of (await heldBy(ann.user)).filter((reed) => reed !== head))
      await actor.line.seen('in', 'dataResponse', ({ body }) => body.reedId === part);
    await actor.line.seen('in', 'settled');
    actor.line.release();
    expect(await done).toMatchObject({ here: 3, lost: 0, later: 0 });
    await expect.poll(() => actor.store.list('requests')).toEqual([]);
  });

  it('asks again for what nobody who is online has, also after a restart, and gives up what nobody has', async () => {
    const [ann, bob] = [await stage.join(), await stage.join()];
    const [kept, lost] = (await stage.publish(ann, 2)) as [ReedId, ReedId];
    await stage.keep(bob, kept);
    await stage.vanish(bob);
    const backup = await ann.member.backup(PASSPHRASE);
    await stage.vanish(ann);
    const first = await restored(backup);
    const waits = nextEvent(
      first.actor.member,
      isA('recall', ({ later, lost: gone }) => later === 1 && gone === 1),
    );
    await waits;
    expect((await first.actor.store.list('recalls')).map(({ id }) => id)).toEqual([kept]);
    await stage.vanish(first.actor);
    await stage.join(bob);
    const line = new Line();
    const { store, safe } = first.actor;
    const member = await openTestMember(stage.server, { store, safe, deps: { socket: line.factory, limits: LIMITS } });
    const done = nextEvent(
      member,
      isA('recall', ({ state }) => state === 'done'),
    );
    stage.adopt({ ...first.actor, member, line });
    member.connect();
    expect(await done).toMatchObject({ here: 1, lost: 1 });
    expect(await store.get('copies', kept)).not.toBe(null);
    expect(await store.get('copies', lost)).toBe(null);
  });
});

describe('making room', () => {
  it('gives up whole authors who are neither followed nor kept, the longest silent first, with their keys, until it is enough', async () => {
    const [ann, old, kept, followed, young] = [
      await stage.join(),
      await stage.join(),
      await stage.join(),
      await stage.join(),
      await stage.join(),
    ];
    await follow(ann, followed);
    const reeds = new Map<Actor, ReedId[]>();
    for (const author of [old, kept, followed, young]) reeds.set(author, await stage.publish(author, 2));
    const of = (author: Actor): ReedId[] => reeds.get(author) ?? [];
    for (const author of [young, kept, old]) for (const reed of of(author)) await stage.keep(ann, reed);
    await ann.member.receiving.mark(kept.user, { kept: true });
    await stage.empty();
    const here = async (author: Actor): Promise<number> =>
      (await Promise.all(of(author).map((reed) => ann.store.get('copies', reed)))).filter(Boolean).length;
    let asked = 0;
    expect(await ann.member.receiving.room.free(async () => ++asked > 1)).toMatchObject({ reeds: 2 });
    expect([await here(old), await here(young), await here(kept), await here(followed)]).toEqual([0, 2, 2, 2]);
    for (const reed of of(old)) expect(await stage.allocations(reed)).toEqual([old.user]);
    expect(
      await stage.rows('select key_id from key_allocations where user_id = $1 and key_id like $2', [ann.user, `${old.user}/%`]),
    ).toEqual([]);
    expect(await ann.store.get('keys', old.user)).toBe(null);
    expect(await ann.member.receiving.room.free(async () => false)).toMatchObject({ reeds: 2 });
    expect([await here(young), await here(kept), await here(followed)]).toEqual([0, 2, 2]);
    // Asking for one again is keeping it again.
    await stage.keep(ann, of(old)[0] as ReedId);
  });
});
