// `reedbed holder`: a member without a browser that fetches the reeds it is told to keep and answers for them. Its key and id are its own,
// never its owner's; everything it has is in one folder, and it says on standard output what it holds and does.
import { chmod } from 'node:fs/promises';
import { join } from 'node:path';
import { WebSocket } from 'ws';
import { OffsetClock } from '../base/clock.ts';
import { AppError } from '../base/errors.ts';
import { cryptoRandom } from '../base/ids.ts';
import { SetupError } from '../base/setup-error.ts';
import { type Member, openMember } from '../client/member.ts';
import { openKeyRing } from '../client/memory-key-ring.ts';
import type { Store } from '../client/store.ts';
import { type MemberEvent, RequestFailure, type RequestOutcome } from '../client/types.ts';
import { webSocketFactory } from '../client/web-socket.ts';
import { makeFolder } from '../config/folder.ts';
import type { ReedId } from '../wire/address.ts';
import { openFileStore } from './file-store.ts';
import { assertStartable, assertUsername, FIRST_START, folderOf, inviteOrigin, KEY_FILE, personOf, reedIdOf } from './holder-arguments.ts';
import { fulfilWishes, type Wish } from './holder-follows.ts';
import { keyFile } from './key-file.ts';
import { createTerminal, type Terminal } from './terminal.ts';

const SERVER_URL = 'server-url';
const KEEP = 'keep';
const FAULT = 1;
const OWN = 0o700;
const COUNTED_AT_ONCE = 500;
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

export type HolderOptions = {
  readonly server?: string;
  /** Needed the first time, unless the server is open. */
  readonly invite?: string;
  readonly username?: string;
  /** The folder for keys and copies. */
  readonly store: string;
  /** Ids or links of reeds to fetch and keep. They are remembered, unless the server says that there is no such reed. */
  readonly keep: readonly string[];
  /** Names or ids of members whose reeds it keeps, or keeps no more, from now on. */
  readonly follow?: readonly string[];
  readonly unfollow?: readonly string[];
  /** Whether to keep what the server gives archivists; as it was if it is not said. */
  readonly archivist?: boolean;
  readonly json: boolean;
};

/** Ends the holder from outside; the command line listens for signals. */
export type HolderStop = (stop: () => void) => void;

/**
 * Runs until it is stopped, or until only a person can help.
 * @returns the exit code: 0 after a signal, 1 if the server turned it away for good
 * @throws SetupError for what the person who started it can mend, WrongUse for what an option can't be
 */
export async function runHolder(options: HolderOptions, onStop: HolderStop = stopOnSignals): Promise<number> {
  const terminal = createTerminal(options.json);
  const keep = options.keep.map(reedIdOf);
  const wishes = wishesIn(options);
  const invited = options.invite === undefined ? undefined : inviteOrigin(options.invite);
  if (options.username !== undefined) assertUsername(options.username);
  const folder = folderOf(options.store);
  assertStartable(folder, options);
  await openFolder(folder);
  const store = await openFileStore(folder).catch((cause: unknown) => {
    throw new SetupError(
      `The store ${folder} can not be opened: ${messageOf(cause)}.`,
      'End the other holder, or name another folder by --store.',
      { cause },
    );
  });
  try {
    return await runWith({ options, invited, terminal, keep, wishes, folder, store, onStop });
  } finally {
    await store.close();
  }
}

const wishesIn = ({ follow = [], unfollow = [] }: HolderOptions): Wish[] => [
  ...unfollow.map((whom): Wish => ({ act: 'unfollow', whom: personOf(whom) })),
  ...follow.map((whom): Wish => ({ act: 'follow', whom: personOf(whom) })),
];

async function openFolder(folder: string): Promise<void> {
  try {
    await makeFolder(folder, OWN);
    await chmod(folder, OWN);
  } catch (cause) {
    throw new SetupError(`The folder ${folder} can't be made: ${messageOf(cause)}.`, 'Name another one by --store.', { cause });
  }
}

type Run = {
  readonly options: HolderOptions;
  /** Address in the invite, if there is one. */
  readonly invited: string | undefined;
  readonly terminal: Terminal;
  readonly keep: readonly ReedId[];
  readonly wishes: readonly Wish[];
  readonly folder: string;
  readonly store: Store;
  readonly onStop: HolderStop;
};

async function runWith(run: Run): Promise<number> {
  const { options, terminal, store, folder, onStop } = run;
  const serverUrl = await serverUrlOf(run);
  const member = await openMember({
    serverUrl,
    store,
    keyRing: await openKeyRing(keyFile(join(folder, KEY_FILE))),
    socket: webSocketFactory(WebSocket),
    fetch: globalThis.fetch,
    clock: new OffsetClock(),
    random: cryptoRandom,
  });
  if (!member.account) await signUp(member, options);
  await store.write([{ put: 'meta', record: { id: SERVER_URL, value: serverUrl } }]);
  const wanted = await rememberKept(store, run.keep);
  if (options.archivist !== undefined) await member.receiving.agreements.setArchivist(options.archivist);
  await introduce(member, run);
  return new Promise((done) => {
    let isStopping = false;
    const stop = (code: number): void => {
      if (isStopping) return;
      isStopping = true;
      // What could not be ended in good order is taken up by the next start, which trusts only the store.
      void member.close().then(
        () => done(code),
        () => done(FAULT),
      );
    };
    member.subscribe((event) => {
      report(event, terminal);
      if (event.type === 'connection' && event.state === 'stopped') stop(FAULT);
    });
    onStop(() => stop(0));
    fulfilWishes({ member, terminal }, run.wishes);
    member.connect();
    for (const reedId of wanted.missing) void keepOne(member, reedId, { terminal, forget: wanted.forget });
  });
}

/** From the command line, the invite, or the last time. */
async function serverUrlOf({ options, invited, store }: Run): Promise<string> {
  const saved = (await store.get('meta', SERVER_URL))?.value;
  const url = options.server ?? invited ?? (typeof saved === 'string' ? saved : undefined);
  if (url === undefined) throw new SetupError('This holder does not know its server yet.', FIRST_START);
  return url;
}

async function signUp(member: Member, { username, invite }: HolderOptions): Promise<void> {
  if (username === undefined) throw new SetupError('This holder is not a member yet.', FIRST_START);
  try {
    await member.signUp({ username, ...(invite === undefined ? {} : { invite }) });
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    if (error.code === 'CONFLICT') {
      throw new SetupError(
        'The keys in this folder have signed up already, but the journal beside them does not know that member.',
        'Put a copy of the whole folder back, or begin as a new member: another --store, with an invite where the server asks for one.',
        { cause: error },
      );
    }
    const mends: Partial<Record<string, string>> = {
      INVITE_INVALID:
        invite === undefined ? 'Start it with --invite <link>; members of the server make such links.' : 'Ask for another one.',
      SIGNUP_CLOSED: 'Ask whoever runs the server.',
      USERNAME_TAKEN: 'Choose another --username.',
      UNAVAILABLE: 'Is the server running, and is this its address?',
    };
    throw new SetupError(`Signing up failed: ${error.detail}.`, mends[error.code] ?? 'Change what it names and start again.', {
      cause: error,
    });
  }
}

type Wanted = { readonly missing: readonly ReedId[]; readonly forget: (reedId: ReedId) => Promise<void> };

/** What was once asked for by --keep is asked for again at every start until it is here or is forgotten. */
async function rememberKept(store: Store, keep: readonly ReedId[]): Promise<Wanted> {
  const before = ((await store.get('meta', KEEP))?.value ?? []) as readonly ReedId[];
  const all = new Set([...before, ...keep]);
  const save = (): Promise<void> => store.write([{ put: 'meta', record: { id: KEEP, value: [...all] } }]);
  if (all.size !== before.length) await save();
  const missing: ReedId[] = [];
  for (const reedId of all) if (!(await store.get('copies', reedId))) missing.push(reedId);
  const forget = (reedId: ReedId): Promise<void> => {
    all.delete(reedId);
    return save();
  };
  return { missing, forget };
}

async function introduce(member: Member, { terminal, folder, store }: Run): Promise<void> {
  const { user, username, server } = member.account ?? {};
  const copies = await countCopies(member);
  const archivist = await member.receiving.agreements.isArchivist();
  const lines = [
    `${username} keeps copies at ${server}`,
    `  member  ${user}`,
    `  holds   ${copies === 1 ? '1 reed' : `${copies} reeds`}`,
    `  folder  ${folder} (all of it is this member: keys.json alone brings nobody back, so keep a copy of the whole folder)`,
  ];
  if (archivist)
    lines.push(
      `  archives what the server gives archivists; its operator makes this one of them: reedbed users role ${username} archivist`,
    );
  if (!store.complete) lines.push('  damage  part of the store was lost; what is missing is not reported as gone');
  lines.push('Ctrl-C ends it.');
  terminal.print({ event: 'started', user, username, server, folder, copies, archivist, complete: store.complete }, lines.join('\n'));
}

/** Page by page: a holder may have more than fits into memory. */
async function countCopies(member: Member): Promise<number> {
  let count = 0;
  for (let after = ''; ; ) {
    const page = await member.copies({ after, limit: COUNTED_AT_ONCE });
    count += page.length;
    const last = page.at(-1);
    if (!last || page.length < COUNTED_AT_ONCE) return count;
    after = last.id;
  }
}

const ENDED: Readonly<Record<RequestOutcome, string>> = {
  'not-found': 'there is no such reed',
  'not-held': 'nobody has it any more',
  removed: 'its author removed it',
  blocked: 'its author blocks this holder',
  expired: 'no one who has it was online for a day',
  'not-acknowledged': 'it was sent, but did not arrive',
  invalid: 'only false copies came',
  'cannot-check': 'a key that proves it could not be had; it will be tried at the next start',
  'cannot-store': 'it could not be stored here',
  cancelled: 'it was cancelled',
  'rate-limited': 'too much was asked for; it will be tried at the next start',
  'too-many-open': 'too much is being asked for; it will be tried at the next start',
  refused: 'the server refused',
};

/** Outcomes that no later start could change. */
const FINAL: ReadonlySet<string> = new Set<RequestOutcome>(['not-found', 'removed']);

type Keeping = { readonly terminal: Terminal; readonly forget: Wanted['forget'] };

async function keepOne(member: Member, reedId: ReedId, { terminal, forget }: Keeping): Promise<void> {
  try {
    await member.request(reedId);
  } catch (error) {
    if (error instanceof RequestFailure && error.outcome === 'cancelled') return;
    const [outcome, shown] = error instanceof RequestFailure ? [error.outcome, ENDED[error.outcome]] : ['failed', messageOf(error)];
    const isFinal = FINAL.has(outcome);
    // A store that was closed meanwhile: the next start asks, and forgets, again.
    if (isFinal) await forget(reedId).catch(() => undefined);
    const then = isFinal ? '; it will not be asked for again' : '';
    terminal.print({ event: 'not-kept', reed: reedId, outcome, forgotten: isFinal }, `not kept  ${reedId}: ${shown}${then}`);
  }
}

const WAITING: Partial<Record<string, string>> = {
  asking: 'asking one who has it',
  'in-turn': 'waiting for its turn',
  'nobody-online': 'no one who has it is online',
  'holders-failing': 'those who have it fail to send it',
  'peer-away': 'their server is away',
  'asking-again': 'a copy was false, asking another one',
  'held-back': 'asked for too often, asking again later',
};

/** One line for each thing that happens. Who asked is not said. */
function report(event: MemberEvent, terminal: Terminal): void {
  if (event.type === 'connection') {
    const retry = event.retryInMs === undefined ? '' : `, trying again in ${(event.retryInMs / 1_000).toFixed(1)} s`;
    const reason = event.reason === undefined ? '' : ` (${event.reason})`;
    terminal.print(
      { event: 'connection', state: event.state, reason: event.reason, retryInMs: event.retryInMs },
      `${event.state}${reason}${retry}`,
    );
  } else if (event.type === 'copy') {
    const shown = { unconfirmed: 'received', held: 'holding', gone: 'gone' }[event.state];
    terminal.print({ event: 'copy', reed: event.reedId, state: event.state }, `${shown.padEnd(9)} ${event.reedId}`);
  } else if (event.type === 'served') {
    const size = event.outcome === 'sent' ? `, ${event.bytes} bytes` : '';
    terminal.print(
      { event: 'served', reed: event.reedId, outcome: event.outcome, bytes: event.bytes },
      `asked     ${event.reedId}: ${event.outcome}${size}`,
    );
  } else if (event.type === 'request' && WAITING[event.progress.state] !== undefined) {
    terminal.print(
      { event: 'waiting', reed: event.reedId, ...event.progress },
      `waiting   ${event.reedId}: ${WAITING[event.progress.state]}`,
    );
  } else if (event.type === 'invalid') {
    terminal.print({ event: 'invalid', reed: event.reedId, reason: event.reason }, `false     ${event.reedId}: ${event.reason}`);
  }
}

function stopOnSignals(stop: () => void): void {
  for (const signal of SIGNALS) process.on(signal, stop);
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : 'unknown');
