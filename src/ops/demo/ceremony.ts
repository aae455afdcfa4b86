// How the operators of the demo's two servers make them peers: with the commands that operators have, and, since one of the servers has two admins,
// with the signed act of a second one over HTTP. What must be refused on the way is tried, and counts as a failure if it is not.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { OffsetClock, pause } from '../../base/clock.ts';
import { AppError } from '../../base/errors.ts';
import { base64url, cryptoRandom } from '../../base/ids.ts';
import { SetupError } from '../../base/setup-error.ts';
import { Api } from '../../client/api.ts';
import type { KeyRing } from '../../client/key-ring.ts';
import type { Member } from '../../client/member.ts';
import { ServerTime } from '../../client/server-time.ts';
import { challenge, signSession } from '../../client/session.ts';
import { createLog } from '../../telemetry/log.ts';
import { spelled } from '../../wire/address.ts';
import { printTime } from '../../wire/kinds.ts';
import { heading } from '../../wire/statements.ts';
import { runKeysPrint } from '../keys.ts';
import { runPeersAccept, runPeersInvite, runPeersMove, runPeersShow } from '../peers.ts';
import { runUsersRole } from '../users.ts';
import { nameOf } from './cast.ts';
import type { Served } from './served.ts';

/** The first member of a server, its keys, and who else is to be an admin there. */
export type Board = { readonly root: Member; readonly keyRing: KeyRing; readonly second: Member };

export type CeremonyDeps = {
  readonly a: Served;
  readonly b: Served;
  /** Of A. */
  readonly board: Board;
  readonly folder: string;
  readonly progress: (line: string) => void;
  readonly signal: AbortSignal;
};

const SURE = { dryRun: false, isSure: true, confirm: null } as const;
const NONCE_BYTES = 24;
const LOOK_EVERY_MS = 100;
const LIVE_MS = 30_000;
const clock = new OffsetClock();

/** A command's surroundings beside a server, and what it printed. */
const beside = ({ config }: Served) => {
  const printed: Record<string, unknown>[] = [];
  const terminal = {
    ...{ isTerminal: false, note: () => undefined, isGone: () => false, fault: () => undefined },
    print: (value: object) => void printed.push({ ...value }),
  };
  return { printed, command: { config, terminal, log: createLog('error') } };
};

const printedBy = async (server: Served, run: (command: ReturnType<typeof beside>['command']) => Promise<unknown>) => {
  const { command, printed } = beside(server);
  await run(command);
  return printed[0] ?? {};
};

/** The approval of a member who is an admin, over HTTP: a statement signed by their key. */
const approveAs = async ({ a, b, board: { root, keyRing } }: CeremonyDeps): Promise<void> => {
  const { account } = root;
  if (account === null) throw new Error('who approves has no account');
  const time = new ServerTime(clock);
  const api = new Api(a.url, globalThis.fetch, clock);
  const { statement, signatures } = await signSession({ keyRing, time }, account, 'token', await challenge(api));
  const session = { statement, signature: signatures[0]?.signature };
  const { token } = (await api.call('auth/token', { method: 'POST', body: session })) as { token: string };
  const said = { act: 'peer-approve', target: b.id, nonce: base64url(cryptoRandom(NONCE_BYTES)), createdAt: printTime(time.now()) };
  const act = await keyRing.sign({ ...heading('admin-act'), user: account.user, key: account.key, ...said }, time.now());
  await api.call(`admin/peers/${b.id}/approve`, {
    ...{ method: 'POST', body: act },
    session: { token: async () => token, refused: () => undefined },
  });
};

const isRefused = async (doing: Promise<unknown>): Promise<boolean> => {
  try {
    await doing;
    return false;
  } catch (error) {
    if (error instanceof SetupError || error instanceof AppError) return true;
    throw error;
  }
};

const stateAt = async (server: Served, other: Served): Promise<unknown> =>
  (await printedBy(server, (command) => runPeersShow({ ...command, server: other.id })))['state'];

/** @throws Error if a step did what it must not, or the peering is not live in the end */
export const becomePeers = async (deps: CeremonyDeps): Promise<void> => {
  const { a, b, board, folder, progress, signal } = deps;
  const second = board.second.account?.user ?? '';
  await printedBy(a, (command) => runUsersRole({ ...command, ...SURE, member: second, role: 'admin' }));
  const key = await printedBy(b, runKeysPrint);
  const file = join(folder, 'key-of-b.asc');
  await writeFile(file, `${String(key['armor'])}\n`);
  const invited = await printedBy(a, (command) => runPeersInvite({ ...command, key: file }));
  progress(`A's operator invites B by its key (${spelled(b.fingerprint).slice(0, 9)} …, compared over another channel)`);
  const connection = String(invited['connection']);
  await printedBy(b, (command) => runPeersAccept({ ...command, ...SURE, connection }));
  progress("B's operator takes the connection string; B calls A with it");
  const alone = printedBy(a, (command) => runPeersMove({ ...command, ...SURE, moving: 'approve', target: b.id }));
  if (!(await isRefused(alone))) throw new Error('A let the one who invited approve alone, though it has two admins');
  progress(`A has two admins, ${nameOf(0)} and ${nameOf(1)}: who invited may not approve alone`);
  await approveAs(deps);
  progress(`${nameOf(0)} approves with a signed act`);
  await printedBy(b, (command) => runPeersMove({ ...command, ...SURE, moving: 'approve', target: a.id }));
  const until = clock.monotonicMs() + LIVE_MS;
  while ((await stateAt(a, b)) !== 'live' || (await stateAt(b, a)) !== 'live') {
    signal.throwIfAborted();
    if (clock.monotonicMs() > until) throw new Error('the servers did not become peers');
    await pause(clock, LOOK_EVERY_MS);
  }
  progress("B's operator approves, its only admin: they are peers");
};
