// Lines for copies of another server, read a page at a time: everybody who stands in them is told when that server is lost, however long one line is.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { linesOf } from '../../src/ledger/crossing-ends.ts';
import type { ServerId } from '../../src/wire/address.ts';
import { World } from '../support/ledger-world.ts';

const PEER = 'bbbbbbbbbbbbbbbb' as ServerId;
let world: World;
beforeAll(async () => {
  world = await World.open({ fanoutItems: 2 });
  await world.db.query({
    text: `insert into pending_events (event_id, requester_user_id, event_name, subject_kind, subject_id, priority, state, due_at, created_at)
      select gen_random_uuid(), 'm' || g, 'DATA_RESPONSE', 'reed', 'author@' || $1 || '/' || (g / 5), g % 3, 5, now(), now() from generate_series(0, 8) g`,
    values: [PEER],
  });
});
afterAll(() => world.close());

it('nobody is passed over who stands in a line that is longer than a page', async () => {
  const seen: string[] = [];
  const subjects = new Set<string>();
  let pages = 0;
  for (let after: string | null = ''; after !== null; pages += 1) {
    const page: Awaited<ReturnType<typeof linesOf>> = await linesOf(world.context, PEER, after);
    seen.push(...page.requesters);
    for (const subject of page.subjects) subjects.add(subject);
    after = page.next;
  }
  expect(seen.sort()).toEqual(Array.from({ length: 9 }, (_, at) => `m${at}`));
  expect(subjects.size).toBe(2);
  expect(pages).toBe(5);
});
