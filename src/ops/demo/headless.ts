// A fixed scenario as a command: progress while it runs, one summary at its end, and an exit code that says whether everything held.
import type { Terminal } from '../terminal.ts';
import { type BorderDeps, runBorder } from './border.ts';
import { type CommunityDeps, runCommunity } from './community.ts';
import { OF_THE_BORDER, OF_THE_COMMUNITY, OF_THE_RELAY } from './meanings.ts';
import { runScenario, type ScenarioDeps } from './scenario.ts';

const FAILED = 1;

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

/** @returns the exit code: 1 if anything owed was lost, crossed too often, or was seen by whom it must not be */
export const runHeadlessBorder = async (deps: BorderDeps & Told): Promise<number> => tell(await runBorder(deps), OF_THE_BORDER, deps);
