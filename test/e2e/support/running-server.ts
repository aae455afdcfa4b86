// A real `reedbed serve` over a data folder of its own, as a person starts it, and the search for a text in all that it keeps.
import { type ChildProcess, spawn } from 'node:child_process';
import { chmod, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { databaseUrlOf } from '../../support/processes.ts';

const ROOT = join(import.meta.dirname, '../../..');

export type ServerOptions = {
  /** The loopback address it listens on. */
  readonly host?: string;
  /** Settings by the names of their variables. */
  readonly settings?: Readonly<Record<`REEDBED_${string}`, string>>;
};

export type RunningServer = {
  readonly url: string;
  readonly serverId: string;
  readonly options: ServerOptions;
  /** Empty once there is a root. */
  readonly rootInvite: string;
  readonly data: string;
  /** Everything the process has written to its output so far. */
  log(): string;
  /** Where in the tables, files and log the text stands; empty if nowhere. */
  find(text: string): Promise<string[]>;
  /** Ends the process as Ctrl-C does and gives its exit code. The data folder stays. */
  stop(): Promise<number | null>;
  /** Ends the process at once, as a crash does. */
  kill(): Promise<void>;
  /** Ends the process if need be and deletes the data folder. */
  dispose(): Promise<void>;
};

async function filesUnder(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}

async function findInFiles(data: string, text: string): Promise<string[]> {
  const found: string[] = [];
  for (const file of await filesUnder(data)) {
    const bytes = await readFile(file).catch(() => Buffer.alloc(0));
    if (bytes.includes(text)) found.push(`file ${file.slice(data.length + 1)}`);
  }
  return found;
}

async function findInTables(data: string, text: string): Promise<string[]> {
  const client = new pg.Client({ connectionString: await databaseUrlOf(data) });
  await client.connect();
  try {
    const tables = await client.query<{ name: string }>(
      `select format('%I.%I', table_schema, table_name) as name from information_schema.tables
       where table_schema not in ('pg_catalog', 'information_schema') and table_type = 'BASE TABLE'`,
    );
    if (tables.rows.length < 5) throw new Error('the search looks at too few tables');
    const found: string[] = [];
    for (const { name } of tables.rows) {
      const hit = await client.query(`select 1 from ${name} as t where strpos(t::text, $1) > 0 limit 1`, [text]);
      if (hit.rowCount !== 0) found.push(`table ${name}`);
    }
    return found;
  } finally {
    await client.end();
  }
}

type Announcement = { url: string; serverId: string; rootInvite: string | null };

/** Reads the line of JSON that says that the server is ready; rejects with the output if the process ends before. */
function announced(child: ChildProcess, output: string[]): Promise<Announcement> {
  return new Promise((resolve, reject) => {
    let text = '';
    child.stdout?.on('data', (chunk: Buffer) => {
      text += chunk.toString();
      for (const line of text.split('\n').slice(0, -1)) {
        if (line.startsWith('{') && line.includes('"rootInvite"')) return resolve(JSON.parse(line) as Announcement);
      }
      // The announcement may be printed over several lines.
      const whole = /\{[^{}]*"rootInvite"[^{}]*\}/.exec(text)?.[0];
      if (whole) resolve(JSON.parse(whole) as Announcement);
    });
    child.once('exit', (code) => reject(new Error(`the server ended with ${code} before it was ready:\n${output.join('')}`)));
    child.once('error', reject);
  });
}

async function newDataFolder(): Promise<string> {
  const data = await mkdtemp(join(tmpdir(), 'reedbed-e2e-'));
  // The embedded database may run as another user, who has to pass through.
  await chmod(data, 0o755);
  return data;
}

/** Starts a new server on a free port, or one that was stopped again where it was. */
export async function startServer(again?: RunningServer, options: ServerOptions = again?.options ?? {}): Promise<RunningServer> {
  const data = again?.data ?? (await newDataFolder());
  const port = again ? new URL(again.url).port : '0';
  const { host = '127.0.0.1', settings = {} } = options;
  const child = spawn(process.execPath, ['src/main.ts', 'serve', '--json', '--host', host, '--port', port, '--data', data], {
    cwd: ROOT,
    env: { ...process.env, REEDBED_LOG_LEVEL: 'debug', ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const output: string[] = [];
  child.stdout.on('data', (chunk: Buffer) => output.push(chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => output.push(chunk.toString()));
  const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
  const { url, serverId, rootInvite } = await announced(child, output);
  if (rootInvite === null && !again) throw new Error('a new server made no root invite');
  const stop = async (): Promise<number | null> => {
    if (child.exitCode === null) child.kill('SIGINT');
    return ended;
  };
  const log = (): string => output.join('');
  return {
    ...{ url: new URL(url).origin, serverId, options },
    rootInvite: rootInvite ?? '',
    data,
    log,
    find: async (text) => {
      const isLive = child.exitCode === null;
      const tables = isLive ? await findInTables(data, text) : [];
      return [...tables, ...(await findInFiles(data, text)), ...(log().includes(text) ? ['log'] : [])];
    },
    stop,
    kill: async () => {
      child.kill('SIGKILL');
      await ended;
    },
    dispose: async () => {
      await stop();
      await rm(data, { recursive: true, force: true });
    },
  };
}
