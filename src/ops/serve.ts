// `reedbed serve`: from nothing to a running server and back. Takes the data folder, starts the embedded database unless another is named,
// migrates, unlocks the keys, builds the application and says where it is; at the end everything goes in the opposite order.
import { rm, writeFile } from 'node:fs/promises';
import { flushCompileCache } from 'node:module';
import { join, resolve } from 'node:path';
import type { Logger } from 'pino';
import type { Config } from '../config/config.ts';
import { loadPassphrase, type Passphrase } from '../config/passphrase.ts';
import { startEmbedded } from '../db/embedded.ts';
import { lockFolder } from '../db/folder-lock.ts';
import { migrate } from '../db/migrate.ts';
import { hasServerKeys } from '../db/stored-keys.ts';
import { spelled } from '../wire/address.ts';
import { addressWarning } from './address-warning.ts';
import { assertPortFree } from './port-check.ts';
import { explainStart } from './setup-faults.ts';
import { untilStopped } from './shutdown.ts';
import type { Terminal } from './terminal.ts';

/** What the composition root builds; it is passed in, since nothing but the entry may import it. */
export type RunningApp = {
  readonly url: string;
  readonly serverId: string;
  readonly fingerprint: string;
  /** The link that makes the first member, as long as there is none. */
  readonly rootInvite: string | null;
  /** How many were sent to the database so far. */
  statements(): { readonly ledger: number; readonly application: number };
  close(): Promise<void>;
};
export type CreateApp = (config: Config, overrides: { readonly log: Logger }) => Promise<RunningApp>;

/** The application's code is most of what a start has to load, so it is loaded while the database starts. */
export type LoadApp = () => Promise<CreateApp>;

export type ServeDeps = {
  readonly loadApp: LoadApp;
  readonly config: Config;
  readonly log: Logger;
  readonly terminal: Terminal;
  readonly json: boolean;
};

type Running = { readonly app: RunningApp; readonly passphrase: Passphrase };
type Ground = { readonly url: string; stop(): Promise<void> };
/** Filled as the start goes on, so that an end in the middle of it finds what there is. */
type Owned = { ground: Ground | null; app: RunningApp | null };

const INVITE_FILE = 'root-invite';
// Over the application's own limit for its drain: it gives up first.
const DRAIN_GRACE_MS = 5_000;

/**
 * The data folder, which is ours until `stop`, and the database. The folder is taken with an outside database too: it tells this
 * process apart from others on that database, and two that took themselves for one would end each other's presence for ever.
 */
const takeGround = async ({ config, log }: ServeDeps): Promise<Ground> => {
  if (config.databaseUrl === undefined) return startEmbedded({ dataFolder: config.data, log });
  const lock = await lockFolder(config.data);
  return { url: config.databaseUrl, stop: async () => lock.release() };
};

const start = async (deps: ServeDeps, owned: Owned): Promise<Running> => {
  const { config, log } = deps;
  const loading = deps.loadApp();
  // Looked at below; until then a failure must not count as one that nobody handles.
  loading.catch(() => undefined);
  await assertPortFree(config);
  owned.ground = await takeGround(deps);
  const databaseUrl = owned.ground.url;
  await migrate(databaseUrl, log);
  const passphrase = await loadPassphrase(config, {
    credentials: process.env['CREDENTIALS_DIRECTORY'],
    hasKeys: () => hasServerKeys(databaseUrl),
  });
  owned.app = await (await loading)({ ...config, databaseUrl, passphrase: passphrase.value }, { log });
  return { app: owned.app, passphrase };
};

const inviteFileOf = ({ config }: ServeDeps): string => join(resolve(config.data), INVITE_FILE);

/** On a terminal or in JSON the invite is shown; elsewhere, where output is often kept, it goes to a file that only we can read. */
const placeInvite = async (deps: ServeDeps, invite: string | null): Promise<string | null> => {
  const file = inviteFileOf(deps);
  const isShown = deps.json || deps.terminal.isTerminal;
  if (invite === null || isShown) {
    await rm(file, { force: true });
    return null;
  }
  await rm(file, { force: true });
  await writeFile(file, `${invite}\n`, { mode: 0o600, flag: 'wx' });
  return file;
};

const announce = (deps: ServeDeps, running: Running, inviteFile: string | null): void => {
  const { url, serverId, fingerprint, rootInvite } = running.app;
  const lines = [`Reedbed is ready at ${url}`, `  server       ${serverId}`, `  fingerprint  ${spelled(fingerprint)}`];
  if (inviteFile !== null) lines.push(`  root invite  in ${inviteFile} (works once, within 24 hours)`);
  else if (rootInvite !== null)
    lines.push(`  root invite  ${rootInvite}`, '               Open it to become the first member. It works once, within 24 hours.');
  else lines.push(`  Open ${url} in a browser. Members invite others under People.`);
  if (running.passphrase.source === 'data') {
    lines.push(`  passphrase   in ${running.passphrase.file}: this disk holds everything needed to be this server.`);
    lines.push('               To keep it elsewhere, set REEDBED_PASSPHRASE or REEDBED_PASSPHRASE_FILE and remove the file.');
  }
  const warning = addressWarning(deps.config, url);
  if (warning !== null) {
    lines.push(`  note         ${warning}`);
    if (deps.json) deps.log.warn(warning);
  }
  lines.push('Ctrl-C ends it.');
  deps.terminal.print({ url, serverId, fingerprint, rootInvite }, lines.join('\n'));
};

/** The last line on a terminal, where the drain was announced too. */
const sayStopped = ({ terminal, json }: ServeDeps, code: number): void => {
  if (terminal.isTerminal && !json)
    terminal.print({}, code === 0 ? 'Stopped.' : 'Stopped before everything was given back; the log says why.');
};

/** Serves until a signal. @returns the exit code. @throws SetupError when it can't start for a reason that can be mended. */
export const serve = async (deps: ServeDeps): Promise<number> => {
  const owned: Owned = { ground: null, app: null };
  let isEnding = false;
  const starting = start(deps, owned);
  const drain = async (): Promise<void> => {
    isEnding = true;
    await starting.catch(() => undefined);
    await owned.app?.close();
  };
  const last = async (): Promise<void> => {
    // The next start makes another invite and voids this one.
    if (owned.ground !== null) await rm(inviteFileOf(deps), { force: true }).catch(() => undefined);
    await owned.ground?.stop();
  };
  const stopped = untilStopped({ drain, last }, deps.log, deps.config.limits.drainMs + DRAIN_GRACE_MS);
  try {
    const running = await Promise.race([starting, stopped]);
    if (typeof running !== 'number') {
      if (!isEnding) announce(deps, running, await placeInvite(deps, running.app.rootInvite));
      flushCompileCache();
    }
    const code = await stopped;
    sayStopped(deps, code);
    return code;
  } catch (error) {
    await last();
    throw explainStart(error, deps.config);
  }
};
