// `reedbed demo`: a server and a dozen members in this process, to look at or, headless, to measure. Whatever ends it, Postgres is stopped and
// the temporary folder removed before it returns.
import { createLog } from '../telemetry/log.ts';
import { COMMUNITY_PLAN } from './demo/community.ts';
import { runHeadless, runHeadlessCommunity } from './demo/headless.ts';
import { runLive } from './demo/live.ts';
import { THE_PLAN } from './demo/plan.ts';
import { openStage, type Stage } from './demo/stage.ts';
import type { CreateApp } from './serve.ts';
import { untilStopped } from './shutdown.ts';
import { createTerminal } from './terminal.ts';

export const SCENARIOS = ['relay', 'community'] as const;

export type DemoOptions = {
  readonly createApp: CreateApp;
  readonly headless: boolean;
  readonly json: boolean;
  readonly scenario: (typeof SCENARIOS)[number];
};

const INTERRUPTED = 1;
const DRAIN_MS = 10_000;
// The scenario is searched for bodies in every line that was logged; the live view needs none.
const ALL_LINES = Number.POSITIVE_INFINITY;
const FEW_LINES = 100;

const report = (line: string): void => void process.stderr.write(`${line}\n`);

const play = async (stage: Stage, { headless, json, scenario }: DemoOptions, signal: AbortSignal): Promise<number> => {
  const terminal = createTerminal(json);
  const told = { stage, progress: report, signal, terminal };
  if (headless && scenario === 'community') return runHeadlessCommunity({ ...told, plan: COMMUNITY_PLAN });
  if (headless) return runHeadless({ ...told, plan: THE_PLAN });
  await runLive({ stage, terminal, json, signal });
  return 0;
};

/** Runs the scenario to its end, or the live view until a signal. @returns the exit code; a scenario that was interrupted has failed */
export const runDemo = async (options: DemoOptions): Promise<number> => {
  const stopping = new AbortController();
  const { createApp, headless } = options;
  report('Starting a server and a dozen members …');
  const opening = openStage({
    createApp,
    logLevel: headless ? 'trace' : 'error',
    linesKept: headless ? ALL_LINES : FEW_LINES,
  });
  const playing = opening.then((stage) => play(stage, options, stopping.signal));
  const close = async (): Promise<void> => (await opening.catch(() => null))?.close();
  const drain = async (): Promise<void> => {
    stopping.abort();
    await playing.catch(() => undefined);
  };
  const stopped = untilStopped({ drain, last: close }, createLog('error'), DRAIN_MS);
  try {
    const code = await Promise.race([playing, stopped]);
    return stopping.signal.aborted && headless ? INTERRUPTED : code;
  } catch (error) {
    if (stopping.signal.aborted) return INTERRUPTED;
    throw error;
  } finally {
    await close();
  }
};
