// What readers of one server cost the home of what they read, counted on the wire between the two: a thousand of them, a fifth of whom are killed at
// random, ten reeds at once, a holder who leaves, and two replicas at the last slot. The servers call each other over signed HTTP.
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { ReedId } from '../../src/wire/address.ts';
import { BorderPair } from '../support/border-pair.ts';
import type { Seen } from '../support/border-wire.ts';
import type { LightAccount, LightMember } from '../support/light-member.ts';

const READERS = 1_000;
/** Of ten reeds at once; `FOLD_READERS=800` for all who are left. */
const READERS_OF_TEN = Number(process.env['FOLD_READERS'] ?? 60);
const AT_ONCE = 50;
const SLOTS = 3;
/** Copies that arrive beyond those of carriers who were killed. */
const SPARE = 4;
const RACES = 3;

const TAKE_LAST_SLOT = `
insert into foreign_pending_events (crossing_id, event_id, asked_server_id, subject, kind, requester, slot, due_at, created_at)
select uuidv7(), event_id, asked_server_id, subject, kind, requester, 3, due_at, created_at from foreign_pending_events where subject = $1 limit 1`;
const AT_LAST_SLOT = `select pid from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;

const pair = new BorderPair();
/** Printed by what fails. */
const seed = Number(process.env['FOLD_SEED'] ?? Date.now() % 1e6);
const random = numbersFrom(seed);
let readers: LightMember[] = [];

async function crowd(accounts: readonly LightAccount[]): Promise<LightMember[]> {
  const members: LightMember[] = [];
  for (let at = 0; at < accounts.length; at += AT_ONCE)
    members.push(...(await Promise.all(accounts.slice(at, at + AT_ONCE).map((account) => pair.join(pair.asking, account)))));
  return members;
}

beforeAll(async () => {
  await pair.start({ budgetMembers: 10_000 });
  readers = await crowd(await pair.accounts(pair.asking, READERS));
}, 240_000);
afterEach(async () => {
  pair.calm();
});
afterAll(() => pair.close());

const has = (member: LightMember, reed: ReedId): boolean =>
  member.frames.some((frame) => frame.type === 'dataResponse' && frame.body.reedId === reed);

const haveAll = (members: readonly LightMember[], reeds: readonly ReedId[]): boolean =>
  members.every((member) => reeds.every((reed) => has(member, reed)));

/** 0 ≤ x < 1, the same ones for a seed. */
function numbersFrom(start: number): () => number {
  let state = start;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32;
    return state / 2 ** 32;
  };
}

/** Kills a fifth of them: some carriers of each reed while half of their copy is on the wire, and others at random. */
class Killer {
  readonly killed = new Set<string>();
  readonly #members: Map<string, LightMember>;
  readonly #count: number;
  readonly #carriersOf = new Map<ReedId, number>();

  constructor(members: readonly LightMember[]) {
    this.#members = new Map(members.map((member) => [member.userId, member]));
    this.#count = Math.floor(members.length / 5);
  }

  /** At most so many carriers of a reed. */
  carriers(most: number): (call: Seen) => Promise<void> {
    return async ({ copy }) => {
      if (copy === null || this.killed.size >= this.#count || this.killed.has(copy.taker)) return;
      const before = this.#carriersOf.get(copy.reed) ?? 0;
      if (before >= most) return;
      this.#carriersOf.set(copy.reed, before + 1);
      await this.#kill(this.#members.get(copy.taker));
    };
  }

  /** How many carriers were killed in the middle of it. */
  get carriersKilled(): number {
    return [...this.#carriersOf.values()].reduce((sum, count) => sum + count, 0);
  }

  /** Others, at random, until so many are left to be killed. */
  async others(but: number): Promise<void> {
    while (this.killed.size < this.#count - but) {
      const alive = this.alive();
      await this.#kill(alive[Math.floor(random() * alive.length)]);
    }
  }

  alive(): LightMember[] {
    return [...this.#members.values()].filter(({ userId }) => !this.killed.has(userId));
  }

  async #kill(member: LightMember | undefined): Promise<void> {
    if (member === undefined) return;
    this.killed.add(member.userId);
    await member.vanish();
  }
}

/** Copies of a reed that came to somebody who is alive. */
const arrivedAlive = (reed: ReedId, { killed }: Killer): number =>
  pair.border.arrived.filter((copy) => copy.reed === reed && !killed.has(copy.taker)).length;

describe('a thousand readers of one reed', () => {
  it('cost its home three copies in all, and never more than three at once', async () => {
    const { reed } = await pair.reed();
    for (const reader of readers) reader.request(reed);
    await pair.passUntil(1_000, () => haveAll(readers, [reed]));
    expect([pair.border.arrived.length <= SLOTS, pair.border.copies.most <= SLOTS]).toEqual([true, true]);
    expect(pair.border.count('request')).toBeLessThanOrEqual(SLOTS);
    expect(pair.border.arrived.length).toBeGreaterThan(0);
  }, 240_000);

  it('of whom a fifth are killed, carriers in the middle of it among them, cost four more at most, and all others get it', async () => {
    const { reed } = await pair.reed();
    const killer = new Killer(readers);
    pair.border.midway = killer.carriers(SLOTS);
    for (const reader of readers) reader.request(reed);
    await killer.others(SLOTS);
    await pair.passUntil(1_000, () => killer.carriersKilled > 0);
    await killer.others(0);
    readers = killer.alive();
    await pair.passUntil(1_000, () => haveAll(readers, [reed]));
    expect([readers.length, killer.killed.size]).toEqual([READERS * 0.8, READERS * 0.2]);
    expect(pair.border.copies.most).toBeLessThanOrEqual(SLOTS);
    expect(arrivedAlive(reed, killer), `seed ${seed}`).toBeLessThanOrEqual(SPARE);
  }, 240_000);
});

describe('ten reeds that are asked for at once', () => {
  it('cost the same each, when a fifth of the readers are killed', async () => {
    const author = await pair.member(pair.home);
    const reeds = await pair.home.community.reeds(author.userId, 10);
    for (const reader of readers.splice(READERS_OF_TEN)) await reader.vanish();
    const killer = new Killer(readers);
    pair.border.midway = killer.carriers(1);
    for (const reader of killer.alive()) for (const reed of reeds) reader.request(reed);
    await killer.others(reeds.length);
    await pair.passUntil(1_000, () => killer.carriersKilled > 0);
    await killer.others(0);
    const left = killer.alive();
    await pair.passUntil(1_000, () => haveAll(left, reeds));
    expect(pair.border.copies.most).toBeLessThanOrEqual(SLOTS);
    for (const reed of reeds) expect(arrivedAlive(reed, killer), `seed ${seed}`).toBeLessThanOrEqual(SPARE);
  }, 240_000);
});

describe('the only holder here', () => {
  it('who leaves while others are being served by it costs three more at most, and they get it', async () => {
    const { reed } = await pair.reed();
    const [holder, ...others] = (await pair.members(pair.asking, 21)) as [LightMember, ...LightMember[]];
    holder.request(reed);
    await holder.next('settled');
    await pair.settle();
    holder.behaviour.answer = 'nothing';
    for (const reader of others) reader.request(reed);
    await holder.next('relayRequest', ({ body }) => body.reedId === reed);
    await pair.settle();
    expect([pair.border.arrived.length, others.some((reader) => has(reader, reed))]).toEqual([1, false]);
    await holder.vanish();
    await pair.passUntil(1_000, () => haveAll(others, [reed]));
    expect(pair.border.copies.most).toBeLessThanOrEqual(SLOTS);
    expect(pair.border.arrived.length).toBeLessThanOrEqual(1 + SLOTS);
  });
});

describe('two requests for one slot, at two replicas', () => {
  it('cross once, however often they race', async () => {
    const replica = await pair.beside();
    try {
      const here = await pair.members(pair.asking, 3);
      const there = await pair.members(replica, 1);
      const [first, second, third, fourth] = [...here, ...there] as [LightMember, LightMember, LightMember, LightMember];
      for (let race = 0; race < RACES; race++) {
        const { author, reed } = await pair.reed({ answer: 'nothing' });
        for (const reader of [first, second]) reader.request(reed);
        await pair.settle();
        expect(pair.border.count('request')).toBe(2);
        // Somebody is about to take the last slot, and does not: so both replicas stand before it at the same moment.
        await pair.asking.community.holding(TAKE_LAST_SLOT, [reed], async () => {
          for (const [standing, reader] of [third, fourth].entries()) {
            reader.request(reed);
            await expect.poll(() => pair.asking.community.rows(AT_LAST_SLOT)).toHaveLength(standing + 1);
          }
        });
        await pair.settle();
        await replica.server.settle();
        expect(pair.border.count('request'), 'three in flight').toBe(SLOTS);
        author.behaviour.answer = 'bytes';
        author.answerAll();
        await pair.passUntil(1_000, () => haveAll([first, second, third, fourth], [reed]));
        expect([pair.border.copies.most <= SLOTS, pair.border.arrived.length]).toEqual([true, SLOTS]);
        await author.vanish();
        pair.calm();
      }
    } finally {
      await pair.leave();
      await replica.server.app.close();
    }
  }, 120_000);
});

describe('when all have left', () => {
  it('nothing is left on either side', async () => {
    await pair.end();
  }, 120_000);
});
