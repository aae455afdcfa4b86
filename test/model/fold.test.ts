// The fold against what it promises, under generated moves and a generated wire: requests and answers are lost, repeated, delayed and come in another
// order while readers ask, cancel, vanish, lie and come back, and servers forget. Never more than three copies of a reed are on the wire, each with
// its slot; nobody is passed over; once the wire is good again everybody who asks gets the reed; nothing is left on either side.
import fc from 'fast-check';
import { it } from 'vitest';
import type { FoldPair } from '../support/fold-pair.ts';
import { type FoldMove, runs as generated, type Run } from './fold-moves.ts';
import { type Cast, FoldPlay, openFold } from './fold-play.ts';
import { Progress } from './progress.ts';
import { FOLD_PROFILES, settings } from './settings.ts';

/** Pairs of servers side by side: while one waits for its database the other goes on. */
const STAGES = 2;
const PROGRESS_EVERY = 10;
/** What takes so long, of moves that take a tenth of a second and an end that takes seconds, never comes to rest. */
const STUCK_MS = 120_000;

const within = async (what: string, work: Promise<void>): Promise<void> => {
  const stuck = Promise.withResolvers<never>();
  const timer = setTimeout(() => stuck.reject(new Error(`${what} does not come to its end`)), STUCK_MS);
  try {
    await Promise.race([work, stuck.promise]);
  } finally {
    clearTimeout(timer);
  }
};

const perform = async ({ cast, pair }: { readonly pair: FoldPair; readonly cast: Cast }, run: Run): Promise<void> => {
  const done: FoldMove[] = [];
  try {
    const play = await FoldPlay.begin(pair, cast);
    const move = async (step: FoldMove): Promise<void> => {
      done.push(step);
      await within('the last move', play.move(step));
    };
    play.weather(run.start.weather);
    for (const step of run.start.moves) await move(step);
    play.weather(run.weather);
    for (const step of run.moves) await move(step);
    await within('the finale', play.finale());
    await within('the end', pair.end());
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new Error(`${why}\nafter "${run.start.name}": ${JSON.stringify(done)}`, { cause: error });
  }
};

/** A run on fresh servers if the one before failed: what it left must not be taken for a fault of the next. */
const property = (progress: Progress, at: number) => {
  let opened: Awaited<ReturnType<typeof openFold>> | null = null;
  const close = async (): Promise<void> => {
    opened?.pair.wire.mend();
    await opened?.pair.close();
    opened = null;
  };
  const test = fc.asyncProperty(generated, async (run) => {
    progress.begin(at);
    opened ??= await openFold();
    try {
      await perform(opened, run);
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

for (const profile of FOLD_PROFILES.filter((each) => only === null || each.name === only)) {
  const share = Math.max(1, Math.round(only === null ? runs * profile.share : runs));
  const stages = path === null ? Math.min(STAGES, share) : 1;
  it(`at most three copies cross, everybody gets one, nothing is left: ${profile.name}, ${share} runs from seed ${seed}`, {
    timeout: 120_000 + share * 10_000,
  }, async () => {
    const progress = new Progress({ name: profile.name, of: share, every: PROGRESS_EVERY });
    const parts = Array.from({ length: stages }, async (_, at) => {
      const { test, close } = property(progress, at);
      try {
        const own = { seed: seed + at, numRuns: Math.ceil(share / stages), ...(path === null ? {} : { path }) };
        // A run takes too long for hundreds of smaller ones: only one that is named is made smaller.
        const details = await fc.check(test, {
          ...own,
          endOnFailure: path === null || !shrink,
          interruptAfterTimeLimit: 90_000 + share * 8_000,
        });
        if (progress.isOver(at)) return;
        // A first run that is interrupted is counted as a failed one.
        if (details.interrupted && details.counterexample === null)
          throw new Error(`only ${details.numRuns} runs in time; seed ${details.seed}`);
        if (details.failed) throw new Error(failureOf(profile.name, details));
      } finally {
        await close();
      }
    });
    const failed = (await Promise.allSettled(parts)).find((part) => part.status === 'rejected');
    if (failed) throw failed.reason;
    process.stdout.write(`model ${profile.name}: ${progress.done} runs agree, seed ${seed}\n`);
  });
}

const failureOf = (name: string, details: fc.RunDetails<[Run]>): string =>
  `${details.errorInstance instanceof Error ? details.errorInstance.message : String(details.errorInstance)}
after ${details.numRuns} runs, ${details.numShrinks} times made smaller: ${JSON.stringify(details.counterexample)}
again: npm run model -- --profile ${name} --seed ${details.seed} --path ${details.counterexamplePath}`;
