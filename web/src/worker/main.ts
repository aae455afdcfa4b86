// The profile's only worker: key ring, store and socket live here, in the tab that leads. What needs cryptography is loaded
// when there is a key to use or one to make.
import type { Status } from '../link/protocol.ts';
import { openDatabase } from '../store/database.ts';
import type { Membership } from './membership.ts';
import { serveActs } from './serve.ts';

const STARTING: Status = { phase: 'starting', me: null, copies: 0, unsent: 0, reason: '' };
const SIGNED_OUT: Status = { ...STARTING, phase: 'signed-out' };
const storageFailed = (reason: string): Status => ({ ...STARTING, phase: 'stopped', reason });

let status = STARTING;
let membership: Promise<Membership> | null = null;

const { tell } = serveActs({
  status: async () => {
    await started;
    return status;
  },
  server: async () => (await member()).server(),
  join: async (input, { progress }) => {
    progress({ done: 0, total: 5, label: 'Loading the encryption code' });
    return (await member()).join(input, progress);
  },
  makeBackup: async () => (await member()).makeBackup(),
  backupSaved: async () => (await member()).backupSaved(),
  restore: async (input, { progress }) => {
    progress({ done: 0, total: 2, label: 'Loading the encryption code' });
    return (await member()).restore(input, progress);
  },
  publish: async (input) => (await member()).publish(input),
  open: async (input, context) => (await member()).open(input, context),
  copies: async () => (await member()).copies(),
  giveUp: async (input) => (await member()).giveUp(input),
  discard: async (input) => (await member()).discard(input),
  makeInvite: async () => (await member()).makeInvite(),
  reconnect: async () => (status.me ? (await member()).reconnect() : null),
  useAgain: async () => (await member()).useAgain(),
});

function show(next: Status): void {
  status = next;
  tell({ to: 'pages', kind: 'status', status });
}

const database = openDatabase(() => show(storageFailed('the browser closed this profile’s storage; load the page again')));

function member(): Promise<Membership> {
  membership ??= Promise.all([import('./membership.ts'), database]).then(([module, open]) =>
    module.openMembership(open, { show, changed: () => tell({ to: 'pages', kind: 'changed' }) }),
  );
  return membership;
}

const started = begin().catch((error: unknown) =>
  show(storageFailed(`this profile’s storage can’t be used (${error instanceof Error ? error.message : 'unknown'})`)),
);

async function begin(): Promise<void> {
  const keys = await (await database).count('secrets', 'keys');
  if (keys > 0) await member();
  else show(SIGNED_OUT);
}
