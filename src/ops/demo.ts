// `reedbed demo`: servers and a dozen members or two, to look at or, headless, to measure. Whatever ends it, every process is stopped and the temporary
// folder removed before it returns.
import { createLog } from '../telemetry/log.ts';
import { BORDER_PLAN } from './demo/border.ts';
import { BorderGround } from './demo/border-ground.ts';
import { COMMUNITY_PLAN } from './demo/community.ts';
import { runHeadless, runHeadlessBorder, runHeadlessCommunity } from './demo/headless.ts';
import { runLive } from './demo/live.ts';
import { THE_PLAN } from './demo/plan.ts';
import { openStage, type Stage } from './demo/stage.ts';
import type { CreateApp } from './serve.ts';
import { untilStopped } from './shutdown.ts';
import { createTerminal } from './terminal.ts';

export const SCENARIOS = ['relay', 'community', 'federation'] as const;

export type DemoOptions = {
  readonly createApp: CreateApp;
  readonly headless: boolean;
  readonly json: boolean;
  readonly scenario: (typeof SCENARIOS)[number];
};

/** What is played, and what must not outlive it. */
type Show = { readonly playing: Promise<number>; close(): Promise<void> };

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

const showOnStage = (options: DemoOptions, signal: AbortSignal): Show => {
  const { createApp, headless } = options;
  report('Starting a server and a dozen members …');
  const opening = openStage({
    createApp,
    logLevel: headless ? 'trace' : 'error',
    linesKept: headless ? ALL_LINES : FEW_LINES,
  });
  return {
    playing: opening.then((stage) => play(stage, options, signal)),
    close: async () => (await opening.catch(() => null))?.close(),
  };
};

/** Told as it goes on: beside the summary if that is all that is wanted, else in its place. */
const showOfBorder = ({ headless, json }: DemoOptions, signal: AbortSignal): Show => {
  const terminal = createTerminal(json);
  const progress = headless ? report : (line: string): void => terminal.print({ event: line }, line);
  progress('starting two servers and two dozen members …');
  const ground = new BorderGround();
  return { playing: runHeadlessBorder({ ground, plan: BORDER_PLAN, terminal, progress, signal }), close: () => ground.close() };
};

/** Runs a scenario to its end, or the live view until a signal. @returns the exit code; a scenario that was interrupted has failed */
export const runDemo = async (options: DemoOptions): Promise<number> => {
  const stopping = new AbortController();
  const isBorder = options.scenario === 'federation';
  const { playing, close } = (isBorder ? showOfBorder : showOnStage)(options, stopping.signal);
  const drain = async (): Promise<void> => {
    stopping.abort();
    // Servers that are being started are not waited for.
    if (isBorder) await close();
    await playing.catch(() => undefined);
  };
  const stopped = untilStopped({ drain, last: close }, createLog('error'), DRAIN_MS);
  try {
    const code = await Promise.race([playing, stopped]);
    return stopping.signal.aborted && (options.headless || isBorder) ? INTERRUPTED : code;
  } catch (error) {
    if (stopping.signal.aborted) return INTERRUPTED;
    throw error;
  } finally {
    await close();
  }
};
