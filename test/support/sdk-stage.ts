// A whole server with SDK members on it, each with a store and a line that a test can make go wrong; cleared away after each test: that proves
// that nothing dangles, no event of a member who is gone, no attempt of an event that is. Tests of a file share the server, unless one asks
// for another or leaves something behind.
import { afterAll, afterEach, beforeEach, expect } from 'vitest';
import { DEFAULT_LIMITS, type Limits } from '../../src/base/limits.ts';
import type { Member } from '../../src/client/member.ts';
import { type KeySafe, memoryKeySafe } from '../../src/client/memory-key-ring.ts';
import { RequestFailure, type RequestProgress } from '../../src/client/types.ts';
import type { ReedId, UserId } from '../../src/wire/address.ts';
import { AlteredStore, Line } from './altered-parts.ts';
import { LightCommunity } from './light-member.ts';
import { isA, makeMember, nextEvent } from './members.ts';
import { startServer, type TestServer } from './server.ts';

const open = (limits: Partial<Limits>): Promise<TestServer> =>
  startServer({ config: { signup: 'open' }, limits: { sweepEveryMs: 20, sameReedPerHour: 1_000_000, ...limits } });

/** A device: what stays when its program ends. */
export type Device = { readonly store: AlteredStore; readonly safe: KeySafe };
export type Actor = Device & { readonly member: Member; readonly line: Line; readonly user: UserId };

export class SdkStage {
  server!: TestServer;
  #usual: TestServer | null = null;
  readonly #usualLimits: Partial<Limits>;
  readonly #actors: Actor[] = [];

  private constructor(limits: Partial<Limits>) {
    this.#usualLimits = limits;
  }

  /** A stage for every test of the file. */
  static forEachTest(limits: Partial<Limits> = {}): SdkStage {
    const stage = new SdkStage(limits);
    beforeEach(() => stage.start());
    afterEach(() => stage.end());
    afterAll(() => stage.close());
    return stage;
  }

  async start(): Promise<void> {
    this.#usual ??= await open(this.#usualLimits);
    this.server = this.#usual;
  }

  /** Another server, with other limits, for the rest of the test. */
  async again(limits: Partial<Limits>): Promise<void> {
    this.server = await open(limits);
  }

  async end(): Promise<void> {
    const { server } = this;
    const isUsual = server === this.#usual;
    // Until it is seen to be clean it is no other test's.
    if (isUsual) this.#usual = null;
    try {
      await Promise.all(this.#actors.splice(0).map((actor) => this.vanish(actor)));
      await this.empty();
      if (isUsual) this.#usual = server;
    } finally {
      if (server !== this.#usual) await server.close();
    }
  }

  async close(): Promise<void> {
    await this.#usual?.close();
    this.#usual = null;
  }

  /** A new member, or the one whose device it is; signed in. */
  async join(device: Partial<Device> = {}, limits: Partial<Limits> = {}): Promise<Actor> {
    const { store = new AlteredStore(), safe = memoryKeySafe() } = device;
    const line = new Line();
    const deps = { socket: line.factory, limits: { ...DEFAULT_LIMITS, ...limits } };
    const member = await makeMember(this.server, { store, safe, deps });
    const user = member.account?.user;
    if (!user) throw new Error('not signed up');
    return this.adopt({ store, safe, member, line, user });
  }

  /** Takes a member that a test made itself, to be cleared away with the others. */
  adopt(actor: Actor): Actor {
    this.#actors.push(actor);
    return actor;
  }

  /** Members that came to hold these reeds as anybody does, and left again; the device is what is left of each. */
  async keepers(count: number, reeds: readonly ReedId[]): Promise<Device[]> {
    const devices: Device[] = [];
    for (let made = 0; made < count; made++) {
      const actor = await this.join();
      for (const reed of reeds) await this.keep(actor, reed);
      await actor.member.close();
      devices.push(actor);
    }
    return devices;
  }

  /** Ends a member in the middle of everything, without a word to the server. */
  async vanish({ line, member }: Actor): Promise<void> {
    line.cut();
    await member.close();
  }

  async publish({ member }: Actor, count = 1): Promise<ReedId[]> {
    const reeds: ReedId[] = [];
    for (let made = 0; made < count; made++) {
      const { reedId, published } = await member.publish({ text: `reed ${made} of ${member.account?.username}` });
      await published;
      reeds.push(reedId);
    }
    return reeds;
  }

  /** Asks for a reed; resolves when the copy is confirmed. */
  async keep({ member }: Actor, reed: ReedId): Promise<void> {
    const held = nextEvent(
      member,
      isA('copy', ({ state, reedId }) => state === 'held' && reedId === reed),
    );
    await member.request(reed);
    await held;
  }

  /** Asks for a reed and notes what the requester is shown meanwhile. */
  ask({ member }: Actor, reed: ReedId): Asked {
    return new Asked((onProgress) => member.request(reed, { onProgress }));
  }

  rows<Row extends object>(text: string, values: readonly unknown[] = []): Promise<Row[]> {
    return new LightCommunity(this.server.database.url, this.server.app.serverId).rows<Row>(text, values);
  }

  /** The states of all events, in order of their opening. */
  async states(): Promise<number[]> {
    return (await this.rows<{ state: number }>('select state from pending_events order by seq')).map(({ state }) => state);
  }

  /** Who holds a reed, by the server's record. */
  async allocations(reed: ReedId): Promise<UserId[]> {
    const rows = await this.rows<{ holder_user_id: UserId }>('select holder_user_id from reed_allocations where reed_id = $1', [reed]);
    return rows.map((row) => row.holder_user_id).sort();
  }

  /** Lets the time of all events in a state run out. */
  async expire(state: number): Promise<void> {
    await this.rows("update pending_events set due_at = now() - interval '1 second' where state = $1", [state]);
  }

  /** Resolves when no event is left; then no attempt may be, either. */
  async empty(): Promise<void> {
    do await this.server.settle();
    while ((await this.states()).length > 0);
    expect(await this.rows('select event_id from pending_event_attempts'), 'no attempt outlives its event').toEqual([]);
  }
}

/** A request under way. */
export class Asked {
  readonly states: RequestProgress['state'][] = [];
  readonly copy: Promise<string>;
  readonly #waiters: { readonly state: RequestProgress['state']; readonly resolve: () => void }[] = [];

  constructor(request: (onProgress: (progress: RequestProgress) => void) => ReturnType<Member['request']>) {
    this.copy = request(({ state }) => this.#note(state)).then(({ body }) => body.text);
    // Whoever wants to know how it ended asks for `copy` or `failure`.
    this.copy.catch(() => undefined);
  }

  /** Resolves once the requester was shown this state. */
  shown(state: RequestProgress['state']): Promise<void> {
    if (this.states.includes(state)) return Promise.resolve();
    return new Promise((resolve) => this.#waiters.push({ state, resolve }));
  }

  /** How it ended without a copy. */
  async failure(): Promise<RequestFailure> {
    const end = await this.copy.catch((reason: unknown) => reason);
    if (!(end instanceof RequestFailure)) throw new Error(`no failure of the request but ${String(end)}`);
    return end;
  }

  #note(state: RequestProgress['state']): void {
    this.states.push(state);
    for (const waiter of this.#waiters) if (waiter.state === state) waiter.resolve();
  }
}
