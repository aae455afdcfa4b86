// What those wrote whom a member follows, page by page: newest first and each once, however many they are and however little of each a page reads.
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type Place, STAGES } from '../../src/relay/catchup-stages.ts';
import type { UserId } from '../../src/wire/address.ts';
import { World } from '../support/ledger-world.ts';

// Of so many a page reads 16 reeds each.
const FOLLOWED = 2_000;
const OF_ONE = 50;
const PAGE = 1_000;

let world: World;
beforeEach(async () => {
  world = await World.open();
});
afterEach(() => world.close());

it('come newest first and each once, also of one who wrote far more than the others', async () => {
  const [reader, ...authors] = (await world.members(['reader', ...Array.from({ length: FOLLOWED }, (_, at) => `author ${at}`)])) as [
    UserId,
    ...UserId[],
  ];
  await world.db.query({
    text: `insert into follows (user_id, target, active, seq, statement_hash)
      select u.id, t, true, 1, u.identity_hash from users u, unnest($2::text[]) t where u.id = $1`,
    values: [reader, authors],
  });
  // One of each second author, and of the first as many as OF_ONE in between, each at a time of its own.
  const written = [
    ...authors.flatMap((author, at) => (at % 2 === 1 ? [{ author, at }] : [])),
    ...Array.from({ length: OF_ONE }, (_, at) => ({ author: authors[0] as UserId, at: at * 40 })),
  ];
  await world.db.query({
    text: `with w as materialized (select author, at, author || '/' || uuidv7() as id from unnest($1::text[], $2::int[]) as w(author, at)),
        i as (insert into reed_identities (id, server_id, author_id) select id, split_part(author, '@', 2), author from w),
        r as (insert into reeds (id, author_id, statement_hash, registered_at, published_at)
          select w.id, u.id, u.identity_hash, now(), now() - w.at * interval '1 second' from w join users u on u.id = w.author)
      insert into reed_allocations (holder_user_id, reed_id, device_id, delivered_on) select author, id, 'd', current_date from w`,
    values: [written.map(({ author }) => author), written.map(({ at }) => at)],
  });
  const follows = STAGES.find(({ name }) => name === 'follows');
  if (follows === undefined) throw new Error('there is no such stage');
  const seen: string[] = [];
  let pages = 0;
  for (let from: Place | null = { at: null, id: null }; from !== null; pages++) {
    const page = await follows.page(world.db, { member: reader, from, limit: PAGE });
    expect(page.rows.every(({ owed }) => owed)).toBe(true);
    seen.push(...page.rows.map(({ subject }) => subject));
    from = page.next;
  }
  const newest = await world.db.query<{ id: string }>({ text: 'select id from reeds order by published_at desc, id desc' });
  expect(seen).toEqual(newest.map(({ id }) => id));
  // No page reads more than 16 of the first author's.
  expect(pages).toBeGreaterThanOrEqual(Math.ceil(OF_ONE / 16));
});
