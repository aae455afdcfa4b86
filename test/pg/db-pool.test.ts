// The pool on a real database: how values are read, what is counted, and what an error of a statement tells.
import { sql } from 'kysely';
import pino from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { OffsetClock } from '../../src/base/clock.ts';
import { synchronizeClock } from '../../src/db/clock.ts';
import { SQLSTATE, sqlStateOf, violates } from '../../src/db/errors.ts';
import { type Database, openDatabase } from '../../src/db/pool.ts';
import { createDatabase, overTcp, run, type TestDatabase } from '../support/database.ts';

const log = pino({ level: 'silent' });
let test: TestDatabase;
let database: Database;

beforeAll(async () => {
  test = await createDatabase();
  database = await openDatabase({ url: test.url, role: 'application', connections: 4, log });
  await run(test.url, 'create table counters (id int primary key, value bigint not null)', 'insert into counters values (1, 0), (2, 0)');
});

afterAll(async () => {
  await database.close();
  await test.drop();
});

describe('Database', () => {
  it('reads int8 as a number while it is safe, date as its text and timestamptz as a Date', async () => {
    const [row] = await database.query<Record<string, unknown>>({
      text: `select 5::int8 as small, 9007199254740993 as big, array[1, null, 3]::int8[] as many, date '2026-02-03' as day, timestamptz '2026-02-03T04:05:06Z' as at`,
    });
    expect(row).toEqual({ small: 5, big: 9007199254740993n, many: [1, null, 3], day: '2026-02-03', at: new Date('2026-02-03T04:05:06Z') });
  });

  it('counts each statement, begin and commit included', async () => {
    const before = database.statements;
    await database.query({ name: 'one', text: 'select $1::int as n', values: [1] });
    await database.query({ name: 'one', text: 'select $1::int as n', values: [2] });
    expect(database.statements - before).toBe(2);
    await database.transaction((tx) => sql`select 1`.execute(tx));
    expect(database.statements - before).toBe(5);
  });

  it('prepares a named statement once on a connection', async () => {
    const single = await openDatabase({ url: test.url, role: 'application', connections: 1, log });
    for (const n of [1, 2, 3]) await single.query({ name: 'prepared_once', text: 'select $1::int as n', values: [n] });
    const rows = await single.query<{ calls: number }>({
      text: `select generic_plans + custom_plans as calls from pg_prepared_statements where name = 'prepared_once'`,
    });
    expect(rows).toEqual([{ calls: 3 }]);
    await single.close();
  });

  it('limits transactions in time, and plans without sequential scans only for the ledger', async () => {
    const ledger = await openDatabase({ url: test.url, role: 'ledger', connections: 1, log });
    const text = `select current_setting('enable_seqscan') as seqscan, current_setting('transaction_timeout') as t, current_setting('idle_in_transaction_session_timeout') as idle`;
    expect(await database.query({ text })).toEqual([{ seqscan: 'on', t: '10s', idle: '5s' }]);
    expect(await ledger.query({ text })).toEqual([{ seqscan: 'off', t: '10s', idle: '5s' }]);
    await ledger.close();
  });

  it('names SQLSTATE and constraint of an error, and nothing of the row', async () => {
    const failed = await database.query({ text: 'insert into counters values ($1, 7)', values: [1] }).catch((error: unknown) => error);
    expect(failed).toMatchObject({ code: 'INTERNAL' });
    expect(sqlStateOf(failed)).toBe(SQLSTATE.uniqueViolation);
    expect(violates(failed, 'counters_pkey')).toBe(true);
    const secret = await database.query({ text: 'select $1::text::uuid', values: ['whispered words'] }).catch((error: unknown) => error);
    const shown = [];
    for (let error = secret as Error | undefined; error !== undefined; error = error.cause as Error | undefined)
      shown.push(error.message, error.stack, JSON.stringify(error));
    expect(sqlStateOf(secret)).toBe('22P02');
    expect(shown.join(' ')).not.toContain('whispered');
  });

  it('rolls back and passes on what the work of a transaction throws', async () => {
    const reason = new Error('changed my mind');
    const work = database.transaction(async (tx) => {
      await sql`update counters set value = 99 where id = 2`.execute(tx);
      throw reason;
    });
    await expect(work).rejects.toBe(reason);
    expect(await database.query({ text: 'select value from counters where id = 2' })).toEqual([{ value: 0 }]);
  });

  it('refuses a statement of a transaction that has ended', async () => {
    const leaked = await database.transaction(async (tx) => tx);
    await expect(sql`select 1`.execute(leaked)).rejects.toThrow();
    const before = database.statements;
    await expect(leaked.selectFrom('ledger_epoch').selectAll().execute()).rejects.toThrow('ended');
    expect(database.statements).toBe(before);
  });

  it("does a deadlock's victim again from its start", async () => {
    const { promise: held, resolve: bothHold } = Promise.withResolvers<void>();
    let holding = 0;
    let starts = 0;
    const ended = Promise.withResolvers<void>();
    const add = (first: number, second: number): Promise<void> =>
      database.transaction(async (tx) => {
        starts += 1;
        // The victim comes back when the other is done: sooner it could meet it again.
        if (starts > 2) await ended.promise;
        await sql`update counters set value = value + 1 where id = ${first}`.execute(tx);
        holding += 1;
        if (holding === 2) bothHold();
        await held;
        await sql`update counters set value = value + 1 where id = ${second}`.execute(tx);
      });
    await Promise.all([add(1, 2), add(2, 1)].map((adding) => adding.then(ended.resolve)));
    expect(starts).toBe(3);
    expect(await database.query({ text: 'select value from counters order by id' })).toEqual([{ value: 2 }, { value: 2 }]);
  });

  it('does a failed serialization again, a bounded number of times', async () => {
    let starts = 0;
    const hopeless = database.transaction(async (tx) => {
      starts += 1;
      await sql`do $$ begin raise exception using errcode = '40001'; end $$`.execute(tx);
    });
    const failed = await hopeless.catch((error: unknown) => error);
    expect(sqlStateOf(failed)).toBe(SQLSTATE.serializationFailure);
    expect(starts).toBe(5);
  });

  it.each([
    ['by TCP', overTcp],
    ['by the socket of a machine', (url: string) => url],
  ])('rejects at once when aborted, and cancels the statement, %s', async (_, by) => {
    const abort = new AbortController();
    await using owned = new AsyncDisposableStack();
    const reached = await openDatabase({ url: by(test.url), role: 'application', connections: 1, log });
    owned.defer(() => reached.close());
    const slow = reached.query({ text: `select pg_sleep(600), 'to be cancelled'` }, abort.signal);
    const busy = `select pid from pg_stat_activity where state = 'active' and query like '%to be cancelled%' and pid <> pg_backend_pid()`;
    await expect.poll(() => database.query({ text: busy })).toHaveLength(1);
    abort.abort(new Error('no longer wanted'));
    await expect(slow).rejects.toThrow('no longer wanted');
    await expect.poll(() => database.query({ text: busy })).toEqual([]);
    await expect(database.query({ text: 'select 1' }, AbortSignal.abort(new Error('too late')))).rejects.toThrow('too late');
  });
});

describe('the clock', () => {
  it("is set to the database's time", async () => {
    const clock = new OffsetClock();
    const databaseNow = async (): Promise<number> => {
      const [row] = await database.query<{ now: number }>({ text: 'select extract(epoch from clock_timestamp())::float8 * 1000 as now' });
      return Math.floor(row?.now ?? Number.NaN);
    };
    clock.synchronize(0);
    const before = await databaseNow();
    await synchronizeClock(database, clock);
    const shown = clock.now();
    // The measure may be half a round trip ahead: one goes by before the database is asked again.
    await databaseNow();
    const after = await databaseNow();
    expect([before, shown, after]).toEqual([before, shown, after].toSorted((one, other) => one - other));
  });
});
