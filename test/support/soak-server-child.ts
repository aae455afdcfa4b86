// The server that the soak looks into: a whole application on the given database, in a process of its own that is asked for its memory.
// Caches that a long run fills are small here, so that the warm-up fills them and nothing but a leak can grow after it.
import { readdirSync } from 'node:fs';
import { writeHeapSnapshot } from 'node:v8';
import pino from 'pino';
import { createApp } from '../../src/app.ts';
import { configWith } from '../../src/config/config.ts';
import { RAISED_LIMITS } from './raised-limits.ts';

const SMALL_CACHES = { requestsRemembered: 4, asksRemembered: 4 };

const [databaseUrl = ''] = process.argv.slice(2);
const app = await createApp(
  configWith({
    ...{ port: 0, host: '127.0.0.1', databaseUrl, passphrase: 'correct horse battery staple', signup: 'open' },
    limits: { ...RAISED_LIMITS, ...SMALL_CACHES },
  }),
  { log: pino({ level: 'warn' }, pino.destination(2)) },
);

const counted = (names: readonly string[]): Record<string, number> => {
  const counts: Record<string, number> = {};
  for (const name of names) counts[name] = (counts[name] ?? 0) + 1;
  return counts;
};

/** What the process holds when it has nothing to do. */
async function measure(snapshot: string): Promise<unknown> {
  await app.settle();
  // First: writing it down takes memory that the process keeps, at the baseline as at the end.
  writeHeapSnapshot(snapshot);
  for (let round = 0; round < 4; round += 1) {
    globalThis.gc?.();
    await new Promise((turn) => setImmediate(turn));
  }
  const { heapUsed, external, arrayBuffers, rss } = process.memoryUsage();
  const resources = counted(process.getActiveResourcesInfo());
  const files = readdirSync('/proc/self/fd').length;
  const listeners = process.eventNames().reduce((sum, name) => sum + process.listenerCount(name), 0);
  return { heapUsed, external, arrayBuffers, rss, resources, files, listeners };
}

process.on('message', async ({ ask, snapshot = '' }: { readonly ask: 'settle' | 'measure'; readonly snapshot?: string }) => {
  if (ask === 'settle') await app.settle();
  process.send?.(ask === 'measure' ? await measure(snapshot) : 'settled');
});
const CLOSE_MOST_MS = 10_000;
process.once('disconnect', () => {
  // Whoever started it may have died, and its database with it.
  setTimeout(() => process.exit(1), CLOSE_MOST_MS).unref();
  void app.close().finally(() => process.exit(0));
});
// Ctrl-C reaches the whole group: whoever started it decides when it goes.
process.on('SIGINT', () => undefined);
process.send?.({ url: app.url, serverId: app.serverId });
