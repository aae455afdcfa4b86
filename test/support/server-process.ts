// A whole server as its operator runs it: `src/main.ts serve --json` in a process of its own, with its own data folder.
import { inject } from 'vitest';
import { type Child, startChild } from './child.ts';

export type Ready = { readonly url: string; readonly serverId: string; readonly fingerprint: string; readonly rootInvite: string | null };
export type ServeOptions = {
  readonly data: string;
  readonly port?: string;
  readonly env?: NodeJS.ProcessEnv;
  /** Where it looks for reedbed.toml. */
  readonly cwd?: string;
  /** Starts the bundle that the run made of it, in half the time (see bundled-server.ts). */
  readonly bundled?: boolean;
};

/** Starts it; `child.line()` is the JSON line once it is ready. */
export const spawnServer = (options: ServeOptions): Child => {
  const bundle = options.bundled === true ? inject('bundledServer') : null;
  return startChild(bundle?.main ?? 'src/main.ts', {
    args: ['serve', '--json'],
    env: {
      ...{ PATH: process.env['PATH'], REEDBED_DATA: options.data, REEDBED_PORT: options.port ?? '0' },
      ...(bundle === null ? {} : { NODE_COMPILE_CACHE: bundle.compiled }),
      ...options.env,
    },
    ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
  });
};

export const readyLine = async (child: Child): Promise<Ready> => JSON.parse(await child.line()) as Ready;
