// What those are told whose requests a removal ends: each its own answer, with certificates that are read once for all of them.
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Sql } from '../../src/db/pool.ts';
import { Refusals } from '../../src/relay/refusals.ts';
import { makeRequestId, type ReedId, type UserId } from '../../src/wire/address.ts';
import { World } from '../support/ledger-world.ts';

let world: World;
beforeEach(async () => {
  world = await World.open();
});
afterEach(() => world.close());

it('answers everybody who waits for reeds that were removed by one look at their certificates', async () => {
  const [author, ...viewers] = (await world.members(['author', 'a', 'b', 'c'])) as [UserId, ...UserId[]];
  const [removed, other] = [await world.reed(author), await world.reed(author)];
  await world.db.query({
    text: `with s as (update statements set certificate = '{"of": "author"}' where user_id = $1 returning hash)
      update reeds set removed_at = now(), removal_hash = s.hash from s where id = $2`,
    values: [author, removed],
  });
  let looks = 0;
  const query = <Row>(sql: Sql): Promise<Row[]> => {
    looks += 1;
    return world.db.query<Row & object>(sql);
  };
  const refusals = new Refusals({ query } as never);
  const ask = (requester: UserId, subjectId: ReedId) => {
    const requestId = makeRequestId(requester, '01912345-6789-7abc-8def-0123456789ab');
    return { eventId: '', requester, requestId, subjectId };
  };
  const asked = [...viewers.map((viewer) => ask(viewer, removed)), ask(viewers[0] as UserId, other)];
  const answers = await refusals.removed(asked);
  expect(answers.map(({ to, frame }) => [to, frame.type])).toEqual([
    ...viewers.map((viewer) => [viewer, 'reedRemoved']),
    [viewers[0], 'reedNotFound'],
  ]);
  expect(answers[0]?.frame).toMatchObject({ body: { requestId: asked[0]?.requestId } });
  expect(looks).toBe(1);
});
