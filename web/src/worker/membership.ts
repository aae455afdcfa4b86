// The member of this profile: the SDK over IndexedDB and a sealed key ring, offered to pages as acts. Private keys stay in here.
import { type Clock, OffsetClock } from '../../../src/base/clock.ts';
import { cryptoRandom } from '../../../src/base/ids.ts';
import { parseInviteLink } from '../../../src/client/invite-link.ts';
import { type Member, openMember } from '../../../src/client/member.ts';
import { type KeySafe, type KeySecrets, openKeyRing } from '../../../src/client/memory-key-ring.ts';
import type { Space } from '../../../src/client/quota.ts';
import type { OutboxRecord } from '../../../src/client/store.ts';
import { RequestFailure } from '../../../src/client/types.ts';
import type { RequestOptions } from '../../../src/client/viewer.ts';
import { webSocketFactory } from '../../../src/client/web-socket.ts';
import { fingerprintOf, inviterOf, parseReedId, type ReedId, ROOT_INVITE } from '../../../src/wire/address.ts';
import type { CopyList, CopyView, ProfileWish, UnreadList } from '../link/community.ts';
import type { Me, ServerView, Step, Waiting } from '../link/protocol.ts';
import type { Database } from '../store/database.ts';
import { IndexedStore } from '../store/indexed-store.ts';
import { newestCopies } from '../store/newest.ts';
import { getSecret, putSecret } from '../store/secrets.ts';
import { AccountActs } from './account.ts';
import { Backups } from './backups.ts';
import { Community, INVITER, reedIn, userIn } from './community.ts';
import { Names } from './names.ts';
import { requireOpens } from './opening.ts';
import { Servers } from './servers.ts';
import { Standing } from './standing.ts';
import { type Audience, Tidings } from './tidings.ts';
import { Unread } from './unread.ts';
import { Views } from './views.ts';

const SHOWN = 2_000;

const SIGN_UP_STEPS = {
  'checking-server': { done: 1, label: 'Checking the server’s key' },
  'making-keys': { done: 2, label: 'Making your key and a recovery key' },
  signing: { done: 3, label: 'Signing who you are' },
  sending: { done: 4, label: 'Signing up' },
  done: { done: 5, label: 'Done' },
} as const;

const keySafe = (database: Database): KeySafe => ({
  load: async () => (await getSecret(database, 'keys')) as KeySecrets | null,
  save: (secrets) => putSecret(database, 'keys', secrets),
});

/** What the browser says of this profile's storage; it may say nothing. */
async function measure(): Promise<Space | null> {
  const { usage, quota } = await navigator.storage.estimate();
  return usage === undefined || quota === undefined ? null : { usedBytes: usage, quotaBytes: quota };
}

/** Opens what this profile has; connects if it is signed up. */
export async function openMembership(database: Database, audience: Audience): Promise<Membership> {
  const clock = new OffsetClock();
  const member = await openMember({
    serverUrl: self.location.origin,
    store: new IndexedStore(database),
    keyRing: await openKeyRing(keySafe(database)),
    socket: webSocketFactory(WebSocket),
    fetch: (input, init) => fetch(input, init),
    clock,
    random: cryptoRandom,
    measure,
  });
  const membership = new Membership({ member, database, audience, clock });
  await membership.begin();
  return membership;
}

type Parts = { readonly member: Member; readonly database: Database; readonly audience: Audience; readonly clock: Clock };

export class Membership {
  readonly account: AccountActs;
  readonly backups: Backups;
  readonly community: Community;
  readonly servers: Servers;
  readonly standing: Standing;
  readonly #member: Member;
  readonly #database: Database;
  readonly #views: Views;
  readonly #unread: Unread;
  readonly #tidings: Tidings;

  constructor({ member, database, audience, clock }: Parts) {
    this.#member = member;
    this.#database = database;
    // People may be called otherwise from now on.
    const changed = (): void => {
      audience.changed(false);
      void this.#tidings.tell();
    };
    const names = new Names({ member, database, clock, changed });
    const servers = new Servers({ member, database, clock, changed });
    this.servers = servers;
    this.#views = new Views({ member, database, names, servers });
    this.#unread = new Unread({ member, database });
    this.#tidings = new Tidings({ member, database, audience, clock, unread: this.#unread, servers, end: () => this.account.end });
    this.account = new AccountActs({ member, database, show: () => this.#tidings.tell() });
    this.backups = new Backups({ member, database });
    this.community = new Community({ member, database, views: this.#views, names, servers });
    this.standing = new Standing({ member, database, names, views: this.#views });
  }

  /** Tells the pages where things stand, and connects a member who has signed up. */
  async begin(): Promise<void> {
    await Promise.all([this.account.load(), this.backups.load(), this.servers.load()]);
    if (this.#member.account && !this.account.end) this.#member.connect();
    await this.#tidings.tell();
  }

  async server(): Promise<ServerView> {
    const { id, name, version, signup, keys } = await this.#member.serverInfo();
    const newest = keys.at(-1);
    return { id, name, version, signup, fingerprint: newest ? fingerprintOf(newest) : '' };
  }

  async join(input: { username: string; invite: string }, progress: (step: Step) => void): Promise<Me> {
    const invite = input.invite === '' ? {} : { invite: input.invite };
    const onStep = (step: keyof typeof SIGN_UP_STEPS): void => progress({ total: 5, ...SIGN_UP_STEPS[step] });
    await this.#member.signUp({ username: input.username, ...invite, onStep });
    const inviter = inviterOf(parseInviteLink(input.invite)?.invite ?? ROOT_INVITE);
    if (inviter) await this.#database.put('meta', { id: INVITER, value: inviter });
    await this.begin();
    return this.#me();
  }

  async backupSaved(): Promise<null> {
    await this.backups.saved();
    await this.#tidings.tell();
    return null;
  }

  async seen({ list, storedAt }: { list: UnreadList; storedAt: number }): Promise<null> {
    await this.#unread.seen(list, storedAt);
    await this.#tidings.tell();
    return null;
  }

  async lookedAt({ reedIds }: { reedIds: readonly string[] }): Promise<null> {
    if (await this.#unread.lookedAt(reedIds)) await this.#tidings.tell();
    return null;
  }

  async restore(input: { backup: string; words: string }, progress: (step: Step) => void): Promise<Me> {
    progress({ done: 1, total: 2, label: 'Opening the backup and signing in' });
    await requireOpens(input);
    await this.#member.restore({ backup: input.backup, passphrase: input.words });
    await this.begin();
    return this.#me();
  }

  /** A reed from this device, else from a member who has it; asked for with its whole thread if `thread`. */
  async open(input: { reedId: string }, context: OpenContext): Promise<CopyView> {
    const reedId = reedIn(input.reedId);
    const unsent = await this.#unsent(reedId);
    if (unsent) return this.#views.unsent(unsent);
    const record = await this.#member.request(reedId, options(context));
    const view = await this.#views.copy(record, (await this.#sending()).get(reedId)?.refused);
    // It may have been confirmed while names were looked up.
    const now = (await this.#member.copy(reedId)) ?? record;
    return { ...view, settled: now.state !== 'unconfirmed' };
  }

  /** The parts of the thread that the reed is of. */
  async openThread(input: { reedId: string }, context: OpenContext): Promise<readonly CopyView[]> {
    const reedId = reedIn(input.reedId);
    if (!(await this.#unsent(reedId))) await this.#member.request(reedId, { ...options(context), thread: true });
    return this.community.thread(reedId);
  }

  /** The newest copies of this device, newest first, together with everything that is still to be sent. */
  async copies(): Promise<CopyList> {
    const sending = await this.#sending();
    const records = await newestCopies(this.#database, SHOWN + 1);
    const newest = records.slice(0, SHOWN).filter((record) => record.state !== 'leaving');
    const views = await Promise.all(newest.map((record) => this.#views.listed(record, sending.get(record.id)?.refused)));
    for (const record of newest) sending.delete(record.id);
    views.push(...(await Promise.all([...sending.values()].map((record) => this.#views.unsent(record)))));
    return { shown: views.sort((one, other) => (sortKey(one) < sortKey(other) ? 1 : -1)), more: records.length > SHOWN };
  }

  room(): Promise<Space | null> {
    return measure();
  }

  async giveUpAuthor({ user }: { user: string }): Promise<null> {
    const author = userIn(user);
    // One's own are not given up by the way.
    if (author !== this.#member.account?.user) await this.#member.receiving.room.evictAuthor(author);
    return null;
  }

  async giveUp(input: { reedId: string }): Promise<null> {
    const reedId = parseReedId(input.reedId);
    if (reedId) await this.#member.evict(reedId);
    return null;
  }

  async discard(input: { reedId: string }): Promise<null> {
    const reedId = parseReedId(input.reedId);
    if (reedId) await this.#member.discard(reedId);
    return null;
  }

  /** Takes the place of the device that took this one's. */
  async useAgain(): Promise<null> {
    await this.#member.linkAgain();
    return null;
  }

  async makeInvite(): Promise<{ link: string }> {
    return { link: await this.#member.createInvite() };
  }

  async editProfile(input: ProfileWish): Promise<null> {
    await this.standing.edit(input);
    await this.#tidings.tell();
    return null;
  }

  async reconnect(): Promise<null> {
    if (this.#member.account && !this.account.end && this.#member.connection !== 'stopped') this.#member.connectNow();
    return null;
  }

  /** What has not been published yet, by its reed. */
  async #sending(): Promise<Map<ReedId, OutboxRecord>> {
    return new Map((await this.#member.outbox()).map((record) => [record.reedId, record]));
  }

  /** A reed that is written and not published; null once a copy of it is here. */
  async #unsent(reedId: ReedId): Promise<OutboxRecord | null> {
    if (await this.#member.copy(reedId)) return null;
    return (await this.#sending()).get(reedId) ?? null;
  }

  #me(): Me {
    const { me } = this.#tidings;
    if (!me) throw new RequestFailure('refused');
    return me;
  }
}

type OpenContext = { readonly signal: AbortSignal; progress(now: Waiting): void };

const options = ({ signal, progress }: OpenContext): RequestOptions => ({
  signal,
  onProgress: ({ state, onlineHolders, tries }) => progress({ state, onlineHolders, brokenCopies: tries }),
});

const sortKey = (view: CopyView): string => (view.countersignedAt === '' ? view.createdAt : view.countersignedAt);
