// A whole server and members in processes of their own, each from an address of its own, who are cut off and come back together.
import { expect } from 'vitest';
import type { Limits } from '../../src/base/limits.ts';
import { Child } from '../bench/calls.ts';
import { share } from '../bench/stage.ts';
import { LightCommunity } from './light-member.ts';
import { startServer, type TestServer } from './server.ts';
import type { Entry, Person } from './storm.ts';
import type { StormApi } from './storm-child.ts';

/** So long that a loaded machine does not reach it by itself. */
const NEVER_MS = 3_600_000;
const PATIENT = {
  dispatchDeadlineMs: NEVER_MS,
  authenticationMs: NEVER_MS,
  pongWaitMs: NEVER_MS,
  pongWaitMaxMs: NEVER_MS,
  httpRequestMs: 600_000,
};

export const SILENT = { answer: 'nothing' } as const;
export const ANSWERING = { answer: 'bytes' } as const;

const sum = (numbers: readonly number[]): number => numbers.reduce((so, number) => so + number, 0);

export class StormStage {
  readonly server: TestServer;
  readonly community: LightCommunity;
  #parts: Child<StormApi>[] = [];

  private constructor(server: TestServer) {
    this.server = server;
    this.community = new LightCommunity(server.database.url, server.app.serverId);
  }

  static async open(limits: Partial<Limits> = {}): Promise<StormStage> {
    return new StormStage(await startServer({ config: { trustProxy: 1 }, limits: { ...PATIENT, ...limits } }));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const part of this.#parts.splice(0)) await part.stop();
    await this.server.close();
  }

  /** Members in so many processes; each has a reed of its own, and the first `asking` want that of the next. */
  async gather(members: number, asking: number, processes: number): Promise<void> {
    const accounts = await this.community.accounts(members);
    const reeds = await this.community.reedOfEach(accounts);
    const people = accounts.map((account, at): Person => {
      const address = `10.${at >> 16}.${(at >> 8) & 255}.${at & 255}`;
      return { account, address, wants: at < asking ? (reeds[(at + 1) % members] ?? null) : null };
    });
    this.#parts = await Promise.all(Array.from({ length: processes }, () => Child.start<StormApi>('../support/storm-child.ts')));
    await this.#all((part, at) => part.call('begin', { url: this.server.url, people: share(people, at, processes) }));
  }

  /** @returns how many requests were made */
  async ask(): Promise<number> {
    return sum(await this.#all((part) => part.call('ask', null)));
  }

  /** @returns how many requests are settled, once all are */
  async served(): Promise<number> {
    return sum(await this.#all((part) => part.call('served', null)));
  }

  async cut(): Promise<void> {
    await this.#all((part) => part.call('cut', null));
  }

  /** Everybody signs in, so many at a time. */
  async come(behaviour: typeof SILENT | typeof ANSWERING, together: number): Promise<Entry> {
    const entries = await this.#all((part) => part.call('come', { behaviour, together: Math.ceil(together / this.#parts.length) }));
    return {
      turnedAway: sum(entries.map((entry) => entry.turnedAway)),
      longestWaitMs: Math.max(...entries.map((entry) => entry.longestWaitMs)),
      resumed: sum(entries.map((entry) => entry.resumed)),
      asked: sum(entries.map((entry) => entry.asked)),
    };
  }

  async counted(what: string): Promise<number> {
    return (await this.community.rows<{ count: number }>(`select count(*)::int as count from ${what}`))[0]?.count ?? -1;
  }

  /** Statements of the application so far. */
  statements(): number {
    return this.server.app.statements().application;
  }

  /** What is true once everybody is back and served. */
  async expectNothingLost(members: number, asking: number): Promise<void> {
    await this.server.settle();
    expect(await this.counted('online_users')).toBe(members);
    expect(await this.counted('online_connections')).toBe(members);
    expect(await this.counted('pending_events')).toBe(0);
    expect(await this.counted('reed_allocations')).toBe(members + asking);
  }

  #all<T>(act: (part: Child<StormApi>, at: number) => Promise<T>): Promise<T[]> {
    return Promise.all(this.#parts.map(act));
  }
}
