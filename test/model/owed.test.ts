// Nothing owed is lost: a community on two processes at most, with real statements, against a plain model of who must come to hold and know what
// (owed-model.ts). `npm run model -- --profile owed …` for more of it; the seed of every run is printed.
import fc from 'fast-check';
import { it } from 'vitest';
import { finish } from './owed-finale.ts';
import { type OwedMove, OwedMoves, owedMoves } from './owed-moves.ts';
import { OwedPlay } from './owed-play.ts';
import { clearOwed, type OwedStage, openOwedStage } from './owed-stage.ts';
import { OWED_PROFILES, type OwedProfile, settings } from './settings.ts';

const BATCHES = 12;
const STAGES = 2;

type Setting = { readonly online: number; readonly follows: number; readonly batches: readonly (readonly OwedMove[])[] };

const setting: fc.Arbitrary<Setting> = fc.record({
  online: fc.nat(2 ** 10 - 1),
  follows: fc.nat(2 ** 20 - 1),
  batches: fc.array(owedMoves, { minLength: 3, maxLength: BATCHES, size: 'max' }),
});

const perform = async (owed: OwedStage, { members, replicas }: OwedProfile, { batches, follows, online }: Setting): Promise<void> => {
  for (let at = 0; at < replicas; at += 1) if (!owed.stage.life(at)) await owed.stage.start(at);
  const play = new OwedPlay(owed);
  const moves = new OwedMoves(play);
  try {
    const moved = (kind: OwedMove['kind'], a: number, b: number): OwedMove => ({ kind, a, b, c: 1, turns: 0 });
    const all = Array.from({ length: members }, (_, a) => a);
    const arrivals = all.flatMap((a) => (((online >> (2 * a)) & 3) > 0 ? [moved('arrive', a, a)] : []));
    const edges = all.flatMap((a) => [moved('follow', a, follows >> (2 * a)), moved('follow', a, 1 + (follows >> (2 * a)))]);
    const posts = all.slice(0, 3).map((a) => moved('publish', a, follows >> a));
    const readings = all.flatMap((a) => [moved('readKey', a, a + 1 + (follows >> a)), moved('readKey', a, a + 2 + (follows >> a))]);
    for (const batch of [[...arrivals, ...edges], [...posts, ...readings], ...batches]) {
      const actions = await moves.actions(batch);
      if (actions.length > 0) await play.run(actions);
    }
    await finish(play, moves, replicas);
  } catch (error) {
    const what = error instanceof Error ? (error.stack ?? error.message) : String(error);
    throw new Error(readable(play, `${what}\nafter\n  ${play.history.join('\n  ')}`), { cause: error });
  }
};

/** Ids as their short names. */
const readable = (play: OwedPlay, text: string): string => {
  const posts = [...play.model.posts.values()].flatMap(({ parts }, at) =>
    parts.map((id, nth) => [id, `p${at}${nth > 0 ? `/${nth}` : ''}`] as const),
  );
  const members = play.devices.map(({ id }, at) => [id, `m${at}`] as const);
  return [...posts, ...members].reduce((said, [id, name]) => said.replaceAll(id, name), text);
};

/** A run on a fresh stage if the one before failed: what it left must not be taken for a fault of the next. */
const property = (profile: OwedProfile) => {
  let owed: OwedStage | null = null;
  const close = async (): Promise<void> => {
    await owed?.stage.close();
    owed = null;
  };
  const test = fc.asyncProperty(setting, async (of) => {
    owed ??= await openOwedStage(profile.limits, profile.members);
    try {
      await perform(owed, profile, of);
      owed = await clearOwed(owed);
    } catch (error) {
      await close();
      throw error;
    }
  });
  return { test, close };
};

const { only, path, runs, seed } = settings();
/** A run takes too long for hundreds of smaller ones: only one that is named is made smaller. */
const shrink = path !== null && settings().shrink;

for (const profile of OWED_PROFILES.filter((each) => only === null || each.name === only)) {
  const share = Math.max(1, Math.round(only === null ? runs * profile.share : runs));
  const stages = path === null ? Math.min(STAGES, share) : 1;
  it(`nothing owed is lost: ${profile.name}, ${share} runs from seed ${seed}`, { timeout: 120_000 + share * 12_000 }, async () => {
    const parts = Array.from({ length: stages }, async (_, at) => {
      const { test, close } = property(profile);
      try {
        const own = { seed: seed + at, numRuns: Math.ceil(share / stages), ...(path === null ? {} : { path }) };
        const details = await fc.check(test, { ...own, endOnFailure: !shrink, interruptAfterTimeLimit: 90_000 + share * 10_000 });
        if (details.interrupted && !details.failed) throw new Error(`only ${details.numRuns} runs in time; seed ${details.seed}`);
        if (details.failed) throw new Error(failureOf(profile, details));
      } finally {
        await close();
      }
    });
    const failed = (await Promise.allSettled(parts)).find((part) => part.status === 'rejected');
    if (failed) throw failed.reason;
    process.stdout.write(`model ${profile.name}: ${share} runs agree, seed ${seed}\n`);
  });
}

const failureOf = (profile: OwedProfile, details: fc.RunDetails<[Setting]>): string =>
  `${details.errorInstance instanceof Error ? details.errorInstance.message : String(details.errorInstance)}
after ${details.numRuns} runs, ${details.numShrinks} times made smaller: ${JSON.stringify(details.counterexample)}
again: npm run model -- --profile ${profile.name} --seed ${details.seed} --path ${details.counterexamplePath}`;
