// Nothing is left of members who come and vanish at every point of a connection's life, nor of what was relayed: neither in the server's
// memory nor in its handles nor in its database. The long form is `npm run soak`.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { grown, soak } from '../bench/soak-run.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createDatabase();
});
afterAll(() => database.drop());

/** What leaks with each shows with so many already. */
const EACH = 2_000;
// Twenty seconds for two thousand on two idle cores. Nothing is timed: on a machine with more to do it takes as long as it takes.
const TIMEOUT_MS = 600_000;

test(`${EACH} members who vanish and as many relayed events leave nothing behind`, { timeout: TIMEOUT_MS }, async () => {
  const rows = await soak({ databaseUrl: database.url, cycles: EACH, events: EACH });
  expect(grown(rows)).toEqual([]);
  // It was looked at what could grow: our own maps by name, handles, every table.
  const measured = new Map(rows.map(({ what, end }) => [what, end]));
  for (const what of ['map: Gateway.#connections', 'map: Looks.#full', 'map: Budgets.#members', 'handles: Timeout', 'heap, bytes']) {
    expect(measured.get(what), what).toBeGreaterThan(0);
  }
  expect(measured.get('rows, unlogged: online_users')).toBe(0);
  expect(measured.get('rows, unlogged: pending_events')).toBe(0);
  expect(measured.get('dead rows: pending_events')).toBe(0);
});
