// The scenario of `reedbed demo --headless`: what it measures, and that it fails when something does not arrive or a body is found. Servers
// and members are real; plans are data, and the server that keeps what it should not does so at its bus.
import { appendFileSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createApp } from '../../src/app.ts';
import { MemoryBus } from '../../src/bus/memory-bus.ts';
import type { DeliveryKind } from '../../src/bus/port.ts';
import { runHeadless } from '../../src/ops/demo/headless.ts';
import { type Plan, THE_PLAN } from '../../src/ops/demo/plan.ts';
import type { Summary } from '../../src/ops/demo/scenario.ts';
import { openStage } from '../../src/ops/demo/stage.ts';
import type { CreateApp } from '../../src/ops/serve.ts';
import type { UserId } from '../../src/wire/address.ts';
import { atLength, inTest } from '../support/length.ts';

type Played = { readonly code: number; readonly summary: Summary; readonly said: readonly string[]; readonly folder: string };

const play = async (plan: Plan, make: CreateApp = createApp): Promise<Played> => {
  const stage = await openStage({ createApp: make, logLevel: 'trace', linesKept: Number.POSITIVE_INFINITY });
  const printed: object[] = [];
  const said: string[] = [];
  const terminal = { isTerminal: false, print: (value: object) => void printed.push(value), fault: () => undefined };
  const signal = new AbortController().signal;
  try {
    const code = await runHeadless({ stage, plan, terminal, signal, progress: (line) => void said.push(line) });
    expect(printed).toHaveLength(1);
    return { code, summary: printed[0] as Summary, said, folder: stage.folder };
  } finally {
    await stage.close();
  }
};

/** The least there is: one writes, two read. */
const SMALL: Plan = {
  ...{ members: 3, reeds: 2, authors: [0], liar: null, freezer: null, leaver: null },
  ...{ leavesAfter: 0, headStart: 0, atOnce: 2, deadlineMs: 60_000 },
};

/** Keeps every delivery in a file of the data folder. */
class KeepingBus extends MemoryBus {
  readonly #file: string;

  constructor(file: string) {
    super();
    this.#file = file;
  }

  override deliver(to: UserId, frame: Uint8Array, kind: DeliveryKind): Promise<boolean> {
    appendFileSync(this.#file, frame);
    return super.deliver(to, frame, kind);
  }
}

inTest(() => {
  test('where nobody misbehaves nothing is false or taken back, and two readers are one copy or two away', async () => {
    const { code, summary } = await play(SMALL);
    expect(code).toBe(0);
    expect(summary).toMatchObject({ requested: 4, delivered: 4, acked: 4, invalid: 0, reopened: 0, bodiesOnServer: 0 });
    expect([1, 2]).toContain(summary.rounds);
  });

  test('a server that keeps what it passes on is found out', async () => {
    const keeping: CreateApp = (config, overrides) => createApp(config, { ...overrides, bus: new KeepingBus(join(config.data, 'kept')) });
    const { code, summary, said } = await play(SMALL, keeping);
    expect(summary.delivered).toBe(summary.requested);
    expect(summary.bodiesOnServer).toBeGreaterThanOrEqual(summary.delivered);
    expect(said.at(-1)).toMatch(/^Bodies were found on the server/);
    expect(code).toBe(1);
  });
});

atLength(() => {
  test('everything arrives in spite of one who lies, one who freezes and one who leaves', async () => {
    const { code, summary, folder } = await play(THE_PLAN);
    expect(code).toBe(0);
    expect(summary.delivered).toBe(summary.requested);
    // Eleven who stay ask for all that the others wrote, and nine of them wrote forty; the leaver asked for some.
    expect(summary.requested).toBeGreaterThanOrEqual(11 * 40 - 40 + THE_PLAN.leavesAfter);
    expect(summary.requested).toBeLessThanOrEqual(12 * 40 - 40);
    expect(summary.acked).toBeGreaterThanOrEqual(11 * 40 - 40);
    expect(summary.acked).toBeLessThanOrEqual(summary.delivered);
    expect(summary.invalid).toBeGreaterThanOrEqual(1);
    expect(summary.reopened).toBeGreaterThanOrEqual(1);
    expect(summary.rounds).toBeGreaterThanOrEqual(2);
    expect(summary.bodiesOnServer).toBe(0);
    expect(summary.p99Ms).toBeGreaterThanOrEqual(summary.p50Ms ?? Number.POSITIVE_INFINITY);
    expect(existsSync(folder)).toBe(false);
  });

  test('a reed whose only holder has left does not arrive, which is told at the deadline', async () => {
    const { code, summary, said } = await play({ ...SMALL, reeds: 2, authors: [0, 2], leaver: 2, deadlineMs: 5_000 });
    expect(code).toBe(1);
    // Of the two who stayed, one asks for both reeds and the other for the one that it did not write.
    expect(summary).toMatchObject({ requested: 3, delivered: 1, acked: 1 });
    expect(said).toContain('2 of 3 requests did not arrive.');
  });
});
