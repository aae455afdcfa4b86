// How a new reed gets around: one holder, and a thousand who all have asked for it, or who follow its author and are told when it is published. A round:
// holders keep their answers back until nothing more is dispatched, then all answer at once.
import { OffsetClock, pause } from '../../src/base/clock.ts';
import type { UserId } from '../../src/wire/address.ts';
import type { Child } from './calls.ts';
import { writeLibrary } from './library.ts';
import type { LoadApi } from './load-child.ts';
import type { ServerUsage } from './server-child.ts';
import { type Server, share } from './stage.ts';
import { CIPHERTEXT_BYTES } from './throughput.ts';

export type SpreadResult = {
  readonly followers: number;
  /** Answers of each round. */
  readonly rounds: readonly number[];
  /** The most that one holder was asked for in a round. */
  readonly mostOfOneHolder: number;
  readonly statements: number;
  /** From the asking or the publication until the first round stood, of the ledger and the application. */
  readonly statementsToOwe: number;
};

/** How followers come to want it. */
export type Wanted = 'asked' | 'published';

const clock = new OffsetClock();
const LOOK_EVERY_MS = 20;
const MOST_ROUNDS = 100;
const QUIET_LOOKS = 3;

const statementsOf = (before: ServerUsage, after: ServerUsage): number =>
  after.ledgerStatements + after.applicationStatements - before.ledgerStatements - before.applicationStatements;

/** Answers are kept back for longer than a holder has time for, and nothing may move but by answers. */
export const SPREAD_LIMITS = { dispatchDeadlineMs: 600_000, waitingFirstMs: 600_000, waitingMaxMs: 600_000, awakeEventsPerMember: 16 };

type Arena = { readonly server: Server; readonly loads: readonly Child<LoadApi>[] };

export const measureSpread = async ({ server, loads }: Arena, followers: number, wanted: Wanted): Promise<SpreadResult> => {
  // Names of this part alone: loads count by name for as long as they live.
  const all = { author: `author, ${wanted}`, followers: `followers, ${wanted}` };
  const accounts = await server.community.accounts(followers + 1);
  const asked = wanted === 'asked';
  const library = asked ? await writeLibrary(server.community, accounts, { count: 1, holders: 1 }) : null;
  const author = accounts[0]?.userId as UserId;
  const reedId = asked ? null : await server.community.registered(author);
  if (!asked) await server.community.follows(accounts.slice(1).map(({ userId }) => [userId, author] as const));
  const numbered = accounts.map((account, index) => ({ account, index }));
  const common = { url: server.url, library, ciphertextBytes: CIPHERTEXT_BYTES };
  await loads[0]?.call('connect', { ...common, of: all.author, accounts: numbered.slice(0, 1) });
  const some = numbered.slice(1);
  await Promise.all(
    loads.map((load, index) => load.call('connect', { ...common, of: all.followers, accounts: share(some, index, loads.length) })),
  );
  const everyone = async <T>(task: (load: Child<LoadApi>, of: string) => Promise<T>): Promise<T[]> =>
    Promise.all(Object.values(all).flatMap((of) => loads.map((load) => task(load, of))));
  await everyone((load, of) => load.call('keepBack', { of }));
  await everyone((load, of) => load.call('sync', { of }));
  await server.child.call('settle', undefined as never);
  const before = await server.child.call('used', undefined as never);
  if (reedId === null) await Promise.all(loads.map((load) => load.call('askEach', { of: all.followers })));
  else await loads[0]?.call('publish', { of: all.author, reedId });

  /** What is kept back once nothing changes any more. */
  const atRest = async (): Promise<{ kept: number[]; settled: number }> => {
    for (let quiet = 0, last = ''; ; ) {
      await server.child.call('settle', undefined as never);
      const kept = (await everyone((load, of) => load.call('kept', { of }))).flat();
      const counts = await everyone((load, of) => load.call('counts', { of }));
      const settled = counts.reduce((sum, count) => sum + count.settled, 0);
      const now = `${kept.length} ${kept.reduce((sum, count) => sum + count, 0)} ${settled}`;
      quiet = now === last ? quiet + 1 : 0;
      if (quiet >= QUIET_LOOKS) return { kept, settled };
      last = now;
      await pause(clock, LOOK_EVERY_MS);
    }
  };
  const rounds: number[] = [];
  let mostOfOneHolder = 0;
  let statementsToOwe = 0;
  for (;;) {
    const { kept, settled } = await atRest();
    if (rounds.length === 0) statementsToOwe = statementsOf(before, await server.child.call('used', undefined as never));
    if (settled >= followers) break;
    if (kept.length === 0 || rounds.length > MOST_ROUNDS) throw new Error(`the spread came to rest with ${settled} of ${followers} served`);
    rounds.push(kept.reduce((sum, count) => sum + count, 0));
    mostOfOneHolder = Math.max(mostOfOneHolder, ...kept);
    await everyone((load, of) => load.call('answer', { of }));
  }
  const after = await server.child.call('used', undefined as never);
  await everyone((load, of) => load.call('disconnect', { of }));
  return { followers, rounds, mostOfOneHolder, statementsToOwe, statements: after.ledgerStatements - before.ledgerStatements };
};
