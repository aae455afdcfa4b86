// What a process and a whole Postgres have used of the machine so far: CPU from the kernel's own counts, event loop utilisation, memory.
import { readdirSync, readFileSync } from 'node:fs';
import { performance } from 'node:perf_hooks';

export type Usage = {
  readonly atMs: number;
  readonly cpuMs: number;
  /** How long the event loop was busy so far. */
  readonly loopMs: number;
  readonly rssBytes: number;
  readonly heapBytes: number;
};

/** CPU and event loop of this process. */
export const usage = (): Usage => {
  const { user, system } = process.cpuUsage();
  const { rss, heapUsed } = process.memoryUsage();
  const atMs = performance.now();
  return { atMs, cpuMs: (user + system) / 1_000, loopMs: performance.eventLoopUtilization().active, rssBytes: rss, heapBytes: heapUsed };
};

/** Linux counts in hundredths of a second on every platform that Node runs on. */
const TICK_MS = 10;

type Stat = { readonly parent: number; readonly cpuMs: number };

/** Parent and CPU of a process, its ended children included; null if it is gone. */
const statOf = (pid: number | string): Stat | null => {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    const ticks = [11, 12, 13, 14].reduce((sum, at) => sum + Number(fields[at]), 0);
    return { parent: Number(fields[1]), cpuMs: ticks * TICK_MS };
  } catch {
    return null;
  }
};

const processes = (): string[] => readdirSync('/proc').filter((name) => /^\d+$/.test(name));

/** CPU of a process and its children, ended ones included; 0 where the system does not tell. */
export const familyCpuMs = (pid: number): number => {
  const own = statOf(pid);
  if (own === null) return 0;
  return processes().reduce((sum, name) => {
    const stat = statOf(name);
    return sum + (stat !== null && stat.parent === pid ? stat.cpuMs : 0);
  }, own.cpuMs);
};

/** CPU of this process and everybody below it, ended ones that somebody waited for included; 0 where the system does not tell. */
export const ownCpuMs = (): number => {
  if (statOf(process.pid) === null) return 0;
  const known = new Map(processes().flatMap((name) => [[Number(name), statOf(name)] as const]));
  const isOwn = (pid: number): boolean => pid === process.pid || ((known.get(pid)?.parent ?? 0) > 1 && isOwn(known.get(pid)?.parent ?? 0));
  return [...known].reduce((sum, [pid, stat]) => sum + (isOwn(pid) ? (stat?.cpuMs ?? 0) : 0), 0);
};

/** Share of one core that the whole machine was busy with, from two looks at it. */
export const machineCpuMs = (): number => {
  try {
    const [, user, nice, system, , , irq, softirq] = (readFileSync('/proc/stat', 'utf8').split('\n')[0] ?? '')
      .trim()
      .split(/\s+/)
      .map(Number);
    return ((user ?? 0) + (nice ?? 0) + (system ?? 0) + (irq ?? 0) + (softirq ?? 0)) * TICK_MS;
  } catch {
    return 0;
  }
};
