// The community stream on a device: shown, let go of, and honest about what was not shown.
import { beforeEach, describe, expect, test } from 'vitest';
import { DEFAULT_LIMITS } from '../../src/base/limits.ts';
import { ok } from '../../src/base/result.ts';
import { Broadcasts } from '../../src/client/broadcasts.ts';
import type { MemberEvent } from '../../src/client/types.ts';
import type { ReedId } from '../../src/wire/address.ts';
import { copyOf, newReedId } from '../support/sdk-parts.ts';
import { AUTHOR, CIPHERTEXT, type Scene, setUp } from '../support/viewer-scene.ts';

const { broadcastsQueued, broadcastsShown } = DEFAULT_LIMITS;
let on: Scene;
let broadcasts: Broadcasts;
const events: MemberEvent[] = [];

beforeEach(async () => {
  on = await setUp();
  events.length = 0;
  broadcasts = new Broadcasts({
    ...{ store: on.store, limits: DEFAULT_LIMITS, agreements: on.agreements, tombstones: on.tombstones, watched: on.watches },
    check: async (_ciphertext, reedId) => ok(copyOf(reedId)),
    send: () => true,
    emit: (event) => void events.push(event),
  });
  on.watches.watch({ kind: 'broadcast' });
});

const comes = (reedId: ReedId = newReedId(AUTHOR), skipped = 0): Promise<void> =>
  broadcasts.take({ id: '', type: 'broadcastReed', body: { reedId, ciphertext: CIPHERTEXT, username: 'ann', skipped } });
const skips = (): number[] => broadcasts.list().map(({ skipped }) => skipped);

describe('the community stream', () => {
  test('says how many the server did not send, and how many this device did not look at (F33)', async () => {
    await comes(newReedId(AUTHOR), 3);
    expect(skips()).toEqual([3]);
    await Promise.all(Array.from({ length: broadcastsQueued + 6 }, () => comes()));
    await comes();
    // One is looked at while the others wait; five found no place.
    expect(broadcasts.list()).toHaveLength(broadcastsQueued + 3);
    expect(skips().reduce((sum, skipped) => sum + skipped, 0)).toBe(3 + 5);
  });

  test('keeps so many, the newest first, and stores none', async () => {
    const reeds = Array.from({ length: broadcastsShown + 5 }, () => newReedId(AUTHOR));
    for (const reed of reeds) await comes(reed);
    expect(broadcasts.list().map(({ reedId }) => reedId)).toEqual(reeds.slice(5).reverse());
    expect(await on.store.list('copies')).toEqual([]);
  });

  test('shows nothing once it is not watched, of who is muted, or of what was taken back', async () => {
    await on.store.write([{ put: 'marks', record: { id: AUTHOR, kept: false, muted: true } }]);
    await comes();
    await on.store.write([{ put: 'marks', record: { id: AUTHOR, kept: false, muted: false } }]);
    const [gone, shown] = [newReedId(AUTHOR), newReedId(AUTHOR)];
    await on.store.write([{ put: 'tombstones', record: { id: gone, kind: 'reed', certificate: {} } }]);
    await comes(gone);
    expect(broadcasts.list()).toEqual([]);
    await comes(shown);
    expect(broadcasts.list()).toHaveLength(1);
    broadcasts.gone(AUTHOR);
    expect(broadcasts.list()).toEqual([]);
  });
});
