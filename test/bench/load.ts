// What a load process does, whichever server it loads: keeps so many requests outstanding (closed loop), or makes them on a schedule (open loop),
// and counts what comes of them. Times are those of the machine's monotonic clock, which all processes share.
import { OffsetClock, pause } from '../../src/base/clock.ts';

/** A member of either server that asks when it is told to. */
export interface Asker {
  /** Sends request number `sequence`. */
  ask(sequence: number): void;
  cut(): void;
}

export type LoadCounts = {
  readonly asked: number;
  readonly delivered: number;
  readonly settled: number;
  readonly refused: number;
  /** REED_STATS that came. */
  readonly told: number;
};
export type Samples = { readonly fromSchedule: Float64Array; readonly fromAnswer: Float64Array };

const clock = new OffsetClock();
const [seconds, nanoseconds] = process.hrtime();
const offsetMs = seconds * 1_000 + nanoseconds / 1e6 - performance.now();

/** Milliseconds, the same in every process of this machine. */
export const sharedNow = (): number => performance.now() + offsetMs;

const DRAIN_MS = 30_000;
const SCHEDULE_EVERY_MS = 1;
/** How many requests may be in the air at once before a number is used again. */
const RING = 1 << 18;

export class Load {
  readonly askers: Asker[] = [];
  #target = 0;
  #counts = { asked: 0, delivered: 0, settled: 0, refused: 0, told: 0 };
  #refusal = '';
  readonly #scheduledAt = new Float64Array(RING);
  #samples: { fromSchedule: number[]; fromAnswer: number[] } | null = null;

  get outstanding(): number {
    return this.#counts.asked - this.#counts.settled - this.#counts.refused;
  }

  counts(): LoadCounts {
    return { ...this.#counts };
  }

  /** Keeps `target` requests outstanding from now on. */
  keep(target: number): void {
    this.#target = target;
    this.#fill();
  }

  askEach(): void {
    for (const _ of this.askers) this.#ask(sharedNow());
  }

  /** Asks no more and waits for what is outstanding. @throws Error if it does not come */
  async drain(): Promise<void> {
    this.#target = 0;
    const until = performance.now() + DRAIN_MS;
    while (this.outstanding > 0) {
      if (performance.now() > until) throw new Error(`${this.outstanding} requests were never settled`);
      await pause(clock, 5);
    }
    if (this.#counts.refused > 0) throw new Error(`${this.#counts.refused} requests were refused: ${this.#refusal}`);
  }

  /** Makes `perSecond` requests a second for a time at exponential distances, whatever becomes of them. */
  async schedule(perSecond: number, forMs: number): Promise<Samples> {
    const samples = { fromSchedule: [] as number[], fromAnswer: [] as number[] };
    this.#samples = samples;
    const from = sharedNow();
    let next = from + gapMs(perSecond);
    while (sharedNow() < from + forMs) {
      for (; next <= sharedNow(); next += gapMs(perSecond)) this.#ask(next);
      await pause(clock, SCHEDULE_EVERY_MS);
    }
    await this.drain();
    this.#samples = null;
    return { fromSchedule: Float64Array.from(samples.fromSchedule), fromAnswer: Float64Array.from(samples.fromAnswer) };
  }

  /** A copy arrived at its requester, sent by its holder at `answeredAt`. */
  delivered(sequence: number, answeredAt: number): void {
    this.#counts.delivered += 1;
    if (this.#samples === null) return;
    const now = sharedNow();
    this.#samples.fromSchedule.push(now - (this.#scheduledAt[sequence % RING] as number));
    this.#samples.fromAnswer.push(now - answeredAt);
  }

  /** A copy arrived that nobody asked for: it counts as if its member had. */
  owed(): void {
    this.#counts.asked += 1;
    this.#counts.delivered += 1;
  }

  told(): void {
    this.#counts.told += 1;
  }

  /** `count` deliveries are over for good. */
  settled(count: number): void {
    this.#counts.settled += count;
    this.#fill();
  }

  refused(why: string): void {
    this.#counts.refused += 1;
    this.#refusal = why;
  }

  end(): void {
    for (const asker of this.askers.splice(0)) asker.cut();
  }

  #fill(): void {
    while (this.outstanding < this.#target) this.#ask(sharedNow());
  }

  #ask(scheduledAt: number): void {
    const sequence = this.#counts.asked;
    this.#scheduledAt[sequence % RING] = scheduledAt;
    this.#counts.asked += 1;
    this.askers[sequence % this.askers.length]?.ask(sequence);
  }
}

const gapMs = (perSecond: number): number => (-Math.log(1 - Math.random()) / perSecond) * 1_000;
