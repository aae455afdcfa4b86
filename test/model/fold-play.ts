// One run of the fold's model on two servers: performs moves, looks after each that nothing is as it may never be, and in the end that all come to
// what they asked for. Members and their accounts are the same in every run; each has a reed of its own.
import { expect } from 'vitest';
import type { FoldLeg } from '../../src/federation/fold-ports.ts';
import type { ReedId } from '../../src/wire/address.ts';
import { FoldClock } from '../support/fold-clock.ts';
import { epochOf, FoldPair } from '../support/fold-pair.ts';
import type { Fate, Flight } from '../support/fold-wire.ts';
import type { LightAccount, LightBehaviour, LightMember } from '../support/light-member.ts';
import type { Side } from '../support/pair-stage.ts';
import { type FoldMove, HOME_READERS, READERS, type Weather } from './fold-moves.ts';

/** What may come of a request that was never acknowledged, or whose holders failed. */
const ENDS: ReadonlySet<string> = new Set(['error', 'reedNotFound', 'reedNotHeld']);
/** A call is given up by whoever made it. */
const CALL_MS = 10_000;
const MINUTE_MS = 61_000;
/** How many of them are gone through one by one before longer ones. */
const MINUTES = 6;
const STILL_TURNS = 2;
const MOST_TURNS = 500;
/** Whatever a member says is taken at once, however fast time goes. */
const LIMITS = { openRequests: 1_000, costBurst: 1e9, pingIntervalMs: 1e9 };
const NOBODY_HELD_BACK = 10_000;

export type Cast = { readonly author: LightAccount; readonly readers: readonly LightAccount[]; readonly atHome: readonly LightAccount[] };

export const openFold = async (): Promise<{ pair: FoldPair; cast: Cast }> => {
  const pair = new FoldPair();
  await pair.start(LIMITS, {}, new FoldClock());
  pair.wire.now = () => pair.clock.now();
  // Servers say "again in a second": as short as it can be, since that second would be a real one.
  pair.wire.retryAfter = (ms) => Math.min(ms, 5);
  for (const side of [pair.home, pair.asking]) pair.wire.attach(side.id, side.server.app.legs, await epochOf(side));
  const [author, ...atHome] = await pair.accounts(pair.home, 1 + HOME_READERS);
  if (author === undefined) throw new Error('no author');
  return { pair, cast: { author, atHome, readers: await pair.accounts(pair.asking, READERS) } };
};

/** Copies on the wire, not yet arrived, for which who asked has no slot: another could set out beside them. */
const UNKEPT = `select u.id from unnest($1::uuid[]) as u(id)
  where not exists (select from foreign_pending_events f where f.crossing_id = u.id and (f.slot is not null or f.arrived_at is not null))`;

/** What a server's database is at work on. */
const BUSY = `select pid from pg_stat_activity where datname = current_database() and state <> 'idle' and pid <> pg_backend_pid()`;

/** Who stands in line though a slot is free, may carry, and the server that is asked answers. */
const PASSED_OVER = `select e.event_id from pending_events e
  join online_users p on p.user_id = e.requester_user_id and not p.congested
  join fold_peers fp on fp.server_id = split_part(split_part(e.subject_id, '/', 1), '@', 2) and fp.away_until is null
  where e.state = 5 and not e.is_foreign
    and not exists (select from carrier_faults c where c.subject = e.subject_id and c.member = e.requester_user_id and c.at > $1)
    and not exists (select from foreign_pending_events f where f.subject = e.subject_id and f.slot is not null and f.asleep)
    and (select count(*) from foreign_pending_events f where f.subject = e.subject_id and f.slot is not null) < 3
    and (select count(*) from carrier_faults c where c.subject = e.subject_id and c.reason = 'invalid') < 8`;
const HOUR_MS = 3_600_000;

export class FoldPlay {
  readonly #pair: FoldPair;
  readonly #cast: Cast;
  readonly #reed: ReedId;
  readonly #readers: (LightMember | null)[];
  readonly #atHome: LightMember[] = [];
  readonly #behaviours: Partial<LightBehaviour>[];
  readonly #ends = new Map<LightMember, number>();
  #holder: LightMember | null = null;
  #holderDoes: Partial<LightBehaviour> = {};

  private constructor(pair: FoldPair, cast: Cast, reed: ReedId) {
    this.#pair = pair;
    this.#cast = cast;
    this.#reed = reed;
    this.#readers = cast.readers.map(() => null);
    this.#behaviours = cast.readers.map(() => ({}));
  }

  static async begin(pair: FoldPair, cast: Cast): Promise<FoldPlay> {
    const [reed] = await pair.home.community.reeds(cast.author.userId, 1);
    if (reed === undefined) throw new Error('nothing was published');
    const play = new FoldPlay(pair, cast, reed);
    await play.#everybody();
    return play;
  }

  /** Decides for each leg in turn. */
  weather(legs: Partial<Weather>): void {
    const turns = new Map<FoldLeg, number>();
    this.#pair.wire.fate = ({ leg }): Fate => {
      const turn = turns.get(leg) ?? 0;
      turns.set(leg, turn + 1);
      const fates = legs[leg] ?? [];
      return fates[turn % Math.max(1, fates.length)] ?? 'pass';
    };
  }

  async move(step: FoldMove): Promise<void> {
    await this.#perform(step);
    await this.#ping();
    await this.#look();
  }

  async #perform(step: FoldMove): Promise<void> {
    const { wire } = this.#pair;
    switch (step.kind) {
      case 'request':
        this.#readers[step.reader]?.request(this.#reed);
        return;
      case 'home-request':
        this.#atHome[step.reader]?.request(this.#reed);
        return;
      case 'cancel':
        return this.#cancel(this.#readers[step.reader]);
      case 'vanish':
        return this.#vanish(step.reader);
      case 'return':
        return this.#return(step.reader);
      case 'ack':
      case 'invalid':
      case 'silent':
        return this.#behave(step.reader, { acknowledge: step.kind === 'silent' ? 'nothing' : step.kind });
      case 'copies-fail':
        return this.#behave(step.reader, { answer: 'error' });
      case 'carrier-cancels':
        return this.#cancel(this.#readers[this.#carrier(step.nth)]);
      case 'carrier-vanishes':
        return this.#vanish(this.#carrier(step.nth));
      case 'release':
        return wire.release();
      case 'release-first':
      case 'release-last':
        return wire.releaseOne(step.kind === 'release-first' ? 'first' : 'last');
      case 'pass':
        return this.pass(step.ms);
      case 'calm':
        return this.#calm();
      default:
        return this.#performRarely(step.kind);
    }
  }

  async #performRarely(kind: Exclude<FoldMove, { reader: number } | { nth: number } | { ms: number }>['kind']): Promise<void> {
    switch (kind) {
      case 'author-off':
        await this.#holder?.vanish();
        this.#holder = null;
        return;
      case 'author-on':
        return this.#authorOn();
      case 'author-misbehaves':
      case 'author-behaves':
        this.#holderDoes = { answer: kind === 'author-behaves' ? 'bytes' : 'error' };
        if (this.#holder) Object.assign(this.#holder.behaviour, this.#holderDoes);
        return;
      case 'asking-forgets':
        await this.#pair.restartAsking();
        await this.#pair.asking.community.signInAgain(this.#cast.readers);
        this.#readers.fill(null);
        for (let reader = 0; reader < READERS; reader++) await this.#return(reader);
        return;
      case 'home-forgets':
        await this.#pair.restartHome();
        await this.#pair.home.community.signInAgain([this.#cast.author, ...this.#cast.atHome]);
        this.#atHome.length = 0;
        this.#holder = null;
        await this.#everybody();
    }
  }

  /** Time passes: callers give up what they made long ago, and what is due is looked at, twice, since the one side's look may follow the other's. */
  async pass(ms: number): Promise<void> {
    const { clock, wire } = this.#pair;
    clock.move(ms);
    wire.expire(CALL_MS);
    await this.#calm();
    for (const { server } of [this.#pair.home, this.#pair.asking]) await server.app.round();
    await this.#calm();
  }

  /** Until nothing happens any more but what is held. */
  async #calm(): Promise<void> {
    for (let still = 0, before = '', turns = 0; still < STILL_TURNS; turns++) {
      if (turns > MOST_TURNS) throw new Error(`never still: ${before}, then ${this.#seen()}; ${this.#pair.wire.legs.slice(-12).join()}`);
      await this.#ping();
      const busy = await Promise.all([this.#pair.home, this.#pair.asking].map(({ community }) => community.rows(BUSY)));
      const seen = this.#seen();
      still = seen === before && busy.flat().length === 0 ? still + 1 : 0;
      before = seen;
    }
  }

  #seen(): string {
    const { asking, home, wire } = this.#pair;
    const statements = [home, asking].map(({ server }) => Object.values(server.app.statements()).join());
    const frames = this.#members().map((member) => member.frames.length);
    return [...statements, wire.calls.length, wire.held, ...frames].join();
  }

  async #look(): Promise<void> {
    expect(this.#pair.wire.mostToOne, 'copies of the reed on the wire').toBeLessThanOrEqual(3);
    for (const side of [this.#pair.asking, this.#pair.home]) {
      expect(await this.#unkept(side), 'copies on the wire without a slot').toEqual([]);
    }
    await expect
      .poll(() => this.#passedOver(), { message: 'in line though a slot is free', timeout: NOBODY_HELD_BACK, interval: 5 })
      .toEqual([]);
  }

  async #unkept(side: Side): Promise<string[]> {
    const { wire } = this.#pair;
    const under = (): Flight[] =>
      wire.flights.filter(({ crossing, hasArrived, to }) => to === side.id && !hasArrived && !wire.isForgotten(crossing));
    const before = under();
    if (before.length === 0) return [];
    const rows = await side.community.rows<{ id: string }>(UNKEPT, [before.map(({ crossing }) => crossing)]);
    const after = new Set(under());
    const still = new Set(before.filter((flight) => after.has(flight)).map(({ crossing }) => crossing));
    return rows.map(({ id }) => id).filter((id) => still.has(id));
  }

  #passedOver(): Promise<object[]> {
    return this.#pair.asking.community.rows(PASSED_OVER, [new Date(this.#pair.clock.now() - HOUR_MS)]);
  }

  /** Everybody is there and behaves, and asks. All come to have it: those at home from the peer, once the author is gone and its holders are back. */
  async finale(): Promise<void> {
    this.#pair.wire.mend();
    await this.#pair.settle();
    await this.#performRarely('author-off');
    this.#holderDoes = {};
    for (let reader = 0; reader < READERS; reader++) this.#behave(reader, { acknowledge: 'ack', answer: 'bytes' });
    await this.#everybody();
    await this.#until(this.#pair.asking, READERS, this.#readers);
    await this.#look();
    await this.#performRarely('author-off');
    // Only the peer's members have it, and none of them is there at first: they may be asked in vain.
    for (let reader = 0; reader < READERS; reader++) await this.#vanish(reader);
    this.#askAll(this.#atHome);
    await this.#pair.settle();
    for (let reader = 0; reader < READERS; reader++) await this.#return(reader);
    await this.#until(this.#pair.home, 1 + HOME_READERS, this.#atHome, MINUTES);
  }

  /** First minutes, then quarters of an hour: a peer may be left alone that long, and somebody may carry nothing for an hour. */
  async #until(side: Side, holders: number, askers: readonly (LightMember | null)[], from = 0): Promise<void> {
    for (let steps = from; ; steps++) {
      this.#askAll(askers);
      await this.#pair.settle();
      const held = (await this.#pair.holders(side, this.#reed)).length;
      if (held === holders) return;
      if (steps > 16) throw new Error(`only ${held} of ${holders} came to have it`);
      await this.#pair.pass(steps < MINUTES ? MINUTE_MS : 16 * MINUTE_MS);
    }
  }

  /** Whoever has not asked yet, or was told since that nothing came of it, asks. */
  #askAll(askers: readonly (LightMember | null)[]): void {
    for (const asker of askers) {
      const ends = asker?.frames.filter(({ type }) => ENDS.has(type)).length ?? 0;
      if (!asker || this.#ends.get(asker) === ends) continue;
      this.#ends.set(asker, ends);
      asker.request(this.#reed);
    }
  }

  #members(): LightMember[] {
    return [...this.#readers, ...this.#atHome, this.#holder].flatMap((member) => (member?.isOpen ? [member] : []));
  }

  async #ping(): Promise<void> {
    await Promise.all(this.#members().map((member) => Promise.race([member.ping(), member.closed])));
  }

  #cancel(reader: LightMember | null | undefined): void {
    const last = reader?.requests.at(-1);
    if (last !== undefined) reader?.cancel(last);
  }

  async #vanish(reader: number): Promise<void> {
    await this.#readers[reader]?.vanish();
    if (reader in this.#readers) this.#readers[reader] = null;
  }

  /** Whose copy is on the wire; -1: nobody's. */
  #carrier(nth: number): number {
    const { asking, wire } = this.#pair;
    const flights = wire.flights.filter(({ reed, to }) => reed === this.#reed && to === asking.id);
    return this.#cast.readers.findIndex(({ userId }) => userId === flights[nth % Math.max(1, flights.length)]?.requester);
  }

  #behave(reader: number, how: Partial<LightBehaviour>): void {
    this.#behaviours[reader] = { ...this.#behaviours[reader], ...how };
    const member = this.#readers[reader];
    if (member) Object.assign(member.behaviour, how);
  }

  async #everybody(): Promise<void> {
    await this.#authorOn();
    for (const account of this.#cast.atHome.slice(this.#atHome.length)) this.#atHome.push(await this.#pair.join(this.#pair.home, account));
    for (let reader = 0; reader < READERS; reader++) await this.#return(reader);
  }

  async #return(reader: number): Promise<void> {
    const account = this.#cast.readers[reader];
    if (this.#readers[reader]?.isOpen || account === undefined) return;
    this.#readers[reader] = await this.#pair.join(this.#pair.asking, account, this.#behaviours[reader]);
  }

  async #authorOn(): Promise<void> {
    this.#holder ??= await this.#pair.join(this.#pair.home, this.#cast.author, this.#holderDoes);
  }
}
