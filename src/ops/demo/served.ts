// A whole server of the demo as operators run it: `reedbed serve` in a process of its own, with a data folder and an embedded Postgres. It can be
// killed and started again; nothing of it is left after close(), whatever it was doing.
import { type ChildProcess, spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { extname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { SetupError } from '../../base/setup-error.ts';
import { type Config, configWith } from '../../config/config.ts';
import { configToml } from '../../config/describe.ts';
import { endLeftOver, reachEmbedded } from '../../db/embedded.ts';
import { createLog } from '../../telemetry/log.ts';
import type { CopyCount } from './copy-count.ts';
import { DEMO_LIMITS } from './stage.ts';
import { Way } from './way.ts';

/** As `reedbed serve --json` prints it. */
type Ready = { readonly serverId: string; readonly fingerprint: string; readonly rootInvite: string | null };

const MAIN = join(import.meta.dirname, `../../main${extname(import.meta.filename)}`);
// Below those that systems give to outgoing connections: it must still be free after the server was killed.
const [PORTS_FROM, PORTS_TO] = [20_000, 32_000];
const PORT_TRIES = 50;
const STOP_MS = 20_000;
const WORDS_KEPT = 2_000;

const isFree = (port: number): Promise<boolean> =>
  new Promise((done) => {
    const server = createServer();
    server.once('error', () => done(false));
    server.listen(port, '127.0.0.1', () => server.close(() => done(true)));
  });

export const choosePort = async (): Promise<number> => {
  for (let tries = 0; tries < PORT_TRIES; tries += 1) {
    const port = randomInt(PORTS_FROM, PORTS_TO);
    if (await isFree(port)) return port;
  }
  throw new SetupError('No port is free for a server of the demo.', 'End what uses so many, and try again.');
};

export class Served {
  readonly name: string;
  /** Where members connect. */
  readonly url: string;
  /** What a command beside it is told. */
  readonly config: Config;
  readonly #folder: string;
  readonly #way: Way;
  #child: ChildProcess | null = null;
  #ready: Ready | null = null;
  #isKilled = false;
  #isClosed = false;

  private constructor(name: string, config: Config, parts: { readonly folder: string; readonly way: Way }) {
    this.name = name;
    this.config = config;
    this.url = `http://${config.host}:${config.port}`;
    this.#folder = parts.folder;
    this.#way = parts.way;
  }

  /** Makes the folder and opens the way in; the server itself is started by `start`. */
  static async prepare(name: string, parent: string, copies: CopyCount): Promise<Served> {
    const folder = join(parent, name.toLowerCase());
    await mkdir(folder);
    // Run by root, Postgres is another user's and has to pass.
    await chmod(folder, 0o711);
    const port = await choosePort();
    const way = await Way.open(port, copies);
    const place = {
      port,
      host: '127.0.0.1',
      data: join(folder, 'data'),
      name: `Demo ${name}`,
      publicUrl: way.url,
      logLevel: 'error' as const,
    };
    const config = configWith({ ...place, allowPrivatePeers: true, limits: DEMO_LIMITS });
    await writeFile(join(folder, 'reedbed.toml'), configToml(config));
    return new Served(name, config, { folder, way });
  }

  get id(): string {
    return this.#running().serverId;
  }

  get fingerprint(): string {
    return this.#running().fingerprint;
  }

  get rootInvite(): string | null {
    return this.#running().rootInvite;
  }

  /** Resolves when it serves. @throws SetupError with its last words if it ends before */
  async start(): Promise<void> {
    if (this.#isClosed) throw new SetupError('The demo is over.', 'Start it again.');
    const environment = Object.entries(process.env).filter(([name]) => !name.startsWith('REEDBED_') && name !== 'DATABASE_URL');
    // Of a group of its own: a Ctrl-C is the demo's, which ends its servers in order.
    const child = spawn(process.execPath, [MAIN, 'serve', '--json'], {
      ...{ cwd: this.#folder, env: Object.fromEntries(environment), detached: true, stdio: ['ignore', 'pipe', 'pipe'] },
    });
    this.#child = child;
    this.#isKilled = false;
    let words = '';
    child.stderr?.on('data', (chunk: Buffer) => {
      words = `${words}${chunk.toString()}`.slice(-WORDS_KEPT);
    });
    const lines = createInterface({ input: child.stdout ?? process.stdin });
    const ended = once(child, 'close').then(() => null);
    const said = await Promise.race([once(lines, 'line') as Promise<[string]>, ended]);
    if (said === null) throw new SetupError(`A server of the demo did not start. ${words.trim()}`, 'Its own words say what to mend.');
    const ready = JSON.parse(said[0]) as Ready;
    this.#ready = { ...ready, rootInvite: this.#ready?.rootInvite ?? ready.rootInvite };
  }

  /** kill -9 of its process; its Postgres stays, as it would. */
  async kill(): Promise<void> {
    await this.#end('SIGKILL');
  }

  /** Calls `work` with the address of its database. */
  async withDatabase<T>(work: (url: string) => Promise<T>): Promise<T> {
    const reached = await reachEmbedded({ dataFolder: this.config.data, log: createLog('error') });
    try {
      return await work(reached.url);
    } finally {
      await reached.stop();
    }
  }

  /** Ends the server, its Postgres and its way in. May be called more than once, and while it starts. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#way.close().catch(() => undefined);
    await this.#end('SIGTERM');
    if (this.#isKilled) await endLeftOver(this.config.data);
  }

  async #end(signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
    const child = this.#child;
    if (child === null) return;
    const hasEnded = (): boolean => child.exitCode !== null || child.signalCode !== null;
    const ended = hasEnded() ? Promise.resolve() : once(child, 'exit');
    child.kill(signal);
    const late = setTimeout(() => void child.kill('SIGKILL'), STOP_MS);
    await ended;
    clearTimeout(late);
    this.#isKilled = child.signalCode !== null || child.exitCode !== 0;
    this.#child = this.#isKilled ? child : null;
  }

  #running(): Ready {
    if (this.#ready === null) throw new Error(`server ${this.name} was not started`);
    return this.#ready;
  }
}
