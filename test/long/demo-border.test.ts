// The border scenario of the demo, small: two servers as processes become peers, one is killed in the middle and comes back, and nobody lacks anything.
import { existsSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { BorderSummary } from '../../src/ops/demo/border.ts';
import { BorderGround } from '../../src/ops/demo/border-ground.ts';
import { runHeadlessBorder } from '../../src/ops/demo/headless.ts';
import { postgresOf } from '../support/processes.ts';

const READERS = 40;

test('two servers whose members read each other lose nothing by the death of one, and copies cross three at a time', async () => {
  const ground = new BorderGround();
  const printed: object[] = [];
  const said: string[] = [];
  try {
    const code = await runHeadlessBorder({
      ground,
      plan: { members: 7, writes: 2, crowd: { readers: READERS, reeds: 2 }, deadlineMs: 60_000 },
      terminal: { isTerminal: false, print: (value: object) => void printed.push(value), fault: () => undefined },
      signal: new AbortController().signal,
      progress: (line) => void said.push(line),
    });
    expect(said.filter((line) => line.startsWith('in time'))).toEqual([]);
    expect(printed).toHaveLength(1);
    const summary = printed[0] as BorderSummary;
    expect(summary.owedLost).toBe(0);
    expect(summary.crossingsMax).toBeGreaterThanOrEqual(1);
    expect(summary.crossingsMax).toBeLessThanOrEqual(3);
    // Of two reeds one is taken back and the other given up by who was blocked: four have it, three each of two more; two at A have one, one the reply.
    expect(summary.foreignDelivered).toBe(2 * READERS + 4 + 2 * 3 + 2 + 1);
    expect(summary.crossingsTotal).toBeGreaterThanOrEqual(2 + 3 + 2 + 1);
    expect(summary.crossingsTotal).toBeLessThan(summary.foreignDelivered / 2);
    expect(code, said.at(-1)).toBe(0);
  } finally {
    await ground.close();
  }
  expect(existsSync(ground.folder)).toBe(false);
});

test('a server that was killed and not started again leaves no database and no folder', async () => {
  const ground = new BorderGround();
  const { a } = await ground.open();
  await a.start();
  await a.kill();
  expect(await postgresOf(a.config.data)).not.toEqual([]);
  await ground.close();
  expect(await postgresOf(a.config.data)).toEqual([]);
  expect(existsSync(ground.folder)).toBe(false);
});
