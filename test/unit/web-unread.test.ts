// What a profile counts as new since its lists were looked at: each reed once, in whichever lists it stands.
import { beforeEach, expect, test } from 'vitest';
import { Agreements } from '../../src/client/agreements.ts';
import { MemoryStore } from '../../src/client/memory-store.ts';
import { Timelines } from '../../src/client/timelines.ts';
import type { ReedId } from '../../src/wire/address.ts';
import { Unread } from '../../web/src/worker/unread.ts';
import { certificateOf, copyOf, newReedId, userNamed } from '../support/sdk-parts.ts';

const [ME, BEN, CID] = [userNamed('a'), userNamed('b'), userNamed('c')];

/** A member's lists over a store in memory, and a profile's notes of what was looked at. */
const setUp = () => {
  const store = new MemoryStore();
  const watched = { pipe: () => false, reed: () => false, profile: () => false, pipes: 0, reeds: [] };
  const agreements = new Agreements({ store, user: ME, limits: { replyAncestors: 1 }, watched });
  const timelines = new Timelines({ store, user: ME, agreements });
  const notes = new Map<string, unknown>();
  const database = {
    get: async (_: string, id: string) => (notes.has(id) ? { id, value: notes.get(id) } : undefined),
    put: async (_: string, { id, value }: { id: string; value: unknown }) => void notes.set(id, value),
  };
  const receiving: Pick<Timelines, 'page'> = timelines;
  const member = { account: { user: ME }, receiving: { timeline: receiving.page.bind(receiving) } };
  const unread = new Unread({ member, database: database as unknown as ConstructorParameters<typeof Unread>[0]['database'] });
  let storedAt = 0;
  /** A reed comes here. @returns when it did */
  const comes = async (says: Parameters<typeof certificateOf>[1] = {}, by = BEN, id: ReedId = newReedId(by)): Promise<number> => {
    await store.write([{ put: 'copies', record: { ...copyOf(id), certificate: certificateOf(id, says), storedAt: ++storedAt } }]);
    return storedAt;
  };
  return { unread, comes, store };
};

let on: ReturnType<typeof setUp>;
beforeEach(() => {
  on = setUp();
});

const own = newReedId(ME);

test('a reply that names its reader is new once: as a mention', async () => {
  await on.comes({ replyTo: own, root: own, mentions: [ME] });
  expect(await on.unread.count()).toEqual({ home: 0, mentions: 1, answers: 0 });
});

test('so is an echo, beside a reply and a mention that are nothing else', async () => {
  await on.comes({ echoOf: own, mentions: [CID, ME] });
  await on.comes({ replyTo: own, root: own, mentions: [CID] });
  await on.comes({ mentions: [ME] });
  expect(await on.unread.count()).toEqual({ home: 0, mentions: 2, answers: 1 });
});

test.each(['mentions', 'answers'] as const)('it is new no more once the %s were looked at', async (list) => {
  await on.unread.seen(list, await on.comes({ replyTo: own, root: own, mentions: [ME] }));
  expect(await on.unread.count()).toMatchObject({ mentions: 0, answers: 0 });
});

test('a mention that answers somebody else stays new while the answers are looked at', async () => {
  const other = newReedId(CID);
  await on.unread.seen('answers', await on.comes({ replyTo: other, root: other, mentions: [ME] }));
  expect(await on.unread.count()).toMatchObject({ mentions: 1, answers: 0 });
});

test('a later part of a thread that names its reader is a mention of its own: the answer is the head', async () => {
  const head = newReedId(BEN);
  const part = newReedId(BEN);
  await on.comes({ replyTo: own, root: own, thread: { head, index: 0 } }, BEN, head);
  await on.unread.seen('answers', await on.comes({ replyTo: own, root: own, mentions: [ME], thread: { head, index: 1 } }, BEN, part));
  expect(await on.unread.count()).toMatchObject({ mentions: 1, answers: 0 });
});

test('what was looked at by itself is new in neither', async () => {
  const reed = newReedId(BEN);
  await on.comes({ replyTo: own, root: own, mentions: [ME] }, BEN, reed);
  await on.unread.lookedAt([reed]);
  expect(await on.unread.count()).toEqual({ home: 0, mentions: 0, answers: 0 });
});
