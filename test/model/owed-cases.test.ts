// Single histories that the generator seldom comes to: a process that dies exactly between a commit and what follows it.
import { afterEach, expect, it } from 'vitest';
import type { Database, Sql } from '../../src/db/pool.ts';
import type { Device } from './owed-device.ts';
import { type OwedMove, OwedMoves } from './owed-moves.ts';
import { OwedPlay } from './owed-play.ts';
import { openOwedStage } from './owed-stage.ts';
import { type Life, Seat, type Stage } from './stage.ts';

let stage: Stage | null = null;
afterEach(() => stage?.close());

const [AUTHOR, FOLLOWER] = [0, 1];

const open = async (): Promise<{ play: OwedPlay; moves: OwedMoves; go: (move: Partial<OwedMove>) => Promise<void> }> => {
  const owed = await openOwedStage({}, 2);
  stage = owed.stage;
  await stage.start(0);
  await stage.start(1);
  const play = new OwedPlay(owed);
  const moves = new OwedMoves(play);
  const go = async (move: Partial<OwedMove>): Promise<void> =>
    play.run(await moves.actions([{ kind: 'time', a: 0, b: 0, c: 1, turns: 0, ...move }]));
  return { play, moves, go };
};

it('a follow whose process died before it could tell of it brings what the author wrote once it is stated again', async () => {
  const { go, moves, play } = await open();
  await go({ kind: 'arrive', a: AUTHOR, b: 1 });
  await go({ kind: 'arrive', a: FOLLOWER, b: 1 });
  await go({ kind: 'publish', a: AUTHOR, b: 5 });
  const [post] = play.model.posts.keys();
  const follower = play.devices[FOLLOWER];
  const dying = play.stage.life(0);
  dying?.lightFuse(1, 'transactions', () => play.stage.kill(0));
  await go({ kind: 'follow', a: FOLLOWER });
  expect(play.unanswered).toHaveLength(1);
  expect(play.model.follows.size, 'it was committed').toBe(1);
  expect([...(follower?.copies ?? [])]).toEqual([]);
  await moves.actions([]);
  if (follower) await play.run(moves.again(follower).map((action) => ({ ...action, turns: 0 })));
  expect([...(follower?.copies ?? [])]).toEqual([[post, 'held']]);
});

it('the end of a key whose process died before it could tell of it is told by another one once its lease is over', async () => {
  const { go, moves, play } = await open();
  const [author, reader] = play.devices as [Device, Device];
  const key = author.person.keyId;
  await go({ kind: 'arrive', a: FOLLOWER, b: 1 });
  await go({ kind: 'readKey', a: FOLLOWER, b: AUTHOR, c: 0 });
  expect(reader.keys.get(key)).toBe('good');
  play.stage.life(0)?.lightFuse(1, 'transactions', () => play.stage.kill(0));
  await moves.actions([]);
  const recovery = await moves.end(author, 'recover');
  await play.run(recovery.map((action) => ({ ...action, turns: 0, crashes: true })));
  expect([play.model.ended.has(key), reader.keys.get(key)], 'it was committed, and not told').toEqual([true, 'good']);
  await go({ kind: 'time', b: 10 });
  expect(reader.keys.get(key)).toBe('ended');
});

it('a page of an earlier sync that comes to its end late does not end the stage of a newer one', async () => {
  const { go, play } = await open();
  const { world } = play.stage;
  await go({ kind: 'follow', a: FOLLOWER });
  await go({ kind: 'arrive', a: AUTHOR, b: 1 });
  await go({ kind: 'publish', a: AUTHOR, b: 5 });
  const [post] = play.model.posts.keys();
  const follower = play.devices[FOLLOWER] as Device;
  const owed = Promise.withResolvers<void>();
  const begun = Promise.withResolvers<void>();
  let pages = 0;
  // Once the first page is owed, its member leaves; what was owed ends; it is back and has begun anew before the page's end is written.
  after(world.db, async ({ name }) => {
    if (name !== 'ledger_owe' || ++pages > 1) return;
    owed.resolve();
    await begun.promise;
  });
  let starts = 0;
  after(play.stage.application, async ({ name }) => {
    if (name !== 'catchup_start' || ++starts < 2) return;
    begun.resolve();
    for (let looks = 0; looks < 20; looks += 1) await world.db.query({ text: 'select from catchup_positions' });
  });
  const first = go({ kind: 'arrive', a: FOLLOWER, b: 1 });
  await owed.promise;
  follower.seat?.close();
  follower.left();
  while ((await world.db.query({ text: 'select from online_users where user_id = $1', values: [follower.id] })).length > 0);
  const seat = new Seat(play.stage.life(0) as Life, follower.person.member, (at, frame) => follower.note(at, frame));
  await seat.life.signIn(seat);
  follower.seats = [seat];
  follower.sync();
  await first;
  expect([...follower.copies]).toEqual([[post, 'held']]);
});

it('a block that is stated anew during the second look of the one before keeps its debt', async () => {
  const { go, play } = await open();
  const { application } = play.stage;
  const debts = () => application.query({ text: 'select kind, looks from pending_fanout' });
  await go({ kind: 'block', a: AUTHOR });
  expect(await debts()).toEqual([{ kind: 'block', looks: 1 }]);
  let isStated = false;
  after(application, async ({ name }) => {
    if (name !== 'blocks-owed-about' || isStated) return;
    isStated = true;
    // As a process writes it that dies before it can tell.
    await application.query({ text: "update pending_fanout set looks = 0, due_at = due_at + interval '30 seconds'" });
  });
  await go({ kind: 'time', b: 8 });
  expect(await debts()).toEqual([{ kind: 'block', looks: 0 }]);
  for (const b of [11, 11]) await go({ kind: 'time', b });
  expect(await debts()).toEqual([]);
});

/** Does something between a statement and what follows it. */
const after = (db: Database, then: (sql: Sql) => Promise<void>): void => {
  const query = db.query.bind(db);
  db.query = async <Row>(sql: Sql, signal?: AbortSignal): Promise<Row[]> => {
    const rows = await query<Row>(sql, signal);
    await then(sql);
    return rows;
  };
};
