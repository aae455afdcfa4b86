// A reader that reads nothing, with much more owed to it than its buffer holds: it gets no more than that, takes nothing from others, and is cut.
// What a trickle does, and where the bounds lie exactly, is in test/relay/gateway-life.test.ts.
import { expect, it } from 'vitest';
import type { ReedId } from '../../src/wire/address.ts';
import { LightStage } from '../support/light-stage.ts';

const stage = LightStage.forEachTest();
const LARGE_BYTES = 900_000;
const STALLED_MS = 4_000;

it('a member that stops reading is held back, then cut, while others are served', async () => {
  await stage.again({ sendStalledMs: STALLED_MS });
  const [a, b, c] = await stage.accounts(3);
  const author = await stage.join(a, { bytes: LARGE_BYTES });
  const [reader, other] = [await stage.join(b, { acknowledge: 'nothing' }), await stage.join(c)];
  const reeds = await stage.community.reeds(author.userId, 60);
  reader.reading(false);
  for (const reed of reeds) reader.request(reed);
  const rowOf = () => stage.community.rows<{ congested: boolean }>('select congested from online_users where user_id = $1', [b.userId]);
  await expect.poll(rowOf, { timeout: 30_000, interval: 10 }).toEqual([{ congested: true }]);
  other.request(reeds[0] as ReedId);
  await other.next('settled');
  const owed = await stage.community.rows<{ n: number }>(
    'select count(*)::int as n from pending_events where requester_user_id = $1 and state <> 3',
    [b.userId],
  );
  expect(owed[0]?.n, 'most was never fetched for it').toBeGreaterThan(30);
  await expect.poll(rowOf, { timeout: 60_000, interval: 50 }).toEqual([]);
  reader.reading(true);
  expect([4007, 1006]).toContain(await reader.closed);
  other.request(reeds[1] as ReedId);
  await other.next('dataResponse', ({ body }) => body.reedId === reeds[1]);
});
