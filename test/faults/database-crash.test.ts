// Postgres that ends under load: at once, or by the loss of one backend, which empties the ledger without a restart of anything. A thousand members have
// requests open; each is driven again or failed by name, and what was SETTLED is there.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Askers } from '../support/askers.ts';
import { type TestServer as Postgres, startServer as startPostgres } from '../support/database.ts';
import { byTurns } from '../support/length.ts';
import { startServer, type TestServer } from '../support/server.ts';

const MEMBERS = 1_000;
const HOLDERS = 20;
/** How long it takes is a matter of measuring, on a machine with nothing else to do; here it only has an end. */
const GENEROUS_MS = 100_000;
/** Nobody is taken for slow or silent, on a loaded machine either: what is asked again is asked again for the loss alone. */
const NEVER_MS = 3_600_000;
const LIMITS = { failedSignInsPerMinute: 1e6, dispatchDeadlineMs: NEVER_MS, pongWaitMs: NEVER_MS, pongWaitMaxMs: NEVER_MS };

let postgres: Postgres;
let server: TestServer;
let crowd: Askers;

beforeAll(async () => {
  postgres = await startPostgres();
  server = await startServer({ database: { url: postgres.url, drop: async () => undefined }, limits: LIMITS });
});

beforeEach(async () => {
  crowd = await Askers.gather(server, MEMBERS, HOLDERS);
});

afterEach(() => crowd.leave());

afterAll(async () => {
  await server.close();
  await postgres.stop();
});

const backend = async (): Promise<number> => {
  const [row] = await crowd.community.rows<{ pid: number }>(
    `select pid from pg_stat_activity where application_name = 'reedbed ledger' limit 1`,
  );
  return row?.pid ?? 0;
};

describe('after the end of the database under load', () => {
  const deaths = [
    { what: 'an immediate stop', signal: 'SIGQUIT' as const, victim: async () => postgres.pid },
    { what: 'kill -9 of one backend', signal: 'SIGKILL' as const, victim: backend },
  ];
  it.each(byTurns(deaths, 2))(
    'by $what every open request is driven again or failed by name, and no copy that was SETTLED is forgotten',
    async ({ victim, signal }) => {
      const [before, pid] = [await crowd.epoch(), await victim()];
      crowd.askAll();
      await crowd.settled(MEMBERS / 4);
      crowd.forgetDriven();
      process.kill(pid, signal);
      const isBack = () =>
        crowd.epoch().then(
          (epoch) => epoch !== undefined && epoch !== before,
          () => false,
        );
      await expect.poll(isBack, { timeout: GENEROUS_MS, interval: 20 }).toBe(true);
      await crowd.restore();
      await crowd.allDriven();
      await crowd.settled(MEMBERS);
      expect(await crowd.forgotten()).toEqual([]);
      expect(await crowd.community.rows('select event_id from pending_events')).toEqual([]);
    },
    3 * GENEROUS_MS,
  );
});
