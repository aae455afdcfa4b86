// The community scenario of the demo, small: nothing owed is lost, nothing comes twice, nothing passes a block, nothing that was taken back stays;
// and a publication to a thousand costs a handful of statements.
import { expect, test } from 'vitest';
import { createApp } from '../../src/app.ts';
import { runHeadlessCommunity } from '../../src/ops/demo/headless.ts';
import { openStage } from '../../src/ops/demo/stage.ts';

test('a community that is cut off, taken back from and crashed ends with what it is owed and nothing else', async () => {
  const stage = await openStage({ createApp, logLevel: 'error', linesKept: 100 });
  const printed: { fanoutStatements?: number }[] = [];
  const said: string[] = [];
  try {
    const code = await runHeadlessCommunity({
      stage,
      plan: { reeds: 3, followers: 1_000, deadlineMs: 60_000 },
      terminal: { isTerminal: false, print: (value: object) => void printed.push(value), fault: () => undefined },
      signal: new AbortController().signal,
      progress: (line) => void said.push(line),
    });
    expect(printed).toEqual([{ owedLost: 0, duplicates: 0, blockedSaw: 0, removedStillHeld: 0, fanoutStatements: expect.any(Number) }]);
    expect(code).toBe(0);
    expect(said).toContain('the database crashed while two wrote; everybody comes back');
  } finally {
    await stage.close();
  }
});
