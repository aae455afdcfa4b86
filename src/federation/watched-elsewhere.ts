// What our members watch of peers' reeds: each such reed is registered once at its home, which tells when its counts change, and whoever watches it here
// is told. Who is to be registered follows from our own subscriptions; where a home forgot it (its ledger is another one, it was away), it
// is registered again as soon as that is known. What is remembered here only spares calls.
import { type Clock, pause } from '../base/clock.ts';
import { AppError } from '../base/errors.ts';
import type { Limits } from '../base/limits.ts';
import type { Bus } from '../bus/port.ts';
import type { Database } from '../db/pool.ts';
import { notify, peerServerLost, reedStats } from '../relay/notices.ts';
import { UNBLOCKED } from '../relay/stats.ts';
import { type ReedId, type ServerId, serverOf, type UserId } from '../wire/address.ts';
import { decodeReedCounts, encodeReedWatch, type ReedCounts } from '../wire/legs.ts';
import { isLost, isSated } from './leg-words.ts';
import type { Leg, LegAnswer, PeerCalls } from './stream-ports.ts';
import type { Tasks } from './tasks.ts';

export type WatchedElsewhereDeps = {
  readonly db: Database;
  readonly clock: Clock;
  readonly limits: Limits;
  readonly home: ServerId;
  readonly bus: Bus;
  readonly calls: PeerCalls;
  readonly tasks: Tasks;
};

/** later: it was not asked, or has enough; it is there as far as is known. */
type Outcome = ReedCounts | 'away' | 'later' | 'none';
type Registered = { readonly outcome: Promise<Outcome>; readonly at: number };

const REQUEST_BYTES = 1_024;
const OK = 200;
const NO_CONTENT = 204;
/** Of a reed, what it is watched by here. */
const WATCHED_OF = `split_part(split_part(v.target, '/', 1), '@', 2)`;

export class WatchedElsewhere implements Leg {
  readonly limitBytes = REQUEST_BYTES;
  readonly #deps: WatchedElsewhereDeps;
  /** Registered by this replica, or being registered. */
  readonly #registered = new Map<ReedId, Registered>();
  readonly #renewing = new Set<ServerId>();

  constructor(deps: WatchedElsewhereDeps) {
    this.#deps = deps;
  }

  /** reed-stats: counts of a reed of the caller's. @throws AppError BAD_REQUEST, FORBIDDEN; NOT_FOUND if nobody here watches it */
  async handle(peer: ServerId, body: Uint8Array): Promise<LegAnswer> {
    const read = decodeReedCounts(body);
    if (!read.ok) throw new AppError('BAD_REQUEST', 'the body can not be read');
    if (serverOf(read.value.reedId) !== peer) throw new AppError('FORBIDDEN', 'reed: of another server');
    if (!(await this.#tell(read.value))) throw new AppError('NOT_FOUND', 'nobody here watches it');
    return { status: NO_CONTENT };
  }

  /** A member's subscription was committed. */
  watched(viewer: UserId, reed: ReedId): void {
    this.#deps.tasks.run(async () => {
      const outcome = await this.#register(reed, this.#deps.limits.statsEveryMs);
      // Between the commit and this a block may have come.
      if (outcome === 'away') notify(this.#deps.bus, viewer, peerServerLost(serverOf(reed)));
      else if (typeof outcome === 'object') await this.#tell(outcome, viewer);
    });
  }

  /** @param freshMs what a registration that is no older says is believed */
  #register(reed: ReedId, freshMs: number): Promise<Outcome> {
    const now = this.#deps.clock.monotonicMs();
    const known = this.#registered.get(reed);
    if (known !== undefined && now - known.at < freshMs) return known.outcome;
    const outcome = this.#ask(reed);
    this.#registered.set(reed, { outcome, at: now });
    return outcome;
  }

  async #ask(reed: ReedId): Promise<Outcome> {
    const { calls } = this.#deps;
    const called = await calls.call(serverOf(reed), 'subscribe-reed', encodeReedWatch(reed));
    if (called.kind === 'answer' && called.status === OK) {
      const counts = decodeReedCounts(called.body);
      if (counts.ok && counts.value.reedId === reed) return counts.value;
    }
    const isUnanswered = called.kind !== 'answer' || called.status >= 500 || isSated(called);
    // What is not there is not asked for again at every look.
    if (isUnanswered) this.#registered.delete(reed);
    if (!isUnanswered) return 'none';
    return isLost(called) ? 'away' : 'later';
  }

  /** Tells whoever watches it, or only this one. @returns whether anybody does */
  async #tell(counts: ReedCounts, only?: UserId): Promise<boolean> {
    const { bus, db } = this.#deps;
    const rows = await db.query<{ viewer: UserId; shown: boolean }>({
      name: 'watched_elsewhere',
      text: `select v.viewer, ${UNBLOCKED} as shown from reed_subscriptions v where v.target = $1 and ($2::text is null or v.viewer = $2)`,
      values: [counts.reedId, only ?? null],
    });
    for (const { shown, viewer } of rows) if (shown) notify(bus, viewer, reedStats(counts));
    return rows.length > 0;
  }

  /** A peer does not answer, or goes: who watches something of it is told. */
  lost(peer: ServerId): void {
    const { bus, db, tasks } = this.#deps;
    tasks.run(async () => {
      const rows = await db.query<{ viewer: UserId }>({
        name: 'watched_of_lost',
        text: `select distinct v.viewer from reed_subscriptions v where ${WATCHED_OF} = $1`,
        values: [peer],
      });
      for (const { viewer } of rows) notify(bus, viewer, peerServerLost(peer));
    });
  }

  /** A peer is there (again), or its ledger is another one: whatever is watched of it is registered anew. */
  renew(peer: ServerId): void {
    if (this.#renewing.has(peer)) return;
    this.#renewing.add(peer);
    this.#deps.tasks.run(() => this.#renew(peer).finally(() => this.#renewing.delete(peer)));
  }

  async #renew(peer: ServerId): Promise<void> {
    const { clock, db, limits } = this.#deps;
    for (const reed of this.#registered.keys()) if (serverOf(reed) === peer) this.#registered.delete(reed);
    const rows = await db.query<{ reed: ReedId }>({
      name: 'watched_of_peer',
      text: `select distinct v.target as reed from reed_subscriptions v where ${WATCHED_OF} = $1 order by 1`,
      values: [peer],
    });
    for (let at = 0; at < rows.length; at += limits.registrationsAtOnce) {
      const outcomes = await Promise.all(rows.slice(at, at + limits.registrationsAtOnce).map(({ reed }) => this.#register(reed, 0)));
      for (const outcome of outcomes) if (typeof outcome === 'object') await this.#tell(outcome);
      // It goes away again, or has enough: its coming back, or the next look, takes up the rest.
      if (outcomes.includes('away') || outcomes.includes('later')) return;
      if (at + limits.registrationsAtOnce < rows.length) await pause(clock, limits.registrationPauseMs);
    }
  }

  /** What is registered and watched no more is given back, and what is watched and not registered, or long since, is registered. */
  async look(): Promise<void> {
    const { calls, clock, db, home, limits } = this.#deps;
    const rows = await db.query<{ reed: ReedId; server: ServerId }>({
      name: 'watched_all',
      text: `select distinct v.target as reed, ${WATCHED_OF} as server from reed_subscriptions v where ${WATCHED_OF} <> $1`,
      values: [home],
    });
    const watched = new Set(rows.map(({ reed }) => reed));
    const now = clock.monotonicMs();
    for (const reed of [...this.#registered.keys()]) {
      if (watched.has(reed)) continue;
      this.#registered.delete(reed);
      await calls.call(serverOf(reed), 'unsubscribe-reed', encodeReedWatch(reed));
    }
    for (const [peer, of] of Map.groupBy(rows, ({ server }) => server)) {
      const isDue = of.some(({ reed }) => now - (this.#registered.get(reed)?.at ?? Number.NEGATIVE_INFINITY) >= limits.registrationMs);
      if (isDue) this.renew(peer);
    }
  }
}
