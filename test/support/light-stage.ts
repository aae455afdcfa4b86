// A whole server with light members on it, set up and cleared away for each test. Clearing away proves that nothing dangles:
// no event of a member who is gone, no attempt of an event that is.
import { afterEach, beforeEach, expect } from 'vitest';
import type { Limits } from '../../src/base/limits.ts';
import type { ReedId } from '../../src/wire/address.ts';
import { type LightAccount, type LightBehaviour, LightCommunity, LightMember } from './light-member.ts';
import { MovedClock } from './moved-clock.ts';
import { startServer, type TestServer } from './server.ts';

type Four = [LightAccount, LightAccount, LightAccount, LightAccount, ...LightAccount[]];

// The clock may be moved by days in the middle of a test.
const TOKENS_FOR_EVER = { tokenIdleMs: 1e11, tokenLifeMs: 1e11 };

export class LightStage {
  server!: TestServer;
  community!: LightCommunity;
  #clock = new MovedClock();
  readonly #members: LightMember[] = [];

  /** A stage for every test of the file. */
  static forEachTest(): LightStage {
    const stage = new LightStage();
    beforeEach(() => stage.start());
    afterEach(() => stage.end());
    return stage;
  }

  async start(limits: Partial<Limits> = {}): Promise<void> {
    this.#clock = new MovedClock();
    this.server = await startServer({
      limits: { sameReedPerHour: 1_000_000, ...TOKENS_FOR_EVER, ...limits },
      overrides: { clock: this.#clock },
    });
    this.community = new LightCommunity(this.server.database.url, this.server.app.serverId);
  }

  /** Another server, with other limits. */
  async again(limits: Partial<Limits>): Promise<void> {
    await this.server.close();
    await this.start(limits);
  }

  async end(): Promise<void> {
    await Promise.all(this.#members.splice(0).map((member) => member.vanish()));
    await this.server.settle();
    const dangling =
      'select event_id from pending_event_attempts a where not exists (select from pending_events e where e.event_id = a.event_id)';
    expect(await this.community.rows(dangling), 'no attempt outlives its event').toEqual([]);
    expect(await this.community.rows('select event_id from pending_events'), 'nothing is owed to members who are gone').toEqual([]);
    await this.server.close();
  }

  /** Lets the server's clock run ahead, and everything that is due by then happen. */
  async pass(byMs: number): Promise<void> {
    this.#clock.move(byMs);
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
