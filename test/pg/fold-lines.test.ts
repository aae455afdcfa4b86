// Lines for copies of another server. Read a page at a time: everybody who stands in them is told when that server is lost, however long one line is.
// And who is put in one: nobody for whom no server is left to be asked, which the look at the line would undo at once, and the next look again.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { linesOf } from '../../src/ledger/crossing-ends.ts';
import { peersLive, rouseLines } from '../../src/ledger/fold-peers.ts';
import { openForeign } from '../../src/ledger/foreign.ts';
import { promote } from '../../src/ledger/promote.ts';
import { sentinelsArrive } from '../../src/presence/sentinels.ts';
import type { ReedId, ServerId, UserId } from '../../src/wire/address.ts';
import { assignEvents, World } from '../support/ledger-world.ts';

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

it('everybody who stands in them is roused, a page in each statement', async () => {
  const { subjects } = await linesOf({ ...world.context, limits: { ...world.context.limits, fanoutItems: 1_000 } }, PEER, '');
  const before = world.db.statements;
  await rouseLines(world.context, subjects, Date.now());
  expect(await world.db.query({ text: 'select from pending_events where state = 4' })).toHaveLength(9);
  expect(world.db.statements - before).toBe(1 + 5);
});

it('whoever is put in line again meanwhile is roused once', async () => {
  await world.db.query({ text: 'update pending_events set state = 5' });
  await world.db.query({
    text: `create function put_back() returns trigger language plpgsql as $$ begin new.state = 5; return new; end $$`,
  });
  await world.db.query({
    text: 'create trigger puts_back before update on pending_events for each row when (old.state = 5 and new.state = 4) execute function put_back()',
  });
  try {
    const { subjects } = await linesOf({ ...world.context, limits: { ...world.context.limits, fanoutItems: 1_000 } }, PEER, '');
    const before = world.db.statements;
    const at = Date.now() + 60_000;
    await rouseLines(world.context, [...subjects, ...subjects], at);
    expect(world.db.statements - before).toBe(5);
    expect(await world.db.query({ text: 'select from pending_events where due_at = $1', values: [new Date(at)] })).toHaveLength(9);
  } finally {
    await world.db.query({ text: 'drop trigger puts_back on pending_events' });
  }
  await world.db.query({ text: 'update pending_events set state = 4' });
});

const THIRD = 'cccccccccccccccc' as ServerId;
const now = Date.now();

/** A reed of ours that these servers have a holder of; its author is online. */
const reedOf = async (name: string, servers: readonly ServerId[]): Promise<ReedId> => {
  const [author] = await world.community(name);
  const reed = await world.reed(author as UserId);
  await world.db.query({
    text: `with s as (insert into servers (id, name, first_seen_at) select id, id, now() from unnest($2::text[]) as u(id) on conflict do nothing)
      insert into reed_server_allocations (reed_id, server_id, holding) select $1, id, true from unnest($2::text[]) as u(id)`,
    values: [reed, servers],
  });
  return reed;
};
/** The holder failed for this event, and is not to be asked before then. */
const fails = (eventId: string, holder: string, untilMs: number) =>
  world.db.query({
    text: `insert into pending_event_attempts (event_id, holder, failures, outcome, not_before) values ($1, $2, 1, 'error', $3) on conflict (event_id, holder) do update set not_before = $3`,
    values: [eventId, holder, new Date(untilMs)],
  });
const stateOf = async (id: string) => (await world.events()).find((event) => event.event_id === id)?.state;

it('a peer that asks for what only it has elsewhere waits for the holder who backs off, in no line', async () => {
  const reed = await reedOf('ann', [PEER]);
  await peersLive(world.db, [PEER]);
  await sentinelsArrive(world.db.kysely, [PEER]);
  const userId = `dddddddddddddddd@${PEER}` as UserId;
  const eventId = randomUUID();
  const asked = { eventId, server: PEER, peerRequestId: randomUUID(), userId, keyId: `${userId}/k`, kind: 'reed', subject: reed } as const;
  await openForeign(world.context, { ...asked, isFallback: false, slot: 1 }, now);
  await fails(eventId, reed.split('/')[0] as string, now + 5_000);
  const [looked] = await assignEvents(world.context, { events: [{ eventId }], requesters: [] }, now);
  expect([looked?.state, await stateOf(eventId)]).toEqual([4, 4]);
  const [later] = await assignEvents(world.context, { events: [{ eventId }], requesters: [] }, now + 5_000);
  expect(later?.holder).toBe(reed.split('/')[0]);
});

it.each([
  ['has just been asked in vain', true],
  ['is no peer any more', false],
] as const)('a member whose only other server %s waits for the holder who backs off, in no line', async (name, isPeer) => {
  const reed = await reedOf(`bea ${name.length}`, [THIRD]);
  await world.db.query({ text: 'delete from fold_peers' });
  if (isPeer) await peersLive(world.db, [THIRD]);
  const [reader] = await world.community(`reader ${name.length}`);
  const { eventId } = await world.opened(reader as UserId, reed, now);
  const holder = reed.split('/')[0] as string;
  await world.db.query({ text: 'update pending_events set state = 4, holder = null where event_id = $1', values: [eventId] });
  await fails(eventId, holder, now + 5_000);
  if (isPeer) await fails(eventId, `peer@${THIRD}`, now + 60_000);
  const look = async (at: number) => (await assignEvents(world.context, { events: [{ eventId }], requesters: [] }, at))[0]?.state;
  expect(await look(now)).toBe(4);
  // Once that server may be asked it stands in line, and crosses.
  if (!isPeer) await peersLive(world.db, [THIRD]);
  await fails(eventId, holder, now + 90_000);
  expect(await look(now + 60_000)).toBe(5);
  expect((await promote(world.context, [reed], now + 60_000)).crossing).toMatchObject([{ eventId, server: THIRD }]);
});
