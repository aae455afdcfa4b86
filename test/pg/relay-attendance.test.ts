// What a member leaves behind is cleared up even if somebody has it locked at that moment.
import pino from 'pino';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { OffsetClock } from '../../src/base/clock.ts';
import { BatchLoad } from '../../src/db/batch.ts';
import type { Database, Sql } from '../../src/db/pool.ts';
import { STATE } from '../../src/ledger/state.ts';
import { Attendance } from '../../src/relay/attendance.ts';
import type { Looks } from '../../src/relay/looks.ts';
import type { UserId } from '../../src/wire/address.ts';
import { World } from '../support/ledger-world.ts';

let world: World;
beforeEach(async () => {
  world = await World.open();
});
afterEach(() => world.close());

/** Has the member leave while its event is locked, until the clearing up has been tried a few times. */
const leaveWhileLocked = async (which: 'requester' | 'holder'): Promise<void> => {
  const [author, viewer, reed] = await world.two();
  const { eventId } = await world.opened(viewer, reed, Date.now());
  const member: UserId = which === 'requester' ? viewer : author;
  await world.offline(member);
  let tries = 0;
  const query = <Row>(sql: Sql): Promise<Row[]> => {
    if (sql.name === 'ledger_left_of') tries += 1;
    return world.db.query<Row & object>(sql);
  };
  const nothing = (): void => undefined;
  const looks = { ended: nothing, assign: nothing, freed: nothing, placeFreed: nothing } as unknown as Looks;
  const { limits } = world;
  const load = new BatchLoad(limits.batchQueueItems, limits.batchQueueBytes);
  const log = pino({ level: 'silent' });
  const attendance = new Attendance({ ...world.context, db: { query } as unknown as Database, clock: new OffsetClock(), load, log, looks });
  let left: Promise<boolean> | null = null;
  await world.whileLocked('select from pending_events where event_id = $1 for update', [eventId], async () => {
    left = attendance.left(member);
    await expect.poll(() => tries).toBeGreaterThan(2);
  });
  expect(await left).toBe(false);
};

it('ends what a member asked for who left', async () => {
  await leaveWhileLocked('requester');
  expect(await world.events()).toEqual([]);
});

it('takes back what a member was asked for who left, at nobody’s charge', async () => {
  await leaveWhileLocked('holder');
  expect(await world.events()).toMatchObject([{ state: STATE.unassigned }]);
  expect(await world.db.query({ text: 'select from pending_event_attempts' })).toEqual([]);
});
