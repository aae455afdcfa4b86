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
import { isLost, isNoPeer, isSated } from './leg-words.ts';
import { PeerReturns } from './peer-returns.ts';
import type { Called, Leg, LegAnswer, PeerCalls } from './stream-ports.ts';
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
/** next: where the page after this one begins; null: this was the last. */
type Page = { readonly reeds: readonly ReedId[]; readonly next: string | null };
type Subscription = { readonly viewer: UserId; readonly target: string };
type Registered = { readonly outcome: Promise<Outcome>; readonly at: number };

const REQUEST_BYTES = 1_024;
const OK = 200;
const NO_CONTENT = 204;

export class WatchedElsewhere implements Leg {
  readonly limitBytes = REQUEST_BYTES;
  readonly #deps: WatchedElsewhereDeps;
  /** Registered by this replica, or being registered. */
  readonly #registered = new Map<ReedId, Registered>();
  readonly #renewing = new Set<ServerId>();
  /** Peers to which what is watched no more is being given back. */
  readonly #givingBack = new Set<ServerId>();
  readonly #returns: PeerReturns;
  /** Peers of which everything is to be registered anew once that is not too often. */
  readonly #later = new Set<ServerId>();
  /** Where the next look goes on: among subscriptions, and among what is registered. */
  #lookedUpTo = '';
  #checkedUpTo = 0;

  constructor(deps: WatchedElsewhereDeps) {
    this.#deps = deps;
    this.#returns = new PeerReturns(deps);
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
    const outcome = this.#ask(reed).catch((error: unknown) => {
      // A fault of this side: it was not asked.
      this.#registered.delete(reed);
      throw error;
    });
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

  /** Tells whoever watches it, a part of them at a time, or only this one. @returns whether anybody does */
  async #tell(counts: ReedCounts, only?: UserId): Promise<boolean> {
    const { bus, db, limits } = this.#deps;
    for (let after: string | undefined = '', isWatched = false; ; ) {
      const rows: { viewer: UserId; shown: boolean }[] = await db.query({
        name: 'watched_elsewhere',
        text: `select v.viewer, ${UNBLOCKED} as shown from reed_subscriptions v
          where v.target = $1 and v.viewer > $3 and ($2::text is null or v.viewer = $2) order by v.viewer limit $4`,
        values: [counts.reedId, only ?? null, after, limits.watchedPerLook],
      });
      for (const { shown, viewer } of rows) if (shown) notify(bus, viewer, reedStats(counts));
      isWatched ||= rows.length > 0;
      after = rows.at(-1)?.viewer;
      if (after === undefined || rows.length < limits.watchedPerLook) return isWatched;
    }
  }

  /** A peer does not answer, or goes: who watches something of it is told, once, a part of all subscriptions at a time. */
  lost(peer: ServerId): void {
    this.#deps.tasks.run(() => this.#lost(peer));
  }

  async #lost(peer: ServerId): Promise<void> {
    const { bus, db, limits } = this.#deps;
    let told: UserId | null = null;
    for (let after: Subscription | undefined = { viewer: '' as UserId, target: '' }; after !== undefined; ) {
      const rows: Subscription[] = await db.query<Subscription>({
        name: 'watched_of_lost',
        text: 'select viewer, target from reed_subscriptions where (viewer, target) > ($1, $2) order by viewer, target limit $3',
        values: [after.viewer, after.target, limits.watchedPerLook],
      });
      for (const { target, viewer } of rows) {
        if (viewer === told || serverOf(target as ReedId) !== peer) continue;
        notify(bus, viewer, peerServerLost(peer));
        told = viewer;
      }
      after = rows.length < limits.watchedPerLook ? undefined : rows.at(-1);
    }
  }

  /** A peer is there (again), or its ledger is another one: whatever is watched of it is registered anew; at a later look if it says so too often. */
  renew(peer: ServerId): void {
    if (this.#renewing.has(peer)) return;
    if (!this.#returns.take(peer)) return void this.#later.add(peer);
    this.#renewing.add(peer);
    this.#deps.tasks.run(() => this.#renew(peer).finally(() => this.#renewing.delete(peer)));
  }

  async #renew(peer: ServerId): Promise<void> {
    for (const reed of this.#registered.keys()) if (serverOf(reed) === peer) this.#registered.delete(reed);
    for (let after: string | null = ''; after !== null; ) {
      const page: Page = await this.#page(after);
      if (!(await this.#registerAll(page.reeds.filter((reed) => serverOf(reed) === peer)))) return;
      after = page.next;
    }
  }

  /** Registers a few at a time. @returns false: the peer goes away again, or has enough; its coming back, or a later look, takes up the rest */
  async #registerAll(reeds: readonly ReedId[]): Promise<boolean> {
    const { clock, limits } = this.#deps;
    for (let at = 0; at < reeds.length; at += limits.registrationsAtOnce) {
      const outcomes = await Promise.all(reeds.slice(at, at + limits.registrationsAtOnce).map((reed) => this.#register(reed, 0)));
      for (const outcome of outcomes) if (typeof outcome === 'object') await this.#tell(outcome);
      if (outcomes.includes('away') || outcomes.includes('later')) return false;
      if (at + limits.registrationsAtOnce < reeds.length) await pause(clock, limits.registrationPauseMs);
    }
    return true;
  }

  /** Reeds elsewhere among so many subscriptions after this one, by target. */
  async #page(after: string): Promise<Page> {
    const { db, home, limits } = this.#deps;
    const rows = await db.query<{ reed: ReedId; count: number }>({
      name: 'watched_page',
      text: `select target as reed, count(*)::int as count from (
          select target from reed_subscriptions where target > $1 order by target limit $2) page group by target order by target`,
      values: [after, limits.watchedPerLook],
    });
    const isLast = rows.reduce((sum, { count }) => sum + count, 0) < limits.watchedPerLook;
    return {
      reeds: rows.map(({ reed }) => reed).filter((reed) => serverOf(reed) !== home),
      next: isLast ? null : (rows.at(-1)?.reed ?? null),
    };
  }

  /** What is registered and watched no more is given back, and what is watched and not registered, or long since, is registered: a part at each look. */
  async look(): Promise<void> {
    const { clock, limits, tasks } = this.#deps;
    const later = [...this.#later];
    this.#later.clear();
    for (const peer of later) this.renew(peer);
    await this.#giveBack();
    const { next, reeds } = await this.#page(this.#lookedUpTo);
    this.#lookedUpTo = next ?? '';
    const now = clock.monotonicMs();
    const due = reeds.filter((reed) => now - (this.#registered.get(reed)?.at ?? Number.NEGATIVE_INFINITY) >= limits.registrationMs);
    for (const [peer, of] of Map.groupBy(due, serverOf)) {
      if (this.#renewing.has(peer)) continue;
      this.#renewing.add(peer);
      tasks.run(() => this.#registerAll(of).finally(() => this.#renewing.delete(peer)));
    }
  }

  /** Each peer's one after the other, and no peer's after another's: one that takes its time has only its own wait. */
  async #giveBack(): Promise<void> {
    const { limits, tasks } = this.#deps;
    const part = [...this.#registered.keys()].slice(this.#checkedUpTo, this.#checkedUpTo + limits.watchedPerLook);
    const unwatched = await this.#unwatched(part);
    this.#checkedUpTo = part.length < limits.watchedPerLook ? 0 : this.#checkedUpTo + part.length;
    for (const [peer, of] of Map.groupBy(unwatched, serverOf)) {
      if (this.#givingBack.has(peer)) continue;
      this.#givingBack.add(peer);
      tasks.run(() => this.#giveBackAll(of).finally(() => this.#givingBack.delete(peer)));
    }
  }

  /**
   * One whose home did not answer is given back at a later look, or registered anew if somebody watches it by then; should this server forget it, it
   * answers that nobody watches it. With a peering that ended or pauses its registrations have ended.
   */
  async #giveBackAll(reeds: readonly ReedId[]): Promise<void> {
    const { calls } = this.#deps;
    for (const reed of reeds) {
      // The list is as old as those before it took.
      if ((await this.#unwatched([reed])).length === 0) continue;
      const called = await calls.call(serverOf(reed), 'unsubscribe-reed', encodeReedWatch(reed));
      this.#doubt(reed, called);
      // Nor would it answer to the others.
      if (called.kind !== 'answer' && !isNoPeer(called)) return;
      const isHeard = called.kind === 'answer' && called.status < 500 && !isSated(called);
      if (!isHeard && !isNoPeer(called)) continue;
      this.#registered.delete(reed);
      // Somebody came to watch it meanwhile.
      if ((await this.#unwatched([reed])).length === 0) await this.#registerAll([reed]);
    }
  }

  /** Asked, a home may have given it up whether or not its answer came: its registration is believed no more. */
  #doubt(reed: ReedId, called: Called): void {
    const known = this.#registered.get(reed);
    if (known !== undefined && called.kind !== 'held') this.#registered.set(reed, { ...known, at: Number.NEGATIVE_INFINITY });
  }

  async #unwatched(reeds: readonly ReedId[]): Promise<ReedId[]> {
    const rows = await this.#deps.db.query<{ reed: ReedId }>({
      name: 'watched_no_more',
      text: `select r.id as reed from unnest($1::text[]) as r(id) where not exists (select from reed_subscriptions v where v.target = r.id)`,
      values: [reeds],
    });
    return rows.map(({ reed }) => reed);
  }
}
