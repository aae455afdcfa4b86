// One timer for all sockets: a ring of slots that a single tick walks round. What is due later than one round is looked at once a
// round. No entry is ever kept after `remove`, and adding, moving and removing cost the same whatever else is in the wheel.
import type { Clock, Timer } from '../base/clock.ts';

/** Something with a next moment. The wheel alone writes `slot` and `place`; -1 is: not in the wheel. */
export interface Timed {
  slot: number;
  place: number;
  /** Monotonic time at which `due` is called, give or take a tick. */
  dueAt: number;
  /** Acts, and returns when it is due next; null: never again. */
  due(nowMs: number): number | null;
}

const SLOTS = 256;

export class TimerWheel {
  readonly #clock: Clock;
  readonly #tickMs: number;
  readonly #onTick: (nowMs: number) => void;
  readonly #slots: Timed[][] = Array.from({ length: SLOTS }, () => []);
  #ticked: number;
  #timer: Timer | null = null;

  /** `onTick` runs once a tick, after what was due. */
  constructor(clock: Clock, tickMs: number, onTick: (nowMs: number) => void) {
    this.#clock = clock;
    this.#tickMs = tickMs;
    this.#onTick = onTick;
    this.#ticked = Math.floor(clock.monotonicMs() / tickMs);
    this.#arm();
  }

  /** Puts `timed` at `dueAt`, wherever it was before. */
  set(timed: Timed, dueAt: number): void {
    this.remove(timed);
    timed.dueAt = dueAt;
    const tick = Math.max(this.#ticked + 1, Math.ceil(dueAt / this.#tickMs));
    timed.slot = tick % SLOTS;
    const slot = this.#slots[timed.slot] ?? [];
    timed.place = slot.length;
    slot.push(timed);
  }

  remove(timed: Timed): void {
    if (timed.slot < 0) return;
    const slot = this.#slots[timed.slot] ?? [];
    const last = slot.pop();
    if (last !== undefined && last !== timed) {
      slot[timed.place] = last;
      last.place = timed.place;
    }
    timed.slot = -1;
    timed.place = -1;
  }

  /** Stops the tick; entries stay where they are. */
  stop(): void {
    this.#timer?.cancel();
    this.#timer = null;
  }

  #arm(): void {
    this.#timer = this.#clock.after(this.#tickMs, () => {
      this.#arm();
      this.#turn();
    });
  }

  #turn(): void {
    const now = this.#clock.monotonicMs();
    const target = Math.floor(now / this.#tickMs);
    // After a stall longer than a round every slot is looked at once.
    for (let tick = Math.max(this.#ticked + 1, target - SLOTS + 1); tick <= target; tick++) this.#look(tick, now);
    this.#ticked = Math.max(this.#ticked, target);
    this.#onTick(now);
  }

  #look(tick: number, now: number): void {
    this.#ticked = tick;
    for (const timed of [...(this.#slots[tick % SLOTS] ?? [])]) {
      if (timed.slot < 0 || timed.dueAt > now) continue;
      const next = timed.due(now);
      if (next === null) this.remove(timed);
      else this.set(timed, next);
    }
  }
}
