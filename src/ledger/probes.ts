// Looks for whom a holder of a subject could serve, which mostly find nothing. They ride on the next batch of acknowledgements, a later
// statement than the commit they follow; with none at hand or on its way they become a SPREAD of their own after a few milliseconds.
import type { Clock, Timer } from '../base/clock.ts';
import type { Limits } from '../base/limits.ts';
import type { ReedId, UserId } from '../wire/address.ts';
import type { HolderOfSubject } from './claim.ts';

export type ProbesDeps = { readonly clock: Clock; readonly limits: Limits };

export class Probes {
  readonly #deps: ProbesDeps;
  /** Somebody waits for this subject, or may: SPREAD it. */
  readonly found: (pair: HolderOfSubject) => void;
  /** Acknowledgements are being written or wait for it: a ride comes soon. */
  readonly #isRideComing: () => boolean;
  #waiting = new Map<ReedId, Set<UserId>>();
  #timer: Timer | null = null;

  constructor(deps: ProbesDeps, found: (pair: HolderOfSubject) => void, isRideComing: () => boolean) {
    this.#deps = deps;
    this.found = found;
    this.#isRideComing = isRideComing;
  }

  get idle(): boolean {
    return this.#waiting.size === 0;
  }

  add({ holder, subject }: HolderOfSubject): void {
    if (this.#waiting.size >= this.#deps.limits.batchQueueItems) this.#flush();
    const holders = this.#waiting.get(subject);
    if (holders) holders.add(holder);
    else this.#waiting.set(subject, new Set([holder]));
    this.#timer ??= this.#wait();
  }

  #wait(): Timer {
    return this.#deps.clock.after(this.#deps.limits.probeGraceMs, () => {
      this.#timer = null;
      // At load a statement takes longer than this: to look for each by itself would make it take longer still.
      if (this.#isRideComing()) this.#timer = this.#wait();
      else this.#flush();
    });
  }

  /** Everything that waits for a ride. */
  take(): ReadonlyMap<ReedId, ReadonlySet<UserId>> {
    const taken = this.#waiting;
    this.#waiting = new Map();
    this.#timer?.cancel();
    this.#timer = null;
    return taken;
  }

  /** The ride came to nothing. */
  putBack(pairs: ReadonlyMap<ReedId, ReadonlySet<UserId>>): void {
    for (const [subject, holders] of pairs) for (const holder of holders) this.add({ holder, subject });
  }

  #flush(): void {
    for (const [subject, holders] of this.take()) for (const holder of holders) this.found({ holder, subject });
  }
}
