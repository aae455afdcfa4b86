// A thousand members of one server ask for one reed of another at once. What that costs its home is counted on the wire between the two.
import { afterEach, describe, expect, it } from 'vitest';
import { FoldPair } from '../support/fold-pair.ts';
import type { Fate } from '../support/fold-wire.ts';
import type { LightMember } from '../support/light-member.ts';

const READERS = 1_000;
const FEWER = 250;
const AT_ONCE = 100;

const pair = FoldPair.forEachTest({ budgetMembers: 10_000 });
afterEach(() => {
  pair.wire.fate = () => 'pass';
});

async function crowd(count: number): Promise<LightMember[]> {
  const accounts = await pair.accounts(pair.asking, count);
  const members: LightMember[] = [];
  for (let at = 0; at < accounts.length; at += AT_ONCE)
    members.push(...(await Promise.all(accounts.slice(at, at + AT_ONCE).map((account) => pair.join(pair.asking, account)))));
  return members;
}

const hasIt = (member: LightMember): boolean => member.frames.some(({ type }) => type === 'dataResponse');

describe('a thousand readers', () => {
  it('cost the home three copies in all, and never more than three at once', async () => {
    const { reed } = await pair.reed();
    const readers = await crowd(READERS);
    for (const reader of readers) reader.request(reed);
    await pair.passUntil(1_000, () => readers.every(hasIt));
    expect(pair.wire.taken.get(reed)?.size).toBeLessThanOrEqual(3);
    expect(pair.wire.mostCopies).toBeLessThanOrEqual(3);
    expect(pair.wire.count('request')).toBeLessThanOrEqual(3);
  }, 240_000);

  it('some hundreds, of whom a fifth are killed, carriers in the middle of it among them, all get it but those, for a few copies more', async () => {
    const { reed } = await pair.reed();
    const readers = await crowd(FEWER);
    const killed = new Set(readers.filter((_, at) => at % 5 === 0));
    // Whoever is to die and carries is killed while its copy is on the wire.
    pair.wire.fate = async ({ leg }): Promise<Fate> => {
      if (leg !== 'deliver') return 'pass';
      const carriers = await pair.asking.community.rows<{ requester: string }>(
        'select requester from foreign_pending_events where slot is not null',
      );
      for (const reader of killed)
        if (reader.isOpen && carriers.some(({ requester }) => requester === reader.userId)) await reader.vanish();
      return 'pass';
    };
    for (const reader of readers) reader.request(reed);
    for (const [at, reader] of [...killed].entries()) if (at % 10 > 0) await reader.vanish();
    await pair.passUntil(1_000, () => readers.every((reader) => killed.has(reader) || hasIt(reader)));
    expect(pair.wire.mostCopies).toBeLessThanOrEqual(3);
    const dead = new Set([...killed].map(({ userId }) => userId));
    expect(pair.wire.takers(reed).filter((taker) => !dead.has(taker)).length).toBeLessThanOrEqual(4);
  }, 240_000);
});

describe('ten reeds that are asked for at once', () => {
  it('cost three copies each at most, also when the first holder here leaves in the middle', async () => {
    const author = await pair.member(pair.home);
    const reeds = await pair.home.community.reeds(author.userId, 10);
    const [first, ...left] = await pair.members(pair.asking, 40);
    for (const reader of [first, ...left]) for (const reed of reeds) reader?.request(reed);
    await first?.next('settled');
    await first?.vanish();
    const count = (reader: LightMember) =>
      new Set(reader.frames.flatMap((frame) => (frame.type === 'dataResponse' ? [frame.body.reedId] : []))).size;
    await pair.passUntil(1_000, () => left.every((reader) => count(reader) === reeds.length));
    expect(pair.wire.mostCopies).toBeLessThanOrEqual(3);
    for (const reed of reeds) expect(pair.wire.takers(reed).length).toBeLessThanOrEqual(4);
  }, 120_000);
});
