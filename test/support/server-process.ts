// A whole server as its operator runs it: `src/main.ts serve --json` in a process of its own, with its own data folder.
import { type Child, startChild } from './child.ts';

export type Ready = { readonly url: string; readonly serverId: string; readonly fingerprint: string; readonly rootInvite: string | null };
export type ServeOptions = {
  readonly data: string;
  readonly port?: string;
  readonly env?: NodeJS.ProcessEnv;
  /** Where it looks for reedbed.toml. */
  readonly cwd?: string;
  /** A file to start instead of `src/main.ts`: a bundle of it. */
  readonly main?: string;
};

/** Starts it; `child.line()` is the JSON line once it is ready. */
export const spawnServer = (options: ServeOptions): Child =>
  startChild(options.main ?? 'src/main.ts', {
    args: ['serve', '--json'],
    env: { PATH: process.env['PATH'], REEDBED_DATA: options.data, REEDBED_PORT: options.port ?? '0', ...options.env },
    ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
  });

export const readyLine = async (child: Child): Promise<Ready> => JSON.parse(await child.line()) as Ready;
