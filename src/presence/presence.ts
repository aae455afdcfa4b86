// Who is online, as rows. Sign-ins and departures are collected and written many at a time; a departure is tried until it is
// written, for a connection row without a socket would keep its member online for ever.
import type { Logger } from 'pino';
import { doubling } from '../base/backoff.ts';
import type { Clock } from '../base/clock.ts';
import { pause } from '../base/clock.ts';
import { AppError } from '../base/errors.ts';
import type { Limits } from '../base/limits.ts';
import { Batcher, BatchLoad, Lane } from '../db/batch.ts';
import { sqlStateOf } from '../db/errors.ts';
import type { Database } from '../db/pool.ts';
import type { RequestId, UserId } from '../wire/address.ts';
import { LatestWins } from './latest-wins.ts';
import type { Departure, SignedIn, SignIn } from './statements.ts';
import { congestedStatement, signIn, signOut } from './statements.ts';

const RETRY_FIRST_MS = 50;
const RETRY_MAX_MS = 2_000;

export type PresenceDeps = {
  readonly database: Database;
  readonly clock: Clock;
  readonly limits: Limits;
  readonly log: Logger;
  /** The id under which this replica is registered now. */
  readonly replicaId: () => string;
};

export type Arrival = SignedIn & { readonly replicaId: string };

type Leaving = Departure & { readonly done: (left: boolean) => void };

export class Presence {
  readonly #deps: PresenceDeps;
  readonly #arrivals: Batcher<SignIn, Arrival | null>;
  readonly #congested: LatestWins<UserId, boolean>;
  #leaving: Leaving[] = [];
  /** Sign-ins that failed since the last line in the log. */
  #failures = 0;
  #flushing: Promise<void> | null = null;

  constructor(deps: PresenceDeps) {
    this.#deps = deps;
    const { limits } = deps;
    this.#arrivals = new Batcher({
      name: 'sign-in',
      lane: new Lane(),
      load: new BatchLoad(limits.batchQueueItems, limits.batchQueueBytes),
      maxItems: limits.batchItems,
      run: (items) => this.#signIn(items),
      keys: (item) => [item.userId],
      // An item that no other is to blame for fails alone, whatever its fault; while the database is away halves would fail like the whole.
      divisible: (error) => !isAway(error),
      onFailure: (step, error) => this.#failed(step, error),
    });
    this.#congested = new LatestWins((entries) => this.#writeCongested(entries));
  }

  /**
   * Commits that a member has one more connection here; connections of its other devices end, on whatever replica.
   * Look for what the member is owed only after this has resolved.
   * @throws AppError UNAVAILABLE when this replica is not registered or too much is queued
   */
  async arrive(item: SignIn): Promise<Arrival> {
    // Once more: a replica that lost its row may have just registered itself anew.
    const arrival = (await this.#arrivals.submit(item)) ?? (await this.#arrivals.submit(item));
    if (arrival === null) throw new AppError('UNAVAILABLE', 'this server is registering itself anew; try again');
    return arrival;
  }

  /**
   * Commits that a connection is gone, whether or not it was ever written. Never rejects: it is tried until it is committed.
   * @returns whether the member's presence ended with it; then end or re-open what was owed to it and queued with it
   */
  leave(item: Departure): Promise<boolean> {
    return new Promise((done) => {
      this.#leaving.push({ ...item, done });
      this.#flushing ??= this.#flush();
    });
  }

  /** Ends a page of connections whose replica is gone; returns the members whose presence ended. */
  end(items: readonly Departure[]): Promise<UserId[]> {
    return this.#deps.database.transaction((tx) => signOut(tx, items));
  }

  /** Commits whether all send buffers of a member are full; of several calls meanwhile the last one is written. */
  setCongested(userId: UserId, full: boolean): Promise<void> {
    return this.#congested.set(userId, full);
  }

  /** Commits that the member asked to be caught up; from here on whoever publishes reaches it. Look for what it is owed after this. */
  async label(userId: UserId, requestId: RequestId): Promise<void> {
    await this.#deps.database.query({
      name: 'presence_label',
      text: 'update online_users set sync_request_id = $2 where user_id = $1',
      values: [userId, requestId],
    });
  }

  /** Commits that these members were to be owed more than they may have open. */
  async setBehind(members: readonly UserId[]): Promise<void> {
    await this.#deps.database.query({
      name: 'presence_behind',
      text: `with late as (select user_id from online_users where user_id = any($1::text[]) order by user_id for no key update)
        update online_users u set behind = true from late l where u.user_id = l.user_id and not u.behind`,
      values: [members],
    });
  }

  /** Nothing waits to be written. */
  get idle(): boolean {
    return this.#flushing === null && this.#arrivals.idle && this.#congested.idle;
  }

  async #signIn(items: readonly SignIn[]): Promise<(Arrival | null)[]> {
    const replicaId = this.#deps.replicaId();
    const order = items.map((_, index) => index).sort((a, b) => compare(items[a]?.userId, items[b]?.userId));
    const sorted = order.flatMap((index) => items[index] ?? []);
    const outcomes = await this.#deps.database.transaction((tx) => signIn(tx, replicaId, sorted));
    const arrivals = new Array<Arrival | null>(items.length).fill(null);
    for (const [place, index] of order.entries()) {
      const outcome = outcomes[place] ?? null;
      arrivals[index] = outcome && { ...outcome, replicaId };
    }
    return arrivals;
  }

  async #flush(): Promise<void> {
    // Sockets that close together leave together.
    await new Promise((resolve) => setImmediate(resolve));
    let failures = 0;
    while (this.#leaving.length > 0) {
      const batch = this.#leaving.slice(0, this.#deps.limits.batchItems);
      try {
        const left = new Set(await this.end(batch));
        this.#leaving = this.#leaving.slice(batch.length);
        failures = 0;
        for (const { userId, done } of batch) done(left.delete(userId));
      } catch (error) {
        failures += 1;
        this.#deps.log.warn({ failures, waiting: this.#leaving.length, err: error }, 'departures could not be written');
        await pause(this.#deps.clock, doubling(failures, RETRY_FIRST_MS, RETRY_MAX_MS));
      }
    }
    this.#flushing = null;
  }

  /** One line for all that failed together, told by the first. */
  #failed(step: string, error: unknown): void {
    this.#failures += 1;
    if (this.#failures > 1) return;
    setImmediate(() => {
      this.#deps.log.error({ step, failed: this.#failures, sqlState: sqlStateOf(error), err: error }, 'a step of presence failed');
      this.#failures = 0;
    });
  }

  async #writeCongested(entries: readonly (readonly [UserId, boolean])[]): Promise<void> {
    const sorted = [...entries].sort(([a], [b]) => compare(a, b));
    const users = sorted.map(([userId]) => userId);
    const full = sorted.map(([, isFull]) => isFull);
    await this.#deps.database.query(congestedStatement(this.#deps.replicaId(), users, full));
  }
}

const isAway = (error: unknown): boolean => error instanceof AppError && error.code === 'UNAVAILABLE';

const compare = (a: string | undefined, b: string | undefined): number => ((a ?? '') < (b ?? '') ? -1 : a === b ? 0 : 1);
