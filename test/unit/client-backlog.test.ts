// Thousands of deliveries through what receives them, against a server that paces them by acknowledgements: when they are settled nothing of them is left
// in memory. `SDK_BACKLOG=50000` takes more of them.
import { expect, test } from 'vitest';
import { DEFAULT_LIMITS } from '../../src/base/limits.ts';
import { ok } from '../../src/base/result.ts';
import { Agreements } from '../../src/client/agreements.ts';
import { Declined } from '../../src/client/declined.ts';
import { MemoryStore } from '../../src/client/memory-store.ts';
import { ServerTime } from '../../src/client/server-time.ts';
import type { Change } from '../../src/client/store.ts';
import { Tombstones } from '../../src/client/tombstones.ts';
import { Viewer } from '../../src/client/viewer.ts';
import { Watches } from '../../src/client/watches.ts';
import type { Frame } from '../../src/wire/frames.ts';
import { heldBytes } from '../support/held-memory.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { copyOf, countingRandom, newReedId, userNamed } from '../support/sdk-parts.ts';

const OWED = Number(process.env['SDK_BACKLOG'] ?? 4_000);
/** What the server serves one member at once. */
const SERVED = DEFAULT_LIMITS.catchupServed;
/** So many are settled by one frame. */
const SETTLED_AT_ONCE = 50;
const CIPHERTEXT_BYTES = 4_000;
/** What a fifth of the run may leave behind: less than a few bytes for each delivery. */
const LEFT_BYTES = 96 * 1024;
/** What stays of each delivery grows in every part of the run; what the engine and the tests before put there, in one of them. */
const PARTS = 5;
const [ME, AUTHOR] = [userNamed('a'), userNamed('b')];

/** Lets go of a copy once it is held, as a device that has room for nothing else: so what is left is what the SDK keeps. */
class PassingStore extends MemoryStore {
  most = 0;
  #writes = 0;

  override async write(changes: readonly Change[]): Promise<void> {
    await super.write(
      changes.map((change) =>
        'put' in change && change.put === 'copies' && change.record.state === 'held' ? { delete: 'copies', id: change.record.id } : change,
      ),
    );
    if (++this.#writes % SETTLED_AT_ONCE === 0) this.most = Math.max(this.most, (await this.list('requests')).length);
  }
}

const open = (store: PassingStore, send: (frame: Frame) => boolean): Viewer => {
  const quiet = { emit: () => undefined, limits: DEFAULT_LIMITS, store, user: ME };
  const watched = new Watches({ ...quiet, send: () => true });
  const context = { keys: { userKey: async () => null, serverKey: async () => null }, now: 0 };
  return new Viewer({
    ...quiet,
    send,
    agreements: new Agreements({ ...quiet, watched }),
    tombstones: new Tombstones({ ...quiet, keys: { context }, ended: () => undefined }),
    declined: new Declined(quiet),
    missed: () => expect.unreachable('nothing may be left unanswered'),
    time: new ServerTime(new ManualClock()),
    random: countingRandom,
    check: async (_ciphertext, reedId) => ok(copyOf(reedId)),
  });
};

test('a backlog of thousands leaves nothing in memory once it is settled, and never more than a page in hand', async () => {
  const store = new PassingStore();
  await store.write([{ put: 'follows', record: { id: AUTHOR } }]);
  const acknowledged: string[] = [];
  const viewer = open(store, (frame) => frame.type !== 'dataAck' || acknowledged.push(frame.id) > 0);
  viewer.connected(64);
  let [sent, settled] = [0, 0];
  const heaps: number[] = [];
  while (settled < OWED) {
    for (; sent < OWED && sent - settled < SERVED; sent++) {
      const body = { requestId: '', reedId: newReedId(AUTHOR), ciphertext: new Uint8Array(CIPHERTEXT_BYTES) };
      expect(viewer.intake.delivery({ id: `event ${sent}`, type: 'followReed', body })).toBe(true);
    }
    await viewer.intake.idle();
    while (acknowledged.length > 0) {
      const events = acknowledged.splice(0, SETTLED_AT_ONCE).map((eventId) => ({ eventId, outcome: 'HELD' as const }));
      await viewer.intake.settled({ id: '', type: 'settled', body: { events } });
      settled += events.length;
    }
    if (settled >= ((heaps.length + 1) * OWED) / PARTS) heaps.push(heldBytes());
  }
  expect(heaps).toHaveLength(PARTS);
  expect(Math.min(...heaps.slice(1).map((heap, at) => heap - (heaps[at] ?? 0)))).toBeLessThan(LEFT_BYTES);
  expect(store.most).toBeLessThanOrEqual(SERVED);
  expect([viewer.intake.waiting, await store.list('requests'), await store.list('copies')]).toEqual([0, [], []]);
}, 120_000);
