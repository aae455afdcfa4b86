// The whole server as one file, made once for a run, for tests that start it by the dozen: half of what a start computes is finding, reading
// and compiling a thousand modules. It is the same code; tests of starting and stopping start that of the checkout.
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build, type Plugin } from 'vite';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  export interface ProvidedContext {
    /** The server's entry, and where its compiled code is kept, in projects that have it made. */
    bundledServer: { readonly main: string; readonly compiled: string };
  }
}

const ROOT = join(import.meta.dirname, '../..');

/** Modules go on finding migrations, the web app and packages from where they were. */
const keepPlaces: Plugin = {
  name: 'keep-places',
  enforce: 'pre',
  transform: (code, id) =>
    id.startsWith(join(ROOT, 'src'))
      ? code
          .replaceAll('import.meta.dirname', JSON.stringify(dirname(id)))
          .replaceAll('import.meta.url', JSON.stringify(pathToFileURL(id).href))
      : null,
};

/** A start that fails by name when all is loaded: it leaves the compiled code, which a killed server never writes. */
const compile = (main: string, compiled: string): Promise<void> => {
  const nowhere = {
    DATABASE_URL: 'postgres://127.0.0.1:1/none',
    REEDBED_PASSPHRASE: 'none',
    REEDBED_PORT: '0',
    REEDBED_DATA: join(dirname(main), 'data'),
  };
  const env = { PATH: process.env['PATH'], NODE_COMPILE_CACHE: compiled, ...nowhere };
  return new Promise((resolve, reject) => {
    execFile(process.execPath, [main, 'serve', '--json'], { env, cwd: dirname(main) }, (_, __, errors) =>
      errors.includes("can't be reached") ? resolve() : reject(new Error(`the bundled server does not start: ${errors}`)),
    );
  });
};

let folder = '';

export const setup = async (project: TestProject): Promise<void> => {
  folder = await mkdtemp(join(tmpdir(), 'reedbed-bundle-'));
  await build({
    ...{ root: ROOT, configFile: false, logLevel: 'error', publicDir: false, plugins: [keepPlaces] },
    ssr: { noExternal: true },
    build: {
      ...{ ssr: join(ROOT, 'src/main.ts'), outDir: folder, target: 'node24', minify: false },
      rolldownOptions: { output: { codeSplitting: false, entryFileNames: 'main.mjs' } },
    },
  });
  const bundled = { main: join(folder, 'main.mjs'), compiled: join(folder, 'compiled') };
  await compile(bundled.main, bundled.compiled);
  project.provide('bundledServer', bundled);
};

export const teardown = (): Promise<void> => rm(folder, { recursive: true, force: true });
