// A row that somebody else has at this moment is tried again, as the ledger's batches do: over 2 s, longer than any of our statements takes.
import { doubling } from '../base/backoff.ts';
import { type Clock, pause } from '../base/clock.ts';
import type { Limits } from '../base/limits.ts';

export type Patience = {
  readonly clock: Clock;
  readonly limits: Pick<Limits, 'lockedTries' | 'lockedPauseFirstMs' | 'lockedPauseMaxMs'>;
};

/** The outcome of `step`, once it is not locked any more, or after the last try. */
export async function patiently<T>({ clock, limits }: Patience, step: () => Promise<T>, isLocked: (outcome: T) => boolean): Promise<T> {
  for (let tries = 1; ; tries++) {
    const outcome = await step();
    if (!isLocked(outcome) || tries >= limits.lockedTries) return outcome;
    await pause(clock, doubling(tries, limits.lockedPauseFirstMs, limits.lockedPauseMaxMs));
  }
}
