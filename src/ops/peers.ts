// `reedbed peers`: the peerings of a server, seen and changed by its operator. Works beside the running server, which then tells the peers, or
// without it, and then they are told at its next start. Each change is an act in the log, signed by the server's own key.
import { readFile } from 'node:fs/promises';
import { OffsetClock } from '../base/clock.ts';
import { AppError } from '../base/errors.ts';
import { cryptoRandom } from '../base/ids.ts';
import { SetupError, WrongUse } from '../base/setup-error.ts';
import { readPublicKey } from '../crypto/openpgp.ts';
import { synchronizeClock } from '../db/clock.ts';
import type { Database } from '../db/pool.ts';
import type { DetailedPeer, Directory } from '../federation/directory.ts';
import { openDirectory, openPeering } from '../federation/federation.ts';
import { peerTraffic } from '../federation/peer-report.ts';
import type { Moving, ShownInvitation } from '../federation/peering.ts';
import { step } from '../federation/peering-state.ts';
import { peerStreams } from '../federation/stream-report.ts';
import { countAdmins } from '../identity/second-admin.ts';
import { fingerprintOf, parseServerId, parseServerKeyId, type ServerId, serverOf, spelled } from '../wire/address.ts';
import { type Beside, withDatabase } from './database.ts';
import { mended } from './own-faults.ts';
import { openOwnIdentity } from './own-identity.ts';
import { shownPeer, wayTo } from './peer-shown.ts';
import type { ListTerminal } from './terminal.ts';

export type Confirm = ((question: string, signal: AbortSignal) => Promise<boolean>) | null;
export type PeersCommand = Beside & { readonly terminal: ListTerminal };
/** `isSure`: the answer was given beforehand. `confirm`: asks whoever sits there; null if nobody can be asked. */
type Asked = { readonly dryRun: boolean; readonly isSure: boolean; readonly confirm: Confirm };

const NOT_DONE = 1;

/** Runs `work` with the server's own identity unlocked; words of refusal are for the operator. */
const withPeering = <T>(
  command: PeersCommand,
  work: (opened: ReturnType<typeof openPeering>, own: { db: Database; signal: AbortSignal }) => Promise<T>,
): Promise<T> =>
  withDatabase(command, async (db, signal) => {
    const own = await openOwnIdentity(command, db);
    const identity = { server: own.server, adminActs: own.adminActs };
    const opened = openPeering({ ...own, identity, log: command.log, allowPrivatePeers: command.config.allowPrivatePeers });
    try {
      return await mended(() => work(opened, { db, signal }));
    } finally {
      await opened.outbound[Symbol.asyncDispose]();
    }
  });

/** The peers, for who only looks: no key is unlocked for it. */
const withPeers = (
  command: PeersCommand,
  work: (directory: Directory, ground: { readonly db: Database; readonly clock: OffsetClock }) => Promise<void>,
): Promise<void> =>
  withDatabase(command, async (db) => {
    const { config, log } = command;
    const clock = new OffsetClock();
    await synchronizeClock(db, clock);
    const ground = { db, clock, random: cryptoRandom, limits: config.limits, log, allowPrivatePeers: config.allowPrivatePeers };
    const { outbound, directory } = openDirectory(ground);
    await work(directory, ground);
    await outbound[Symbol.asyncDispose]();
  });

/** What was printed, without what stands around it in the file: npm, for one, says first what it runs. */
const printedIn = (text: string, printed: RegExp): string => printed.exec(text)?.[0] ?? text;

const readText = (file: string, fault: SetupError): Promise<string> =>
  readFile(file === '-' ? '/dev/stdin' : file, 'utf8').catch(() => {
    throw fault;
  });

const KEY = /-----BEGIN PGP PUBLIC KEY BLOCK-----[\s\S]*?-----END PGP PUBLIC KEY BLOCK-----/;

const WHERE_FROM = 'It is what reedbed keys print prints at the other server, as it was printed.';

/** What `keys print` says before a key that is not its server's first. */
const WHOSE = /^Server: (\S+)$/m;

const readKey = async (file: string): Promise<{ readonly armor: string; readonly whose: ServerId | undefined }> => {
  const fault = new SetupError(`${file} can't be read.`, "Name the file with the other server's key: reedbed keys print writes it there.");
  const text = await readText(file, fault);
  const whose = WHOSE.exec(text)?.[1];
  const server = whose === undefined ? undefined : parseServerId(whose);
  if (server === null) throw new SetupError(`${file} says nothing that is a server's id behind "Server:".`, WHERE_FROM);
  return { armor: printedIn(text, KEY), whose: server };
};

const STRING = 'reedbed-peering:';

/** A connection string as it was typed, piped or kept in a file. */
const readConnection = async (given: string): Promise<string> => {
  const fault = new SetupError(
    'That is no connection string, and no file that can be read.',
    `A connection string begins with ${STRING}; the other admin's reedbed peers invite prints it.`,
  );
  return printedIn(given.includes(STRING) ? given : await readText(given, fault), new RegExp(`${STRING}[\\s\\S]*`));
};

/** An id on the command line. @throws WrongUse */
const requireServer = (text: string): ServerId => {
  const server = parseServerId(text);
  if (server === null)
    throw new WrongUse(`${JSON.stringify(text)} is no server id.`, 'It is 16 letters and digits; reedbed peers list shows those of peers.');
  return server;
};

/** What a step is about, as it is given. @throws WrongUse */
const requireTarget = (moving: Moving, target: string): void => {
  if (moving !== 'approve') requireServer(target);
  else if (parseServerKeyId(target) === null && parseServerId(target) === null)
    throw new WrongUse(
      `${JSON.stringify(target)} is neither a server id nor a key's.`,
      'It is 16 letters and digits, or <fingerprint>@ before them; reedbed peers list shows those of peers.',
    );
};

/** Prints a connection string for the server with this key. */
export const runPeersInvite = async (command: PeersCommand & { readonly key: string; readonly server?: string }): Promise<void> => {
  const named = command.server === undefined ? undefined : requireServer(command.server);
  const { armor, whose } = await readKey(command.key);
  const to = named ?? whose;
  const key = await readPublicKey(armor);
  if (!key.ok) throw new SetupError(`In ${command.key === '-' ? 'standard input' : command.key} is no public key.`, WHERE_FROM);
  await withPeering(command, async ({ peering }) => {
    const { server, connection, expiresAt } = await peering.invite('operator', armor, to);
    const { terminal } = command;
    terminal.note(`An invitation for ${server}, until ${expiresAt.toISOString()}, to be used once. Only that server can read it.`);
    terminal.note('One that was made for it before works no more.');
    terminal.note(`Their key has this fingerprint; let their admin read it to you over another channel: ${spelled(key.value.fingerprint)}`);
    terminal.note('If it is the same, send them the connection string:\n');
    terminal.print({ server, fingerprint: key.value.fingerprint, connection, expiresAt: expiresAt.toISOString() }, connection);
    terminal.note(`\nOnce they have accepted it: reedbed peers approve ${server}`);
  });
};

const shownInvitation = ({ server, name, baseUrl, key, keyNow, expiresAt }: ShownInvitation): string =>
  [
    `  name         ${name}`,
    `  server       ${server}`,
    `  address      ${baseUrl}`,
    `  fingerprint  ${spelled(fingerprintOf(keyNow ?? key))}`,
    ...(keyNow === null ? [] : [`  new key      ${spelled(fingerprintOf(key))}, which is announced`]),
    `  valid until  ${expiresAt.toISOString()}`,
  ].join('\n');

/** Asks before anything is done. @returns whether to go on */
const isAgreed = async ({ dryRun, isSure, confirm }: Asked, question: string, signal: AbortSignal): Promise<boolean> => {
  if (dryRun) return false;
  if (isSure) return true;
  if (confirm === null) throw new SetupError('Nobody is here to confirm this.', 'Say --yes if you are sure.');
  const said = await confirm(question, signal);
  signal.throwIfAborted();
  return said;
};

/** What the state after a step means; empty where the step says it all. */
const THEN: Readonly<Partial<Record<DetailedPeer['state'], string>>> = {
  pending: 'It is live once admins of both sides have approved it.',
  'approved-by-us': 'It is live once their admin has approved it, too.',
  live: 'It is live: members of each side can follow those of the other.',
  suspended: 'Nothing goes either way until: reedbed peers resume',
  revoked: 'Only a new invitation begins it again: reedbed peers invite --key <file>',
};

/** Shows who invites, and answers once somebody has compared the fingerprint. @returns the exit code: 1 if the answer was no */
export const runPeersAccept = (command: PeersCommand & Asked & { readonly connection: string }): Promise<number> =>
  withPeering(command, async ({ peering }, { signal }) => {
    const { terminal, dryRun } = command;
    const isPiped = command.connection === '-';
    const connection = await readConnection(command.connection);
    const invitation = await peering.read(connection);
    terminal.note(shownInvitation(invitation));
    const { server, name, baseUrl, key } = invitation;
    // Whoever could be asked can't answer: what they would type is the string.
    const asked = isPiped ? { ...command, confirm: null } : command;
    if (!(await isAgreed(asked, `Did their admin read you this fingerprint over another channel? Accept ${name}?`, signal))) {
      terminal.print(
        { server, name, baseUrl, key, accepted: false, dryRun },
        dryRun ? 'Run it without --dry-run to accept.' : 'Not accepted.',
      );
      return dryRun ? 0 : NOT_DONE;
    }
    const { state } = await peering.accept('operator', connection);
    terminal.print(
      { server, name, baseUrl, key, accepted: true, state, dryRun },
      state === 'pending'
        ? `Accepted. Admins of both sides approve it now; here: reedbed peers approve ${server}`
        : `It was accepted before, and that changed nothing. ${THEN[state] ?? ''}`.trimEnd(),
    );
    return 0;
  });

const requirePeer = async (directory: Directory, server: ServerId): Promise<DetailedPeer> => {
  const [peer] = await directory.details(server);
  if (peer === undefined) throw new SetupError(`There is no peering with ${server}.`, 'reedbed peers list shows them.');
  return peer;
};

const DONE: Readonly<Record<Moving, string>> = { approve: 'approved', suspend: 'suspended', resume: 'resumed', revoke: 'ended' };
/** Those that take something away are asked about. */
const ASKS: Readonly<Partial<Record<Moving, string>>> = {
  suspend: 'They are refused until you resume. Suspend',
  revoke: 'Requests under way end, and only a new invitation brings them back. Revoke',
};

/** Whether this step can be taken now, before anybody is asked about it. @throws SetupError, AppError CONFLICT */
const requireMovable = async (directory: Directory, server: ServerId, moving: Moving): Promise<void> => {
  const { approvedAt, approvedThereAt, state } = await requirePeer(directory, server);
  const now = { state, here: approvedAt !== null, there: approvedThereAt !== null };
  if (!step(now, moving).ok) throw new AppError('CONFLICT', `not now: the peering is ${state}`);
};

/** One step about a peering. @returns the exit code: 1 if the answer was no */
export const runPeersMove = async (
  command: PeersCommand & Asked & { readonly moving: Moving; readonly target: string },
): Promise<number> => {
  const { terminal, moving, target, dryRun } = command;
  requireTarget(moving, target);
  return withPeering(command, async ({ directory, peering }, { signal }) => {
    const key = parseServerKeyId(target);
    await requireMovable(directory, key === null ? requireServer(target) : serverOf(key), moving);
    const question = ASKS[moving];
    const goes = question === undefined ? !dryRun : await isAgreed(command, `${question} ${target}?`, signal);
    if (!goes) {
      terminal.print(
        { server: target, done: false, dryRun },
        dryRun ? `${target} would be ${DONE[moving]}. Run it without --dry-run.` : 'Nothing was done.',
      );
      return dryRun ? 0 : NOT_DONE;
    }
    const { server, state, outcome } = await peering.move('operator', moving, target);
    const said =
      outcome === 'asked'
        ? `Asked for: another admin has to do the same; reedbed peers show ${server} says until when and how.`
        : `${server} is ${DONE[moving]}. ${THEN[state] ?? ''}`.trimEnd();
    terminal.print({ server, state, outcome, done: outcome === 'done', dryRun }, said);
    return 0;
  });
};

const ROW = (state: string, breaker: string, server: string, rest: string): string =>
  `${state.padEnd(15)}  ${breaker.padEnd(9)}  ${server.padEnd(16)}  ${rest}`;

const jsonOf = (row: object): object =>
  Object.fromEntries(Object.entries(row).map(([name, value]) => [name, value instanceof Date ? value.toISOString() : value]));

export const runPeersList = (command: PeersCommand): Promise<void> =>
  withPeers(command, async (directory) => {
    const peers = await directory.details();
    command.terminal.note(peers.length === 0 ? 'There are no peers.' : ROW('state', 'way', 'server', 'name, address'));
    for (const peer of peers)
      command.terminal.print(
        jsonOf(peer),
        ROW(peer.state, wayTo(peer), peer.server, peer.baseUrl === null ? '(it has not connected)' : `${peer.name}  ${peer.baseUrl}`),
      );
  });

export const runPeersShow = async (command: PeersCommand & { readonly server: string }): Promise<void> => {
  const server = requireServer(command.server);
  await withPeers(command, async (directory, { clock, db }) => {
    const peer = await requirePeer(directory, server);
    const admins = await countAdmins(db.kysely);
    const [traffic, [streams = null]] = await Promise.all([peerTraffic(db, server), peerStreams(db, server)]);
    const value = { ...jsonOf(peer), ...jsonOf(traffic), streams: streams === null ? null : jsonOf(streams) };
    command.terminal.print(value, shownPeer({ peer, traffic, streams, admins }, new Date(clock.now())));
  });
};
