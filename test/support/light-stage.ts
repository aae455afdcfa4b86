// A whole server with light members on it, cleared away after each test: that proves that nothing dangles, no event of a member who is gone,
// no attempt of an event that is. Tests of a file share the server, unless one asks for another or leaves something behind.
import { afterAll, afterEach, beforeEach, expect } from 'vitest';
import type { Limits } from '../../src/base/limits.ts';
import type { ReedId } from '../../src/wire/address.ts';
import { type LightAccount, type LightBehaviour, LightCommunity, LightMember } from './light-member.ts';
import { MovedClock } from './moved-clock.ts';
import { startServer, type TestServer } from './server.ts';

type Four = [LightAccount, LightAccount, LightAccount, LightAccount, ...LightAccount[]];

// The clock may be moved by days in the middle of a test.
const TOKENS_FOR_EVER = { tokenIdleMs: 1e11, tokenLifeMs: 1e11 };

type Ground = { readonly server: TestServer; readonly community: LightCommunity; readonly clock: MovedClock };

export class LightStage {
  #usual: Ground | null = null;
  #now!: Ground;
  readonly #members: LightMember[] = [];

  /** A stage for every test of the file. */
  static forEachTest(): LightStage {
    const stage = new LightStage();
    beforeEach(() => stage.start());
    afterEach(() => stage.end());
    afterAll(() => stage.close());
    return stage;
  }

  get server(): TestServer {
    return this.#now.server;
  }

  get community(): LightCommunity {
    return this.#now.community;
  }

  async start(): Promise<void> {
    this.#usual ??= await open({});
    this.#now = this.#usual;
  }

  /** Another server, with other limits, for the rest of the test. */
  async again(limits: Partial<Limits>): Promise<void> {
    this.#now = await open(limits);
  }

  async end(): Promise<void> {
    const now = this.#now;
    const isUsual = now === this.#usual;
    // Until it is seen to be clean it is no other test's.
    if (isUsual) this.#usual = null;
    try {
      await Promise.all(this.#members.splice(0).map((member) => member.vanish()));
      await now.server.settle();
      const dangling =
        'select event_id from pending_event_attempts a where not exists (select from pending_events e where e.event_id = a.event_id)';
      expect(await now.community.rows(dangling), 'no attempt outlives its event').toEqual([]);
      expect(await now.community.rows('select event_id from pending_events'), 'nothing is owed to members who are gone').toEqual([]);
      if (isUsual) this.#usual = now;
    } finally {
      if (now !== this.#usual) await now.server.close();
    }
  }

  async close(): Promise<void> {
    await this.#usual?.server.close();
    this.#usual = null;
  }

  /** The server's time. */
  time(): number {
    return this.#now.clock.now();
  }

  /** Lets the server's clock run ahead, and everything that is due by then happen. */
  async pass(byMs: number): Promise<void> {
    this.#now.clock.move(byMs);
    await this.server.settle();
  }

  /** Comes to rest: nothing is under way at the server, and nothing between it and the members. */
  async quiet(): Promise<void> {
    for (let counted = -1; counted !== this.#received(); ) {
      counted = this.#received();
      // What was sent has come; then it has taken effect; then the answers have come.
      await this.#ping();
      await this.server.settle();
      await this.#ping();
    }
  }

  async #ping(): Promise<void> {
    await Promise.all(this.#members.filter((member) => member.isOpen).map((member) => member.ping()));
  }

  #received(): number {
    return this.#members.reduce((sum, member) => sum + member.frames.length, 0);
  }

  /** Lets time pass in such steps until something is so. */
  async passUntil(stepMs: number, isSo: () => boolean | Promise<boolean>): Promise<void> {
    while (!(await isSo())) await this.pass(stepMs);
  }

  async join(account: LightAccount, behaviour: Partial<LightBehaviour> = {}): Promise<LightMember> {
    const member = await LightMember.connect(this.server.url, account, behaviour);
    this.#members.push(member);
    return member;
  }

  /** As many accounts as asked for; tests name the first four at most. */
  async accounts(count: number): Promise<Four> {
    return (await this.community.accounts(count)) as Four;
  }

  /** Who holds a reed, by the server's record. */
  async allocations(reed: ReedId): Promise<string[]> {
    const rows = await this.community.rows<{ holder_user_id: string }>('select holder_user_id from reed_allocations where reed_id = $1', [
      reed,
    ]);
    return rows.map((row) => row.holder_user_id).sort();
  }
}

const open = async (limits: Partial<Limits>): Promise<Ground> => {
  const clock = new MovedClock();
  const server = await startServer({ limits: { sameReedPerHour: 1_000_000, ...TOKENS_FOR_EVER, ...limits }, overrides: { clock } });
  return { server, clock, community: new LightCommunity(server.database.url, server.app.serverId) };
};
