// How a new reed gets around: one holder, and a thousand who all have asked for it, or who follow its author and are told when it is published. A round:
// holders keep their answers back until nothing more is dispatched, then all answer at once.
import { OffsetClock, pause } from '../../src/base/clock.ts';
import type { ReedId } from '../../src/wire/address.ts';
import type { LightAccount } from '../support/light-member.ts';
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
const LONGEST_MS = 60_000;

const statementsOf = (before: ServerUsage, after: ServerUsage): number =>
  after.ledgerStatements + after.applicationStatements - before.ledgerStatements - before.applicationStatements;

/** Answers are kept back for longer than a holder has time for, and nothing may move but by answers. */
export const SPREAD_LIMITS = { dispatchDeadlineMs: 600_000, waitingFirstMs: 600_000, waitingMaxMs: 600_000, awakeEventsPerMember: 16 };

type Arena = { readonly server: Server; readonly loads: readonly Child<LoadApi>[] };

/** A thousand members who are online, and one who writes. */
export type Crowd = Arena & { readonly author: LightAccount; readonly followers: readonly LightAccount[]; readonly reedId: ReedId };

/** Their names in the load processes. */
const NAMES = { author: 'author', followers: 'followers' };
export const FOLLOWERS = NAMES.followers;

const everyone = async <T>({ loads }: Arena, task: (load: Child<LoadApi>, of: string) => Promise<T>): Promise<T[]> =>
  Promise.all(Object.values(NAMES).flatMap((of) => loads.map((load) => task(load, of))));

/** Signs everybody in, such that all of them may be told of what comes. The author holds one reed, which the others may ask for. */
export const gather = async ({ server, loads }: Arena, followers: number): Promise<Crowd> => {
  const accounts = await server.community.accounts(followers + 1);
  const library = await writeLibrary(server.community, accounts, { count: 1, holders: 1 });
  const numbered = accounts.map((account, index) => ({ account, index }));
  const common = { url: server.url, library, ciphertextBytes: CIPHERTEXT_BYTES };
  await loads[0]?.call('connect', { ...common, of: NAMES.author, accounts: numbered.slice(0, 1) });
  const some = numbered.slice(1);
  await Promise.all(
    loads.map((load, index) => load.call('connect', { ...common, of: NAMES.followers, accounts: share(some, index, loads.length) })),
  );
  await server.child.call('settle', undefined as never);
  // As if each had asked for what it is owed, which is nothing: a thousand catch-ups are not what is measured here.
  await server.community.rows(`update online_users set sync_request_id = 'bench' where user_id = any($1)`, [
    accounts.map(({ userId }) => userId),
  ]);
  const [author, ...others] = accounts as [LightAccount, ...LightAccount[]];
  return { server, loads, author, followers: others, reedId: library.reeds[0] as ReedId };
};

export const dismiss = (crowd: Crowd): Promise<unknown> => everyone(crowd, (load, of) => load.call('disconnect', { of }));

/** What is kept back, by holder, and how many have it. */
type Standing = { readonly kept: readonly number[]; readonly settled: number; readonly used: ServerUsage };

const look = async (crowd: Crowd): Promise<Standing> => {
  const kept = (await everyone(crowd, (load, of) => load.call('kept', { of }))).flat();
  const counts = await everyone(crowd, (load, of) => load.call('counts', { of }));
  const used = await crowd.server.child.call('used', undefined as never);
  return { kept, settled: counts.reduce((sum, { settled }) => sum + settled, 0), used };
};

/** What stands once nothing changes any more. @param between what is done before each look */
const atRest = async (crowd: Crowd, isEnough: (found: Standing) => boolean, between: () => Promise<void>): Promise<Standing> => {
  const until = performance.now() + LONGEST_MS;
  for (let quiet = 0, last: Standing | null = null; ; ) {
    await between();
    const now = await look(crowd);
    const told = ({ kept, settled }: Standing): string => `${kept.length} ${kept.reduce((sum, count) => sum + count, 0)} ${settled}`;
    if (last !== null && told(now) === told(last)) quiet += 1;
    else [quiet, last] = [0, now];
    if (quiet >= QUIET_LOOKS && (isEnough(now) || performance.now() > until)) return last;
    await pause(clock, LOOK_EVERY_MS);
  }
};

export const measureSpread = async (crowd: Crowd, wanted: Wanted): Promise<SpreadResult> => {
  const { server, loads, author } = crowd;
  const followers = crowd.followers.length;
  const reedId = wanted === 'asked' ? null : await server.community.registered(author.userId);
  if (reedId !== null) await server.community.follows(crowd.followers.map(({ userId }) => [userId, author.userId] as const));
  await everyone(crowd, (load, of) => load.call('keepBack', { of }));
  const settle = (): Promise<void> => server.child.call('settle', undefined as never);
  await settle();
  const before = await look(crowd);
  if (reedId === null) await Promise.all(loads.map((load) => load.call('askEach', { of: NAMES.followers })));
  else await loads[0]?.call('publish', { of: NAMES.author, reedId });
  // Not settled in between: each settling is a whole round of all that is done regularly, and would be counted.
  const first = await atRest(
    crowd,
    ({ kept }) => kept.length > 0,
    async () => undefined,
  );
  const rounds: number[] = [];
  let mostOfOneHolder = 0;
  for (;;) {
    const { kept, settled, used } = await atRest(crowd, () => true, settle);
    if (settled - before.settled >= followers)
      return {
        ...{ followers, rounds, mostOfOneHolder, statementsToOwe: statementsOf(before.used, first.used) },
        statements: used.ledgerStatements - before.used.ledgerStatements,
      };
    if (kept.length === 0 || rounds.length > MOST_ROUNDS)
      throw new Error(`the spread came to rest with ${settled - before.settled} of ${followers} served`);
    rounds.push(kept.reduce((sum, count) => sum + count, 0));
    mostOfOneHolder = Math.max(mostOfOneHolder, ...kept);
    await everyone(crowd, (load, of) => load.call('answer', { of }));
  }
};
