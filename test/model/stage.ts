// Two replicas of the relay on one real database, with everything but sockets: presence, leases, hub, inboxes, ledger and looks are the
// real ones. Time stands still until it is moved; members are seats that note what is written to them.
import pino from 'pino';
import type { Clock, Timer } from '../../src/base/clock.ts';
import { AppError } from '../../src/base/errors.ts';
import { cryptoRandom, uuidv7 } from '../../src/base/ids.ts';
import type { Limits } from '../../src/base/limits.ts';
import { MemoryBus } from '../../src/bus/memory-bus.ts';
import { BatchLoad } from '../../src/db/batch.ts';
import { type Database, openDatabase } from '../../src/db/pool.ts';
import { Hub, type Seated } from '../../src/gateway/hub.ts';
import { Inbox } from '../../src/gateway/inbox.ts';
import { Blocks, type BlocksDeps } from '../../src/identity/blocks.ts';
import type { Identity } from '../../src/identity/identity.ts';
import type { Member } from '../../src/identity/sessions.ts';
import { Presence } from '../../src/presence/presence.ts';
import { Replica } from '../../src/presence/replica.ts';
import { Subscriptions } from '../../src/presence/subscriptions.ts';
import type { Reeds } from '../../src/reeds/reeds.ts';
import { NOTHING_ELSEWHERE } from '../../src/relay/elsewhere-port.ts';
import { NO_FOLD } from '../../src/relay/fold-port.ts';
import { Relay, type RelayDeps } from '../../src/relay/relay.ts';
import type { UserId, UserKeyId } from '../../src/wire/address.ts';
import { decodeFrame } from '../../src/wire/codec.ts';
import type { Frame } from '../../src/wire/frames.ts';
import { World } from '../support/ledger-world.ts';
import { ManualClock } from '../support/manual-clock.ts';

const silent = pino({ level: 'silent' });
const NEVER = new Promise<never>(() => undefined);
const LONGEST_PAUSE_MS = 5;

/** What takes members' statements in one process, and tells its relay. */
export type Acts = Pick<Reeds, 'likes' | 'register' | 'threads' | 'publish' | 'removal' | 'voiding'> &
  Pick<Identity, 'blocks' | 'follows' | 'keys' | 'rotation' | 'accountRemovals'>;
export type ActsOf = (db: Database, relay: () => Relay) => Acts;

type Burning = 'statements' | 'transactions';

/** Time that stands still; short waits inside the server are real ones. */
class StandingClock implements Clock {
  #now = Date.UTC(2026, 0, 1);
  now = (): number => this.#now;
  monotonicMs = (): number => this.#now;
  after(delayMs: number, task: () => void): Timer {
    const handle = setTimeout(() => task(), Math.min(delayMs, LONGEST_PAUSE_MS));
    return { cancel: () => clearTimeout(handle) };
  }
  move(byMs: number): void {
    this.#now += byMs;
  }
}

/** One connection of a member. What is written to it is seen, unless it is deaf: gone without anybody's having noticed. */
export class Seat implements Seated {
  readonly connectionId = uuidv7(Date.now(), cryptoRandom);
  readonly member: Member;
  readonly life: Life;
  open = true;
  full = false;
  deaf = false;
  readonly inbox: Inbox;
  readonly #note: (seat: Seat, frame: Frame) => void;

  constructor(life: Life, member: Member, note: (seat: Seat, frame: Frame) => void) {
    this.life = life;
    this.member = member;
    this.#note = note;
    const owner = {
      run: (frame: Frame) => life.run(this, frame),
      mustWait: () => false,
      reading: () => undefined,
      emptied: () => life.gone(this),
    };
    this.inbox = new Inbox(owner, life.limits);
  }

  write(bytes: Uint8Array): boolean {
    const frame = decodeFrame(bytes, this.life.limits);
    if (!frame.ok) throw new Error(`unreadable: ${frame.reason}`);
    this.#note(this, frame.value);
    return true;
  }

  reply(frame: Frame): void {
    if (this.open) this.#note(this, frame);
  }

  sessionsEnded(): void {
    this.close();
  }

  /** The socket is closed; what it has sent takes effect first. */
  close(): void {
    if (!this.open) return;
    this.open = false;
    this.life.hub.remove(this, this.member.userId);
    this.inbox.end();
  }
}

/** One life of a process: from its registration to its stop or death. Of a dead one nothing follows, whatever its statements did. */
export class Life {
  readonly relay: Relay;
  readonly presence: Presence;
  readonly replica: Replica;
  readonly hub: Hub;
  readonly limits: Limits;
  /** Null where members state nothing. */
  readonly acts: Acts | null;
  readonly seats = new Set<Seat>();
  /** Frames that failed: none may. */
  readonly failures: unknown[] = [];
  readonly #answered: () => void;
  readonly #death = Promise.withResolvers<void>();
  /** Resolves when it is killed. */
  readonly death = this.#death.promise;
  #dead = false;
  #statements = 0;
  #tasks = 0;
  #served: { close(): void } | null = null;
  #fuse: { left: number; of: Burning; burn(): void } | null = null;

  constructor(stage: Stage, name: string) {
    const { bus, clock, lease, limits } = stage;
    this.limits = limits;
    this.#answered = () => stage.answered();
    const replicaId = (): string => this.replica.id;
    const common = { clock, limits, log: silent, random: cryptoRandom, bus, replicaId };
    const db = this.#mortal(stage.world.db);
    const application = this.#mortal(stage.application);
    this.presence = new Presence({ ...common, database: application });
    this.acts = stage.actsOf?.(application, () => this.relay) ?? null;
    // Where nobody states anything, only what is owed is looked for.
    const unused = { blocks: new Blocks({ db: application } as BlocksDeps), accountRemovals: { finish: async () => undefined } };
    this.relay = new Relay({
      ...common,
      ...({} as Pick<RelayDeps, 'publish' | 'keys' | 'voiding'>),
      ...(this.acts ?? unused),
      db,
      application,
      subscriptions: new Subscriptions(application, limits),
      onFact: () => undefined,
      fold: NO_FOLD,
      elsewhere: NOTHING_ELSEWHERE,
      presence: this.presence,
      load: new BatchLoad(limits.batchQueueItems, limits.batchQueueBytes),
    });
    this.hub = new Hub({ presence: this.presence, frames: this.relay, limits, log: silent });
    this.replica = new Replica({
      ...{ ...common, clock: lease, database: application, name },
      onRegistered: (id) => {
        this.#served?.close();
        this.#served = bus.serve(id, {
          deliver: (to, frame, kind) => this.hub.deliver(to, frame, kind),
          dispatch: (holder) => this.relay.looks.dispatch(holder),
          endSessions: (userId, options) => this.hub.endSessions(userId, options),
        });
      },
      onLost: () => this.closeAll(),
      end: (items) => this.presence.end(items),
      onLeft: async (users) => void (await Promise.all(users.map((user) => this.relay.left(user)))),
    });
  }

  get dead(): boolean {
    return this.#dead;
  }

  get statements(): number {
    return this.#statements;
  }

  get idle(): boolean {
    if (this.#dead) return this.#statements === 0;
    return (
      this.#statements === 0 &&
      this.#tasks === 0 &&
      this.relay.idle &&
      this.presence.idle &&
      [...this.seats].every((s) => s.inbox.pending === 0)
    );
  }

  closeAll(): void {
    for (const seat of [...this.seats]) seat.close();
  }

  /** The process is killed: what is under way may be committed, nothing follows it. */
  kill(): void {
    this.#dead = true;
    this.#death.resolve();
    this.#served?.close();
    for (const seat of this.seats) seat.open = false;
    this.seats.clear();
  }

  /** `burn` kills it as soon as so many more have come back, before anything can follow the last of them. */
  lightFuse(left: number, of: Burning, burn: () => void): void {
    this.#fuse = { left, of, burn };
  }

  #cameBack(name: string | symbol): void {
    const fuse = this.#fuse;
    if (!fuse || (fuse.of === 'transactions' && name !== 'transaction') || --fuse.left > 0) return;
    this.#fuse = null;
    fuse.burn();
  }

  /** Signs a member in as src/gateway does. */
  signIn(seat: Seat): Promise<void> {
    return this.task(async () => {
      const { connectionId, member } = seat;
      this.seats.add(seat);
      const arrival = await this.presence.arrive({ connectionId, userId: member.userId, deviceId: member.deviceId });
      if (!seat.open) return seat.inbox.end();
      this.hub.add(seat, member.userId);
      void this.task(() => this.relay.arrived(member.userId, !arrival.resumed));
    });
  }

  async run(seat: Seat, frame: Frame): Promise<void> {
    try {
      await this.relay.handle(seat, frame);
    } catch (error) {
      const { code, detail } = error instanceof AppError ? error : new AppError('INTERNAL', String(error));
      if (code === 'INTERNAL') this.failures.push(error);
      const requestId = 'requestId' in frame.body ? frame.body.requestId : '';
      seat.reply({ id: frame.id, type: 'error', body: { code, detail, requestId, retryAfterMs: 0 } });
    }
  }

  gone(seat: Seat): void {
    void this.task(async () => {
      const { connectionId, member } = seat;
      if (await this.presence.leave({ connectionId, userId: member.userId })) await this.relay.left(member.userId);
      this.seats.delete(seat);
    });
  }

  async task(work: () => Promise<void>): Promise<void> {
    this.#tasks += 1;
    try {
      await work();
    } finally {
      this.#tasks -= 1;
    }
  }

  /** The database as this life sees it: a dead one gets no answers. */
  #mortal(database: Database): Database {
    const through = async (work: () => Promise<unknown>, name: string | symbol = 'query'): Promise<unknown> => {
      if (this.#dead) return NEVER;
      this.#statements += 1;
      try {
        const result = await work();
        this.#cameBack(name);
        return this.#dead ? NEVER : result;
      } catch (error) {
        if (this.#dead) return NEVER;
        throw error;
      } finally {
        this.#statements -= 1;
        this.#answered();
      }
    };
    return new Proxy(database, {
      get(target, name) {
        const value = Reflect.get(target, name, target);
        if (name === 'kysely') return executing(target.kysely, through);
        if (typeof value !== 'function') return value;
        return (...args: unknown[]) => through(() => Reflect.apply(value, target, args), name);
      },
    });
  }
}

/** `kysely`, each statement of which goes `through`. */
const executing = (kysely: Database['kysely'], through: (work: () => Promise<unknown>) => Promise<unknown>): Database['kysely'] => {
  const bound = <T extends object>(target: T, own: (name: string | symbol, value: (...args: unknown[]) => unknown) => unknown): T =>
    new Proxy(target, {
      get(_, name) {
        const value = Reflect.get(target, name, target);
        return typeof value === 'function' ? own(name, value.bind(target)) : value;
      },
    });
  return bound(kysely, (name, value) =>
    name !== 'getExecutor'
      ? value
      : () =>
          bound(kysely.getExecutor(), (of, run) =>
            of === 'executeQuery' ? (...args: unknown[]) => through(() => run(...args) as Promise<unknown>) : run,
          ),
  );
};

const turn = (): Promise<void> => new Promise((done) => setImmediate(done));
const QUIET_TURNS = 3;
const PATIENCE_TURNS = 200_000;

export class Stage {
  readonly world: World;
  readonly application: Database;
  readonly limits: Limits;
  readonly clock = new StandingClock();
  /** Leases have a time of their own, so that a day may pass without anybody's losing its presence. */
  readonly lease = new ManualClock();
  readonly bus = new MemoryBus();
  readonly #lives: (Life | null)[] = [];
  #buried: Life[] = [];
  readonly #waiting: (() => void)[] = [];
  actsOf: ActsOf | null = null;

  private constructor(world: World, application: Database) {
    this.world = world;
    this.application = application;
    this.limits = world.limits;
  }

  /** `prepare`: makes what takes statements; the server's row is then its to write. */
  static async open(limits: Partial<Limits>, prepare?: (stage: Stage) => Promise<ActsOf>): Promise<Stage> {
    const world = await World.open({ probeGraceMs: 1, ...limits }, prepare === undefined);
    const application = await openDatabase({ url: world.url, role: 'application', connections: 4, log: silent });
    const stage = new Stage(world, application);
    stage.actsOf = (await prepare?.(stage)) ?? null;
    return stage;
  }

  async close(): Promise<void> {
    for (const life of this.#lives) await life?.replica.stop();
    await this.rest();
    await this.application.close();
    await this.world.close();
  }

  /** Replicas that live. */
  get lives(): Life[] {
    return this.#lives.flatMap((life) => life ?? []);
  }

  life(at: number): Life | null {
    return this.#lives[at] ?? null;
  }

  /** Starts a replica; under the name of one that died, what that one left is ended. */
  async start(at: number): Promise<void> {
    // Those that live refresh their leases, as they do all the time.
    await this.pass(this.limits.replicaRefreshMs);
    const life = new Life(this, `replica ${at}`);
    this.#lives[at] = life;
    await life.replica.start();
  }

  kill(at: number): void {
    const life = this.#lives[at];
    if (!life) return;
    life.kill();
    this.#buried.push(life);
    this.#lives[at] = null;
  }

  /** Lets leases run out: survivors refresh theirs and end what the dead left. */
  async pass(leaseMs: number): Promise<void> {
    for (let rest = leaseMs; rest > 0; rest -= this.limits.replicaRefreshMs) {
      this.lease.advance(Math.min(rest, this.limits.replicaRefreshMs));
      for (const life of this.lives) await life.replica.settle();
    }
  }

  seat(at: number, userId: UserId, note: (seat: Seat, frame: Frame) => void): Seat | null {
    const life = this.#lives[at];
    if (!life) return null;
    return new Seat(life, { userId, keyId: `${userId}/key` as UserKeyId, deviceId: 'd', role: 'user' }, note);
  }

  /** A statement has come back. */
  answered(): void {
    for (const done of this.#waiting.splice(0)) done();
  }

  /** Resolves when nothing is under way. */
  async rest(): Promise<void> {
    let quiet = 0;
    for (let turns = 0; quiet < QUIET_TURNS; turns += 1) {
      if (turns > PATIENCE_TURNS) throw new Error('the replicas do not come to rest');
      const busy = [...this.lives, ...this.#buried].some((life) => !life.idle);
      quiet = busy ? 0 : quiet + 1;
      const isAsking = [...this.lives, ...this.#buried].some((life) => life.statements > 0);
      await (isAsking ? new Promise<void>((done) => this.#waiting.push(done)) : turn());
    }
    this.#buried = [];
  }
}
