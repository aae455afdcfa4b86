// The ledger and its dispatch on real Postgres against the plain model (model.ts), with generated moves. `npm run model -- --runs N
// [--seed S] [--path P] [--profile NAME]` for more of it; the seed of every run is printed.
import fc from 'fast-check';
import { it } from 'vitest';
import { finish } from './finale.ts';
import { type Move, moves } from './generate.ts';
import { Moves } from './moves.ts';
import { Play } from './play.ts';
import { Progress } from './progress.ts';
import { PROFILES, type Profile, settings } from './settings.ts';
import { Stage } from './stage.ts';

const BATCHES = 14;
/** Stages side by side: while one waits for its database the others go on. */
const STAGES = 4;
const PROGRESS_EVERY = 500;

type Setting = { readonly online: number; readonly held: number; readonly batches: readonly (readonly Move[])[] };

const setting: fc.Arbitrary<Setting> = fc.record({
  online: fc.nat(2 ** 12),
  held: fc.nat(2 ** 30 - 1),
  batches: fc.array(moves, { minLength: 4, maxLength: BATCHES, size: 'max' }),
});

const perform = async (stage: Stage, profile: Profile, { online, held, batches }: Setting): Promise<void> => {
  const members = await stage.world.cast(profile.members);
  for (let at = 0; at < profile.replicas; at += 1) if (!stage.life(at)) await stage.start(at);
  const play = new Play(stage, members, profile.replicas);
  const maker = new Moves(play);
  await play.cast(profile.subjects, held);
  try {
    await performed(play, maker, { online, batches });
  } catch (error) {
    throw new Error(play.readable(error instanceof Error ? error.message : String(error)), { cause: error });
  }
};

const performed = async (play: Play, maker: Moves, { online, batches }: Pick<Setting, 'online' | 'batches'>): Promise<void> => {
  const present = play.members.filter((_, at) => ((online >> at) & 1) === 0);
  const arrivals = present.flatMap((member, at) => maker.anew(member, at % 2));
  if (arrivals.length > 0) await play.run(arrivals, false);
  for (const batch of batches) {
    const actions = maker.actions(batch);
    if (actions.length > 0) await play.run(actions);
  }
  await finish(play, maker);
};

/** A run on a fresh stage if the one before failed: what it left must not be taken for a fault of the next. */
const property = (profile: Profile, progress: Progress, at: number) => {
  let stage: Stage | null = null;
  const close = async (): Promise<void> => {
    await stage?.close();
    stage = null;
  };
  const test = fc.asyncProperty(setting, async (of) => {
    progress.begin(at);
    stage ??= await Stage.open(profile.limits);
    try {
      await perform(stage, profile, of);
      await stage.world.clear();
      progress.agreed();
    } catch (error) {
      progress.failed(at, error);
      await close();
      throw error;
    }
  });
  return { test, close };
};

const { only, path, runs, seed, shrink } = settings();

for (const profile of PROFILES.filter((each) => only === null || each.name === only)) {
  const share = Math.max(1, Math.round(only === null ? runs * profile.share : runs));
  const stages = path === null ? Math.min(STAGES, share) : 1;
  it(`the ledger does what the model does: ${profile.name}, ${share} runs from seed ${seed}`, {
    timeout: 60_000 + share * 2_000,
  }, async () => {
    const progress = new Progress({ name: profile.name, of: share, every: PROGRESS_EVERY });
    const parts = Array.from({ length: stages }, async (_, at) => {
      const { test, close } = property(profile, progress, at);
      try {
        const own = { seed: seed + at, numRuns: Math.ceil(share / stages), ...(path === null ? {} : { path }) };
        const details = await fc.check(test, { ...own, endOnFailure: !shrink, interruptAfterTimeLimit: 30_000 + share * 1_000 });
        if (progress.isOver(at)) return;
        if (details.interrupted && !details.failed) throw new Error(`only ${details.numRuns} runs in time; seed ${details.seed}`);
        if (details.failed) throw new Error(failureOf(profile, details));
      } finally {
        await close();
      }
    });
    const failed = (await Promise.allSettled(parts)).find((part) => part.status === 'rejected');
    if (failed) throw failed.reason;
    process.stdout.write(`model ${profile.name}: ${progress.done} runs agree, seed ${seed}\n`);
  });
}

const failureOf = (profile: Profile, details: fc.RunDetails<[Setting]>): string =>
  `${details.errorInstance instanceof Error ? details.errorInstance.message : String(details.errorInstance)}
after ${details.numRuns} runs, ${details.numShrinks} times made smaller: ${JSON.stringify(details.counterexample)}
again: npm run model -- --profile ${profile.name} --seed ${details.seed} --path ${details.counterexamplePath}`;
