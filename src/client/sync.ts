// Catching up: a sync on every connection, since only who has one is told what is new; another when something could not be taken. The server
// paces what it owes by our acknowledgements, so all that there is to know of its progress is what comes.
import type { Timer } from '../base/clock.ts';
import { type RandomBytes, uuidv7 } from '../base/ids.ts';
import type { Limits } from '../base/limits.ts';
import { makeRequestId, type UserId } from '../wire/address.ts';
import type { Frame, FrameOf } from '../wire/frames.ts';
import type { ServerTime } from './server-time.ts';
import type { Emit, SyncProgress } from './types.ts';

/** Deliveries from one event to the next. */
const TOLD_EVERY = 50;
const AGAIN_MS = 5_000;

export type SyncDeps = {
  readonly time: ServerTime;
  readonly random: RandomBytes;
  readonly user: UserId;
  readonly limits: Pick<Limits, 'catchingUpMs' | 'syncAgainMs' | 'deliveriesQueued'>;
  /** Deliveries that wait to be looked at. */
  waiting(): number;
  send(frame: Frame): boolean;
  emit: Emit;
};

export class Sync {
  readonly #deps: SyncDeps;
  #state: SyncProgress['state'] = 'away';
  #requestId = '';
  #received = 0;
  #behind = false;
  #again: Timer | null = null;
  #quiet: Timer | null = null;

  constructor(deps: SyncDeps) {
    this.#deps = deps;
  }

  get progress(): SyncProgress {
    return { state: this.#state, received: this.#received, waiting: this.#deps.waiting(), behind: this.#behind };
  }

  connected(): void {
    this.#received = 0;
    this.#ask();
  }

  disconnected(): void {
    this.#again?.cancel();
    this.#quiet?.cancel();
    this.#again = this.#quiet = null;
    this.#to('away');
  }

  /** A delivery came. */
  delivered(): void {
    if (this.#state === 'away') return;
    this.#received++;
    this.#watchQuiet();
    if (this.#received % TOLD_EVERY === 0) this.#tell();
  }

  /** Something that is owed was not taken: it is asked for once there is room. */
  missed(): void {
    this.#behind = true;
    if (this.#state === 'away' || this.#again) return;
    this.#again = this.#deps.time.after(this.#deps.limits.syncAgainMs, () => this.#ask());
    this.#tell();
  }

  /** An ERROR about the sync: too soon after another, or too much at once. Until it is taken the server tells this member of nothing new. */
  refused({ id, body }: FrameOf<'error'>): void {
    const isOurs = this.#requestId !== '' && (body.requestId === this.#requestId || id === this.#requestId);
    if (!isOurs || this.#state === 'away') return;
    this.#again?.cancel();
    this.#quiet?.cancel();
    this.#again = this.#deps.time.after(body.retryAfterMs || AGAIN_MS, () => this.#ask());
    this.#to('held-back');
  }

  #ask(): void {
    const { time, random, user, send } = this.#deps;
    this.#again?.cancel();
    this.#again = null;
    this.#behind = false;
    this.#requestId = makeRequestId(user, uuidv7(time.now(), random));
    // The id is the frame's too: an ERROR of the connection itself repeats only that.
    send({ id: this.#requestId, type: 'syncRequest', body: { requestId: this.#requestId } });
    this.#to('catching-up');
    this.#watchQuiet();
  }

  /** Caught up: nothing has come for a while, and nothing waits. */
  #watchQuiet(): void {
    const { time, limits, waiting } = this.#deps;
    this.#quiet?.cancel();
    if (this.#state === 'held-back') return;
    this.#quiet = time.after(limits.catchingUpMs, () => {
      this.#quiet = null;
      // What was missed is owed still, and asked for later.
      if (waiting() > 0 || this.#again) this.#watchQuiet();
      else this.#to('live');
    });
  }

  #to(state: SyncProgress['state']): void {
    if (state === this.#state) return;
    this.#state = state;
    this.#tell();
  }

  #tell(): void {
    this.#deps.emit({ type: 'sync', ...this.progress });
  }
}
