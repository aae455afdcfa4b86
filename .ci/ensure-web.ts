// Builds the web app into web/dist when it is missing or older than what it is made from; takes no time otherwise.
// Runs before `npm start`, before a package is made, and once before the browser tests (as their global setup).
import { existsSync } from 'node:fs';
import { readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { build } from 'vite';

const ROOT = join(import.meta.dirname, '..');
const WEB = join(ROOT, 'web');
const BUILT = join(WEB, 'dist');
const SOURCES = ['web', 'src/base', 'src/wire', 'src/crypto', 'src/client', 'package-lock.json'];

async function newestUnder(path: string): Promise<number> {
  const entry = await stat(path);
  if (!entry.isDirectory()) return entry.mtimeMs;
  const names = (await readdir(path)).filter((name) => name !== 'node_modules' && !/^\.?dist/.test(name));
  const inside = await Promise.all(names.map((name) => newestUnder(join(path, name))));
  return Math.max(entry.mtimeMs, ...inside);
}

async function isCurrent(): Promise<boolean> {
  const page = join(BUILT, 'index.html');
  if (!existsSync(page)) return false;
  // The folder web/ itself changes when dist comes and goes; only what is in it counts.
  const inside = (await readdir(WEB)).filter((name) => !/^\.?dist/.test(name) && name !== 'node_modules').map((name) => join('web', name));
  const sources = [...inside, ...SOURCES.slice(1)];
  const times = await Promise.all(sources.map((source) => newestUnder(join(ROOT, source))));
  return Math.max(...times) <= (await stat(page)).mtimeMs;
}

/** Builds beside the present app and takes its place at the end: a server that serves it meanwhile never sees half of one. */
export async function buildWeb(): Promise<void> {
  const fresh = join(WEB, `.dist-${process.pid}`);
  // What a test has built is served by the next server, too: never the slower app that tells developers what it does.
  const { NODE_ENV } = process.env;
  process.env['NODE_ENV'] = 'production';
  try {
    await build({
      root: WEB,
      configFile: join(WEB, 'vite.config.ts'),
      logLevel: 'warn',
      build: { outDir: fresh, emptyOutDir: true },
    });
    await rm(BUILT, { recursive: true, force: true });
    await rename(fresh, BUILT);
  } finally {
    if (NODE_ENV === undefined) delete process.env['NODE_ENV'];
    else process.env['NODE_ENV'] = NODE_ENV;
    await rm(fresh, { recursive: true, force: true });
  }
}

/** Makes sure that web/dist is what the sources say. */
export async function setup(): Promise<void> {
  if (await isCurrent()) return;
  process.stderr.write('building the web app\n');
  await buildWeb();
}

if (import.meta.main) {
  await setup().catch((error: unknown) => {
    process.stderr.write(`the web app can't be built: ${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
  });
}
