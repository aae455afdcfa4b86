// The clock of two servers that is moved while calls are under way: also what is measured by the monotonic clock, as a copy's time on the wire is.
import { MovedClock } from './moved-clock.ts';

export class FoldClock extends MovedClock {
  #movedMs = 0;

  override move(byMs: number): void {
    this.#movedMs += byMs;
    super.move(byMs);
  }

  override monotonicMs(): number {
    return super.monotonicMs() + this.#movedMs;
  }
}
