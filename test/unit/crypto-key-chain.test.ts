// Which of two successors everybody follows, and what is no chain at all.
import { beforeAll, describe, expect, test } from 'vitest';
import { type ChainKey, continuationOf } from '../../src/crypto/key-chain.ts';
import { ChainMaker, type Entry, type Link } from '../support/chains.ts';

const NOW = 1_800_000_000_000;
const DAY = 86_400_000;

let maker: ChainMaker;
let [key, next, other, owner]: Link[] = [];
let first: unknown;
beforeAll(async () => {
  maker = await ChainMaker.make(NOW);
  key = maker.first;
  [next, other, owner] = [await maker.link(), await maker.link(), await maker.link()];
  first = await maker.key(key);
});

const link = (found: Link | undefined): Link => {
  if (!found) throw new Error('not made');
  return found;
};
const ids = (proven: readonly ChainKey[] | string) => (typeof proven === 'string' ? proven : proven.map(({ id }) => id));
const chain = async (entries: readonly Entry[]): Promise<readonly ChainKey[]> => {
  const proven = await maker.prove(entries);
  if (typeof proven === 'string') throw new Error(proven);
  return proven;
};
/** First key, and one after it. */
const pair = async (after: Link, by: 'key' | 'recovery', options: { atMs?: number; revocation?: unknown } = {}): Promise<Entry[]> => {
  const revocation = options.revocation ?? (await maker.revocation(link(key), after));
  const atMs = options.atMs ?? NOW;
  return [{ certificate: first, revocation }, { certificate: await maker.key(after, { before: link(key), by, atMs }) }];
};

describe('a chain', () => {
  test('goes on to the successor that the revoked key names', async () => {
    expect(ids(await maker.prove(await pair(link(next), 'key')))).toEqual([link(key).id, link(next).id]);
  });

  test.each(['another', 'none'])('does not go on to a key that the revoked key does not name: %s', async (named) => {
    const revocation = await maker.revocation(link(key), named === 'another' ? link(other) : undefined);
    expect(await maker.prove(await pair(link(next), 'key', { revocation }))).toBe('broken-chain successor');
  });

  test.each(['another', 'none'])('goes on to the recovery key’s, whatever the revoked key names: %s', async (named) => {
    const revocation = await maker.revocation(link(key), named === 'another' ? link(other) : undefined);
    expect(ids(await maker.prove(await pair(link(owner), 'recovery', { revocation })))).toEqual([link(key).id, link(owner).id]);
  });

  test('does not go on by a recovery key that the key before does not name', async () => {
    const stranger = { ...link(key), recovery: link(other).recovery };
    const certificate = await maker.key(link(owner), { before: stranger, by: 'recovery' });
    expect(await maker.prove([{ certificate: first, revocation: await maker.revocation(link(key)) }, { certificate }])).toBe(
      'wrong-id recoveryArmor',
    );
  });

  test('comes to no key twice', async () => {
    const back = await maker.key(link(key), { before: link(next), by: 'recovery' });
    const entries = await pair(link(next), 'key');
    const revocation = await maker.revocation(link(next), link(key));
    const loop = [entries[0] as Entry, { certificate: entries[1]?.certificate, revocation }, { certificate: back }];
    expect(await maker.prove(loop)).toBe('broken-chain key');
  });
});

describe('of two chains', () => {
  const known = () => pair(link(next), 'key').then(chain);
  const byRecovery = (atMs: number) => pair(link(owner), 'recovery', { atMs }).then(chain);
  // Both chains show the same revocation, as the server has one.
  const shared = async (atMs: number) => {
    const revocation = await maker.revocation(link(key), link(next));
    return [
      await chain(await pair(link(next), 'key', { revocation })),
      await chain(await pair(link(owner), 'recovery', { revocation, atMs })),
    ] as const;
  };

  test.each([
    [0, 'replaced'],
    [7 * DAY, 'replaced'],
    [7 * DAY + 1, 'refused'],
  ])('that of the recovery key wins, if it is at most seven days younger: %d ms', async (laterMs, expected) => {
    const [one, two] = await shared(NOW + laterMs);
    expect(continuationOf(one, two)).toBe(expected);
    // Whatever was seen first, what was put off the chain never comes back.
    expect(continuationOf(two, one)).toBe('refused');
  });

  test('neither wins if neither is the recovery key’s, or both are', async () => {
    const revocation = await maker.revocation(link(key), link(next));
    const recovered = await chain(await pair(link(owner), 'recovery', { revocation }));
    const again = await chain(await pair(link(other), 'recovery', { revocation }));
    expect(continuationOf(recovered, again)).toBe('refused');
    const forked = (await known()).map((each, at) => (at === 1 ? { ...each, id: link(other).id } : each));
    expect(continuationOf(await known(), forked)).toBe('refused');
  });

  test('one that shows less is the earlier one, and no reason to forget', async () => {
    const long = await known();
    expect(continuationOf(long, long.slice(0, 1))).toBe('earlier');
    expect(continuationOf(long.slice(0, 1), long)).toBe('continued');
    expect(continuationOf(long, long)).toBe('continued');
  });

  test('one without a revocation that was seen, or with another one, is refused', async () => {
    const [bare] = await chain([{ certificate: first }]);
    expect(continuationOf(await known(), [bare as ChainKey])).toBe('refused');
    expect(continuationOf(await known(), await known())).toBe('refused');
    expect(continuationOf([bare as ChainKey], await byRecovery(NOW))).toBe('continued');
  });
});
