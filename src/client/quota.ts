// Watching how full this device is, while there is a connection: over the bound, authors are let go of by room.ts until there is room again. When
// what is left is the member's own or wanted, the app is told that only the person can free more.
import type { Timer } from '../base/clock.ts';
import type { Limits } from '../base/limits.ts';
import type { Room } from './room.ts';
import type { ServerTime } from './server-time.ts';
import type { Emit, QuotaState } from './types.ts';

const PERCENT = 100;

/** What the medium gives this member and what of it is used; null while that is not known. */
export type Space = { readonly usedBytes: number; readonly quotaBytes: number };
export type Measure = () => Promise<Space | null>;

export type QuotaDeps = {
  readonly time: ServerTime;
  readonly limits: Pick<Limits, 'quotaLookMs' | 'quotaFreeFromPercent' | 'quotaFreeToPercent'>;
  readonly room: Pick<Room, 'free'>;
  /** Absent where the medium has no bound of its own. */
  readonly measure: Measure | undefined;
  emit: Emit;
};

export class Quota {
  readonly #deps: QuotaDeps;
  #timer: Timer | null = null;
  #isConnected = false;
  #looking: Promise<void> | null = null;
  #state: QuotaState = 'enough';
  /** What was freed, and how much was used then: media give space back late, so what they still show of it is no reason to free more. */
  #freed = { bytes: 0, atBytes: 0 };

  constructor(deps: QuotaDeps) {
    this.#deps = deps;
  }

  get state(): QuotaState {
    return this.#state;
  }

  connected(): void {
    this.#isConnected = true;
    this.#look();
  }

  disconnected(): void {
    this.#isConnected = false;
    this.#timer?.cancel();
  }

  #look(): void {
    const { measure, time, limits } = this.#deps;
    if (!measure) return;
    this.#looking ??= this.#watch(measure)
      // What can't be measured or freed now is looked at again.
      .catch(() => undefined)
      .finally(() => {
        this.#looking = null;
        this.#timer?.cancel();
        if (this.#isConnected) this.#timer = time.after(limits.quotaLookMs, () => this.#look());
      });
  }

  async #watch(measure: Measure): Promise<void> {
    const { limits } = this.#deps;
    const space = await measure();
    if (!space || space.quotaBytes <= 0) return;
    const { usedBytes, quotaBytes } = space;
    const fromBytes = (quotaBytes * limits.quotaFreeFromPercent) / PERCENT;
    if (usedBytes < fromBytes) {
      this.#freed = { bytes: 0, atBytes: 0 };
      return this.#to('enough', space);
    }
    const lateBytes = Math.max(0, this.#freed.bytes - Math.max(0, this.#freed.atBytes - usedBytes));
    if (usedBytes <= this.#freed.atBytes || usedBytes - lateBytes < fromBytes) return;
    this.#to('freeing', space);
    const wantedBytes = usedBytes - lateBytes - (quotaBytes * limits.quotaFreeToPercent) / PERCENT;
    const freed = await this.#deps.room.free(async ({ bytes }) => bytes >= wantedBytes);
    this.#freed = { bytes: lateBytes + freed.bytes, atBytes: usedBytes };
    this.#to(freed.bytes >= wantedBytes ? 'enough' : 'nearly-full', space);
  }

  #to(state: QuotaState, space: Space): void {
    if (state === this.#state) return;
    this.#state = state;
    this.#deps.emit({ type: 'quota', state, ...space });
  }
}
