// A fixed scenario as a command: progress while it runs, one summary at its end, and an exit code that says whether everything held.
import type { Terminal } from '../terminal.ts';
import { type CommunityDeps, type CommunitySummary, runCommunity } from './community.ts';
import { runScenario, type ScenarioDeps, type Summary } from './scenario.ts';

const FAILED = 1;

const OF_THE_RELAY: Readonly<Record<keyof Summary, string>> = {
  requested: 'requests for a reed',
  delivered: 'verified copies that arrived',
  acked: 'copies the server counts as held',
  invalid: 'false copies, each found out',
  reopened: 'claims taken back and given to another holder',
  rounds: 'copies from an author to the farthest member',
  bodiesOnServer: 'bodies found in tables, files and log',
  p50Ms: 'ms from request to copy, median',
  p99Ms: 'ms from request to copy, 99th percentile',
};

const OF_THE_COMMUNITY: Readonly<Record<keyof CommunitySummary, string>> = {
  owedLost: 'reeds that a member was owed and does not have',
  duplicates: 'copies sent to members who had them',
  blockedSaw: 'reeds that passed a block',
  removedStillHeld: 'copies left of what was taken back',
  fanoutStatements: 'statements for one reed to all followers',
};

const tableOf = <T extends object>(meanings: Readonly<Record<keyof T & string, string>>, summary: T): string =>
  (Object.keys(meanings) as (keyof T & string)[])
    .map((name) => `${String(summary[name] ?? '-').padStart(7)}  ${meanings[name]}`)
    .join('\n');

type Played<T extends object> = { readonly summary: T; readonly failures: readonly string[] };
type Told = { readonly terminal: Terminal; readonly progress: (line: string) => void };

const tell = <T extends object>(
  { summary, failures }: Played<T>,
  meanings: Readonly<Record<keyof T & string, string>>,
  to: Told,
): number => {
  for (const failure of failures) to.progress(failure);
  to.terminal.print(summary, tableOf(meanings, summary));
  return failures.length > 0 ? FAILED : 0;
};

/** @returns the exit code: 1 if anything did not arrive, was not confirmed, or was found where it must not be */
export const runHeadless = async (deps: ScenarioDeps & Told): Promise<number> => tell(await runScenario(deps), OF_THE_RELAY, deps);

/** @returns the exit code: 1 if anything owed was lost, came twice, or was seen by whom it must not be */
export const runHeadlessCommunity = async (deps: CommunityDeps & Told): Promise<number> =>
  tell(await runCommunity(deps), OF_THE_COMMUNITY, deps);
