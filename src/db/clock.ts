// Times that another process compares come from the database's clock (I10). This measures how far ours is off and sets it right,
// at the start and once a minute; between two measures the monotonic clock counts on.
import type { Logger } from 'pino';
import type { OffsetClock, Timer } from '../base/clock.ts';
import type { Database } from './pool.ts';

export type ClockKeeper = { close(): void };

const LOOKS = 3;
const NOW = { name: 'clock_now', text: 'select extract(epoch from clock_timestamp())::float8 * 1000 as now' };

/** Sets `clock` to the database's time by the quickest of a few looks; the error is at most half that look's round trip. */
export const synchronizeClock = async (database: Database, clock: OffsetClock): Promise<void> => {
  let best: { roundTripMs: number; middleMs: number; now: number } | null = null;
  for (let look = 0; look < LOOKS; look += 1) {
    const before = clock.monotonicMs();
    const [row] = await database.query<{ now: number }>(NOW);
    const roundTripMs = clock.monotonicMs() - before;
    if (row !== undefined && (best === null || roundTripMs < best.roundTripMs))
      best = { roundTripMs, middleMs: before + roundTripMs / 2, now: row.now };
  }
  if (best !== null) clock.synchronize(best.now + (clock.monotonicMs() - best.middleMs));
};

/** Measures now and then every `everyMs` until closed. A measure that fails is logged; the next one is taken all the same. */
export const keepClock = async (options: {
  database: Database;
  clock: OffsetClock;
  everyMs: number;
  log: Logger;
}): Promise<ClockKeeper> => {
  const { database, clock, everyMs, log } = options;
  let timer: Timer | null = null;
  let closed = false;
  const again = (): void => {
    if (closed) return;
    timer = clock.after(everyMs, () => {
      synchronizeClock(database, clock)
        .catch(() => log.warn("the database's clock could not be read"))
        .finally(again);
    });
  };
  await synchronizeClock(database, clock);
  again();
  return {
    close: () => {
      closed = true;
      timer?.cancel();
    },
  };
};
