// The profile's only worker: key ring, store and socket live here, in the tab that leads. What needs cryptography is loaded
// when there is a key to use or one to make.
import { STARTING, type Status, WORKER_LOCK } from '../link/protocol.ts';
import { openDatabase } from '../store/database.ts';
import type { Membership } from './membership.ts';
import { serveActs } from './serve.ts';

const SIGNED_OUT: Status = { ...STARTING, phase: 'signed-out' };
const storageFailed = (reason: string): Status => ({ ...STARTING, phase: 'stopped', reason });

// Two workers at once would write in the same places.
await new Promise<void>((isAlone) => {
  void navigator.locks.request(WORKER_LOCK, () => {
    isAlone();
    return new Promise<never>(() => undefined);
  });
});

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
  makeBackup: async () => (await member()).backups.make(),
  backupSaved: async () => (await member()).backupSaved(),
  restore: async (input, { progress }) => {
    progress({ done: 0, total: 2, label: 'Loading the encryption code' });
    return (await member()).restore(input, progress);
  },
  open: async (input, context) => (await member()).open(input, context),
  copies: async () => (await member()).copies(),
  room: async () => (await member()).room(),
  giveUpAuthor: async (input) => (await member()).giveUpAuthor(input),
  giveUp: async (input) => (await member()).giveUp(input),
  discard: async (input) => (await member()).discard(input),
  makeInvite: async () => (await member()).makeInvite(),
  reconnect: async () => (status.me ? (await member()).reconnect() : null),
  useAgain: async () => (await member()).useAgain(),
  publish: async (input) => (await member()).standing.publish(input),
  openThread: async (input, context) => (await member()).openThread(input, context),
  look: async (input) => (await member()).community.look(input),
  timeline: async (input) => (await member()).community.timeline(input),
  seen: async (input) => (await member()).seen(input),
  lookedAt: async (input) => (await member()).lookedAt(input),
  broadcasts: async () => (await member()).community.broadcasts(),
  answers: async (input) => (await member()).community.answers(input),
  watch: async (input, context) => (await member()).community.watch(input, context),
  like: async (input) => (await member()).standing.like(input),
  remove: async (input) => (await member()).standing.remove(input),
  relate: async (input) => (await member()).standing.relate(input),
  relation: async (input) => (await member()).standing.relation(input),
  profile: async (input) => (await member()).standing.profile(input),
  profilePage: async (input) => (await member()).standing.profilePage(input),
  people: async (input) => (await member()).community.people(input),
  peers: async () => (await member()).servers.ask(),
  findNames: async (input) => (await member()).community.findNames(input),
  editProfile: async (input) => (await member()).editProfile(input),
  rotateKey: async () => (await member()).account.rotateKey(),
  revokeKey: async (input) => (await member()).account.revokeKey(input),
  removeAccount: async (input) => (await member()).account.removeAccount(input),
  recover: async (input) => (await member()).account.recover(input),
  withdrawRemoval: async (input) => (await member()).account.withdrawRemoval(input),
});

function show(next: Status): void {
  status = next;
  tell({ to: 'pages', kind: 'status', status });
}

const database = openDatabase(() => show(storageFailed('the browser closed this profile’s storage; load the page again')));

function member(): Promise<Membership> {
  membership ??= Promise.all([import('./membership.ts'), database]).then(([module, open]) =>
    module.openMembership(open, { show, changed: (own) => tell({ to: 'pages', kind: 'changed', own }) }),
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
