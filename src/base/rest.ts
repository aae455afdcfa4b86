// Waiting until nothing is under way any more. Whoever waits looks at counters, and takes little of the processor that the work needs.
import { OffsetClock, pause } from './clock.ts';

/** What one piece of work sets going runs within so many turns of the event loop. */
const QUIET_TURNS = 3;
const LOOK_EVERY_MS = 1;

/** Resolves when `isIdle` has held for some turns of the event loop, one after the other. */
export const untilIdle = async (isIdle: () => boolean): Promise<void> => {
  const clock = new OffsetClock();
  for (let quiet = 0; quiet < QUIET_TURNS; ) {
    await new Promise((turn) => setImmediate(turn));
    if (isIdle()) quiet += 1;
    else {
      quiet = 0;
      await pause(clock, LOOK_EVERY_MS);
    }
  }
};
