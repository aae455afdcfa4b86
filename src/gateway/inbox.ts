// The frames of one connection, carried out in the order of their arrival: consecutive frames of one type at once, so that they can
// share a batch; another type waits for all before it; the connection's end comes last. Bounded: over a bound the socket is not read.
import type { Limits } from '../base/limits.ts';
import type { Frame, FrameType } from '../wire/frames.ts';

/** What the inbox needs of its connection. */
export interface InboxOwner {
  /** Carries out one frame; never rejects. */
  run(frame: Frame): Promise<void>;
  /** True: nothing may be started now; the owner pumps the inbox again when there is room. */
  mustWait(): boolean;
  /** Reading from the socket should go on, or stop. */
  reading(on: boolean): void;
  /** The connection has ended and everything before its end has taken effect. Called once. */
  emptied(): void;
}

type Held = { readonly frame: Frame; readonly bytes: number };
type InboxLimits = Pick<Limits, 'pendingFrames' | 'pendingFrameBytes'>;

export class Inbox {
  readonly #owner: InboxOwner;
  readonly #limits: InboxLimits;
  #waiting: Held[] = [];
  #running = 0;
  #bytes = 0;
  #type: FrameType | null = null;
  #stopped = false;
  #life: 'open' | 'ending' | 'ended' = 'open';

  constructor(owner: InboxOwner, limits: InboxLimits) {
    this.#owner = owner;
    this.#limits = limits;
  }

  /** Frames that have not taken effect yet. */
  get pending(): number {
    return this.#running + this.#waiting.length;
  }

  push(frame: Frame, bytes: number): void {
    this.#waiting.push({ frame, bytes });
    this.#bytes += bytes;
    this.pump();
  }

  /** The connection is gone: `emptied` follows the last frame before it. */
  end(): void {
    if (this.#life !== 'open') return;
    this.#life = 'ending';
    this.pump();
  }

  /** Starts what may be started now. */
  pump(): void {
    let started = 0;
    for (const held of this.#waiting) {
      const { type } = held.frame;
      if (this.#running > 0 && type !== this.#type) break;
      if (this.#owner.mustWait()) break;
      this.#type = type;
      this.#running += 1;
      started += 1;
      void this.#run(held);
    }
    if (started > 0) this.#waiting.splice(0, started);
    this.#regulate();
    if (this.#life === 'ending' && this.pending === 0) this.#finish();
  }

  async #run({ frame, bytes }: Held): Promise<void> {
    await this.#owner.run(frame);
    this.#running -= 1;
    this.#bytes -= bytes;
    if (this.#running === 0) this.pump();
    else this.#regulate();
  }

  #regulate(): void {
    const { pendingFrames, pendingFrameBytes } = this.#limits;
    if (!this.#stopped && (this.pending > pendingFrames || this.#bytes > pendingFrameBytes)) {
      this.#stopped = true;
      this.#owner.reading(false);
    } else if (this.#stopped && this.pending <= pendingFrames / 2 && this.#bytes <= pendingFrameBytes / 2) {
      this.#stopped = false;
      this.#owner.reading(true);
    }
  }

  #finish(): void {
    this.#life = 'ended';
    this.#owner.emptied();
  }
}
