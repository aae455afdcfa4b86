// The process's clock, moved ahead by a test: deadlines come at once, while timers, heartbeats and round trips go on as they are.
import { OffsetClock } from '../../src/base/clock.ts';

export class MovedClock extends OffsetClock {
  #aheadMs = 0;

  move(byMs: number): void {
    this.#aheadMs += byMs;
  }

  /** Lets a second pass after another, and what is due by then happen, until something is so; as long as the test may take. */
  async passUntil(server: { settle(): Promise<void> }, isSo: () => boolean | Promise<boolean>): Promise<void> {
    for (;;) {
      await server.settle();
      this.move(1_000);
      if (await isSo()) return;
    }
  }

  override now(): number {
    return super.now() + this.#aheadMs;
  }
}
