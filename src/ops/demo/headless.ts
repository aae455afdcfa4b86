// The fixed scenario as a command: progress while it runs, one summary at its end, and an exit code that says whether everything held.
import type { Terminal } from '../terminal.ts';
import { runScenario, type ScenarioDeps, type Summary } from './scenario.ts';

export type HeadlessDeps = ScenarioDeps & { readonly terminal: Terminal };

const FAILED = 1;

const MEANINGS: Readonly<Record<keyof Summary, string>> = {
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

const tableOf = (summary: Summary): string =>
  Object.entries(MEANINGS)
    .map(([name, meaning]) => `${String(summary[name as keyof Summary] ?? '-').padStart(7)}  ${meaning}`)
    .join('\n');

/** @returns the exit code: 1 if anything did not arrive, was not confirmed, or was found where it must not be */
export const runHeadless = async ({ terminal, ...deps }: HeadlessDeps): Promise<number> => {
  const { summary, failures } = await runScenario(deps);
  for (const failure of failures) deps.progress(failure);
  terminal.print(summary, tableOf(summary));
  return failures.length > 0 ? FAILED : 0;
};
