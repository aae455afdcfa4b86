// The process's clock, moved ahead by a test: deadlines come at once, while timers, heartbeats and round trips go on as they are.
import { OffsetClock } from '../../src/base/clock.ts';

export class MovedClock extends OffsetClock {
  #aheadMs = 0;

  move(byMs: number): void {
    this.#aheadMs += byMs;
  }

  override now(): number {
    return super.now() + this.#aheadMs;
  }
}
