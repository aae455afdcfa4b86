// `npm run soak`: looks for leaks in a server under many members who vanish and many relayed events. Prints what was there before and
// after; ends with 1 and the names of what grew. `--cycles N` and `--events M` make it shorter.
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import pino from 'pino';
import { OffsetClock, pause } from '../../src/base/clock.ts';
import { startEmbedded } from '../../src/db/embedded.ts';
import { migrate } from '../../src/db/migrate.ts';
import type { Row } from './soak-measure.ts';
import { grown, type Phase, soak } from './soak-run.ts';

const AUTOVACUUM_MOST_MS = 180_000;
const PROGRESS_EVERY_MS = 5_000;
/** Seen on two cores that the load shares; for the first guess only. */
const CYCLES_PER_SECOND = 400;
const EVENTS_PER_SECOND = 1_500;

const minutes = (seconds: number): string => (seconds < 90 ? `${Math.ceil(seconds)} s` : `${Math.ceil(seconds / 60)} min`);

function reporter(): (phase: Phase, done: number, of: number) => void {
  let phase: Phase | null = null;
  let [startedAt, saidAt] = [0, 0];
  return (now, done, of) => {
    if (now !== phase) {
      phase = now;
      startedAt = performance.now();
      saidAt = startedAt;
      process.stdout.write(`${now}\n`);
    }
    if (performance.now() - saidAt < PROGRESS_EVERY_MS) return;
    saidAt = performance.now();
    const rate = done / ((saidAt - startedAt) / 1_000);
    process.stdout.write(`  ${done} of ${of}, ${Math.round(rate)} a second, ${minutes((of - done) / rate)} left\n`);
  };
}

/** Objects and maps by the hundred are shown only where they grew, or are maps of ours that hold something. */
const isShown = ({ what, baseline, end, allowed }: Row): boolean => !what.startsWith('objects') || end > allowed || end - baseline > 200;

function print(rows: readonly Row[]): void {
  const shown = rows.filter(isShown);
  const width = Math.max(...shown.map(({ what }) => what.length));
  const line = (...[what, ...cells]: string[]): string =>
    `${(what ?? '').padEnd(width)}${cells.map((cell) => cell.padStart(14)).join('')}\n`;
  process.stdout.write(line('', 'baseline', 'end', 'allowed'));
  for (const { what, baseline, end, allowed } of shown) {
    const most = Number.isFinite(allowed) ? String(Math.floor(allowed)) : 'any';
    process.stdout.write(line(what, String(baseline), String(end), most).replace('\n', end > allowed ? '  GREW\n' : '\n'));
  }
  process.stdout.write(`${rows.length} things measured\n`);
}

const WRONG_USE = 2;
const USAGE = `npm run soak -- [--cycles N] [--events M]

  --cycles N   how many members come and vanish: 100000
  --events M   how many events are relayed: 1000000
  --help       this text

Prints what was there before and after, and what grew; the exit code is 1 if anything did. Takes about 15 minutes as it is, on two cores; everything is in a
temporary folder that is removed at the end.
`;

const number = (text: string | undefined, name: string): number => {
  const value = Number(text);
  if (!Number.isSafeInteger(value) || value < 1) throw new Error(`--${name} is a number of at least 1`);
  return value;
};

type Asked = { readonly cycles: number; readonly events: number };

/** What was asked for; else the exit code, once it is said. */
function readOptions(): Asked | number {
  try {
    const { values } = parseArgs({
      options: {
        cycles: { type: 'string', default: '100000' },
        events: { type: 'string', default: '1000000' },
        help: { type: 'boolean', default: false },
      },
    });
    if (!values.help) return { cycles: number(values.cycles, 'cycles'), events: number(values.events, 'events') };
    process.stdout.write(USAGE);
    return 0;
  } catch (error) {
    process.stderr.write(`soak: ${error instanceof Error ? error.message : String(error)}. See --help.\n`);
    return WRONG_USE;
  }
}

async function main(asked: Asked): Promise<number> {
  const { cycles, events } = asked;
  const guess = cycles / CYCLES_PER_SECOND + events / EVENTS_PER_SECOND;
  process.stdout.write(`${cycles} members who vanish, ${events} relayed events: about ${minutes(guess)} on two cores\n`);
  const folder = await mkdtemp(join(tmpdir(), 'reedbed-soak-'));
  await chmod(folder, 0o711);
  const log = pino({ level: 'warn' }, pino.destination(2));
  const embedded = await startEmbedded({ dataFolder: folder, log });
  const end = async (): Promise<void> => {
    await embedded.stop();
    await rm(folder, { recursive: true, force: true });
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void end().finally(() => process.exit(130)));
  try {
    await migrate(embedded.url, log);
    const clock = new OffsetClock();
    const autovacuum = { mostMs: AUTOVACUUM_MOST_MS, pause: (ms: number) => pause(clock, ms) };
    const rows = await soak({ databaseUrl: embedded.url, cycles, events, autovacuum, progress: reporter() });
    print(rows);
    const leaks = grown(rows);
    process.stdout.write(leaks.length === 0 ? 'nothing grew\n' : `grew: ${leaks.map(({ what }) => what).join(', ')}\n`);
    return leaks.length === 0 ? 0 : 1;
  } finally {
    await end();
  }
}

const asked = readOptions();
process.exitCode = typeof asked === 'number' ? asked : await main(asked);
