// Being a member: the one object that the web app, bots, headless holders and tests use. It starts without an account, gets one by
// signing up or by a backup, and from then on keeps what is opened and answers for it while it is connected.
import type { Clock } from '../base/clock.ts';
import { AppError } from '../base/errors.ts';
import type { RandomBytes } from '../base/ids.ts';
import { DEFAULT_LIMITS, type Limits } from '../base/limits.ts';
import { verifyCertificate } from '../crypto/statement.ts';
import { parseServerId, type ReedId, type ServerId, type UserId } from '../wire/address.ts';
import { Api } from './api.ts';
import { createInvite } from './inviting.ts';
import type { KeyRing } from './key-ring.ts';
import { KeyDirectory } from './keys.ts';
import { removeAccount, revokeKey } from './leaving.ts';
import { Listeners } from './listeners.ts';
import type { Lists } from './lists.ts';
import { Membership } from './membership.ts';
import { mended } from './mends.ts';
import type { Writing } from './outbox.ts';
import type { HttpFetch, SocketFactory } from './ports.ts';
import type { ProfileChanges, Profiles } from './profile.ts';
import { type Draft, requireAnswerable, type ThreadDraft } from './publish-options.ts';
import type { Measure } from './quota.ts';
import type { Receiving } from './receiving.ts';
import { type BackupInput, recover, withdrawRemoval } from './recovery.ts';
import { RELATIONS_KNOWN, type Relations } from './relations.ts';
import { linkDevice, restoreAccount } from './restore.ts';
import { rotate, settled } from './rotation.ts';
import { PinnedServer, type ServerInfo } from './server.ts';
import { ServerTime } from './server-time.ts';
import { type SignUpInput, signUp } from './sign-up.ts';
import type { Change, CopyRecord, OutboxRecord, Page, Store } from './store.ts';
import type { Account, ConnectionState, MemberEvent } from './types.ts';
import type { RequestOptions } from './viewer.ts';

const META = 'account';

export type MemberDeps = {
  /** http(s) origin of the server. */
  readonly serverUrl: string;
  readonly store: Store;
  readonly keyRing: KeyRing;
  readonly socket: SocketFactory;
  readonly fetch: HttpFetch;
  readonly clock: Clock;
  readonly random: RandomBytes;
  readonly limits?: Limits;
  /** How much of the store's medium is used, where it has a bound. */
  readonly measure?: Measure;
};

/** Opens a member over a store: with the account that is in it, or without. Touches no network. */
export async function openMember(deps: MemberDeps): Promise<Member> {
  const member = new Member(deps);
  await member.load();
  return member;
}

export class Member {
  readonly #deps: MemberDeps;
  readonly #api: Api;
  readonly #time: ServerTime;
  readonly #limits: Limits;
  readonly #listeners = new Listeners<MemberEvent>();
  #account: Account | null = null;
  #membership: Membership | null = null;
  #server: PinnedServer | null = null;

  constructor(deps: MemberDeps) {
    this.#deps = deps;
    this.#time = new ServerTime(deps.clock);
    this.#api = new Api(deps.serverUrl, deps.fetch, this.#time);
    this.#limits = deps.limits ?? DEFAULT_LIMITS;
  }

  /** Reads the account from the store; `openMember` does it. */
  async load(): Promise<void> {
    const account = (await this.#deps.store.get('meta', META))?.value as Account | undefined;
    if (!account) return;
    const now = await settled(this.#parts(), account);
    if (now.changes.length > 0) await this.#save(now.account, now.changes);
    await this.#begin(now.account);
  }

  /** Null before the first sign-up or restore. */
  get account(): Account | null {
    return this.#account;
  }

  get connection(): ConnectionState {
    return this.#membership?.session.state ?? 'offline';
  }

  /** The server at the address, its document verified; pinned once there is an account. Throws AppError. */
  async serverInfo(): Promise<ServerInfo> {
    return (await this.#pinned(this.#account?.server ?? null)).info();
  }

  /** Makes the account. May be repeated after a failure: the keys stay the same. Throws AppError. */
  async signUp(input: SignUpInput): Promise<Account> {
    if (this.#account) throw signedIn();
    const { account, token } = await signUp(
      { ...this.#parts(), server: (id) => this.#pinned(id), keysOf: (server) => this.#keysWithoutSession(server) },
      input,
    );
    // A new member has said nothing yet.
    await this.#deps.store.write([{ put: 'meta', record: { id: RELATIONS_KNOWN, value: true } }]);
    await this.#adopt(account, token);
    return account;
  }

  /** Takes over the account of a backup, and links this device in place of the one before. Throws AppError. */
  async restore(input: { readonly backup: string; readonly passphrase: string }): Promise<Account> {
    if (this.#account) throw signedIn();
    const { account, token } = await restoreAccount({ ...this.#parts(), server: (id) => this.#pinned(id) }, input);
    await this.#adopt(account, token);
    await this.#running().receiving.recall.begin();
    return account;
  }

  /** The backup as an armored OpenPGP message. Throws AppError FORBIDDEN once the recovery key was deleted here. */
  async backup(passphrase: string): Promise<string> {
    const { server, serverKeys, user, key } = this.#member();
    const follows = (await this.#deps.store.list('follows')).map(({ id }) => id);
    return this.#deps.keyRing.backup({ server, serverKeys, user, key, follows }, passphrase, this.#time.now());
  }

  /** The person has the backup: the recovery key is deleted from this device. */
  async backupSaved(): Promise<void> {
    await this.#deps.keyRing.forgetRecovery();
    await this.#save({ ...this.#member(), backedUp: true });
  }

  /**
   * Puts a new key in the place of this member's, with a new recovery key: the backups made so far are of the old ones, so a new one is to be
   * made. Reconnects if it was connected. May be repeated after a failure. Throws AppError, RATE_LIMITED within a day of the last time.
   */
  async rotateKey(): Promise<Account> {
    const account = this.#member();
    const ring = await this.#deps.keyRing.keys();
    if (!ring) throw notSignedIn();
    const by = { server: await this.#pinned(account.server), session: this.#running().session };
    const { key, changes } = await rotate({ ...this.#parts(), limits: this.#limits }, account, { key: account.key, armor: ring.armor }, by);
    return this.#replace({ ...account, key, backedUp: false }, '', changes);
  }

  /** Revokes this member's key without a new one: the account is frozen until `recover`. Throws AppError. */
  async revokeKey(reason = ''): Promise<void> {
    const membership = this.#running();
    await revokeKey(this.#parts(), this.#member(), { reason, keys: membership.keys });
    await membership.close();
  }

  /**
   * Takes the account back by the recovery key of a backup, which makes a new key, and links this device. What a thief did with the key in the
   * last seven days is void. Works with and without an account on this device. Throws AppError.
   */
  async recover(input: BackupInput): Promise<Account> {
    const { account, token, changes } = await recover(this.#recoveryParts(), input, this.#account);
    return this.#replace(account, token, changes);
  }

  /** Removes the account: hidden at once, for good from `dueAt` on. This device keeps what it has, and is not connected. Throws AppError. */
  async removeAccount(note = ''): Promise<{ readonly dueAt: string }> {
    const membership = this.#running();
    const removal = await removeAccount(this.#parts(), this.#member(), { note, session: membership.session });
    await membership.close();
    return removal;
  }

  /** Takes the removal of the account back, by the recovery key of a backup, while there is time. Throws AppError. */
  async withdrawRemoval(input: BackupInput): Promise<void> {
    await withdrawRemoval(this.#recoveryParts(), input, this.#account);
  }

  /** Makes this device the active one again after another took its place, which is shut out by it, and connects. Throws AppError. */
  async linkAgain(): Promise<void> {
    const { session, receiving } = this.#running();
    session.useToken(await linkDevice(this.#parts(), this.#member()));
    // The other device came to have what this one has not.
    await receiving.recall.begin();
    session.connect();
  }

  /** Signs in and stays signed in until `close`; now, if it was waiting to. */
  connect(): void {
    this.#running().session.connect();
  }

  /** As `connect`, for a person who waits: an attempt that hangs is made anew, and the pauses begin short again. */
  connectNow(): void {
    this.#running().session.connectNow();
  }

  /** Resolves when signed in to the server that was pinned; rejects when only a person can help. */
  async online(): Promise<void> {
    await this.#running().session.online();
  }

  /**
   * Writes a reed, or a thread of 2 to 30 texts. Resolves when it is durably in the outbox, with a promise for its publication.
   * A reply names `replyTo` alone: the root is found out from the copy or the server.
   * @throws AppError INVALID, TOO_LARGE, REMOVED, BLOCKED; each names the mend
   */
  async publish(draft: Draft | ThreadDraft): Promise<Writing> {
    for (const answered of [draft.replyTo, draft.echoOf]) if (answered) await requireAnswerable(this.#deps.store, answered);
    const root = draft.root ?? (draft.replyTo && (await mended(() => this.#rootOf(draft.replyTo as ReedId))));
    return this.#running().outbox.publish(root ? { ...draft, root } : draft);
  }

  /** What comes unasked, what is watched and what is read of it, see receiving.ts. Throws AppError without an account. */
  get receiving(): Receiving {
    return this.#running().receiving;
  }

  /** A copy of a reed: from the store at once, else from a member who holds it. Opening means keeping. Rejects with RequestFailure. */
  async request(reedId: ReedId, options?: RequestOptions): Promise<CopyRecord> {
    return this.#running().receiving.viewer.request(reedId, options);
  }

  /** Ends a request that has not been answered. */
  async cancel(reedId: ReedId): Promise<void> {
    await this.#running().receiving.viewer.cancel(reedId);
  }

  async copy(reedId: ReedId): Promise<CopyRecord | null> {
    return this.#deps.store.get('copies', reedId);
  }

  /** What this device holds, by id. */
  async copies(page?: Page): Promise<CopyRecord[]> {
    return this.#deps.store.list('copies', page);
  }

  /** Gives up a copy, of a thread all of it: announced, and deleted once the server has answered, when this resolves. */
  async evict(reedId: ReedId): Promise<void> {
    await this.#running().receiving.giveUp(reedId);
  }

  /** Reeds and threads that were written and are not published yet, in order. */
  async outbox(): Promise<OutboxRecord[]> {
    return (await this.#deps.store.list('outbox')).filter((entry): entry is OutboxRecord => 'reedId' in entry);
  }

  /** Follows, blocks, likes and removals; they work offline. */
  get relations(): Relations {
    return this.#running().relations;
  }

  /** Lists that the server keeps. */
  get lists(): Lists {
    return this.#running().lists;
  }

  get profiles(): Profiles {
    return this.#running().profiles;
  }

  /** As `profiles.edit`; keeps a new name on this device, too. */
  async editProfile(changes: ProfileChanges): Promise<void> {
    const { statement } = await this.#running().profiles.edit(changes);
    await this.#save({ ...this.#member(), username: statement.username });
  }

  /** Deletes a reed that the server refused for good, see `OutboxRecord.refused`. Throws AppError CONFLICT if it is still on its way. */
  async discard(reedId: ReedId): Promise<void> {
    await this.#running().outbox.discard(reedId);
  }

  /** Makes an invite and gives its link. The secret is in the link and nowhere else. Throws AppError. */
  async createInvite(): Promise<string> {
    const { session } = this.#running();
    return createInvite({ ...this.#parts(), limits: this.#limits }, this.#member(), session);
  }

  /** Who a member is, by their own certified word; null if the server knows nobody by that id. */
  async author(user: UserId): Promise<{ readonly user: UserId; readonly username: string } | null> {
    const { api, session, keys } = this.#running();
    let answer: { identity?: unknown };
    try {
      answer = (await api.call(`users/${encodeURIComponent(user)}`, { session })) as typeof answer;
    } catch (error) {
      if (error instanceof AppError && error.code === 'NOT_FOUND') return null;
      throw error;
    }
    const accepted = await verifyCertificate(answer.identity, 'identity', keys.context);
    if (!accepted.ok || accepted.value.certificate.statement.user !== user) return null;
    return { user, username: accepted.value.certificate.statement.username };
  }

  /** Calls `listener` with everything that happens, until the returned function is called. */
  subscribe(listener: (event: MemberEvent) => void): () => void {
    return this.#listeners.add(listener);
  }

  /** Resolves when no work of this member's own is going on. */
  async idle(): Promise<void> {
    await this.#membership?.idle();
  }

  /** Closes the connection; the store stays open. */
  async close(): Promise<void> {
    await this.#membership?.close();
  }

  #parts() {
    const { store, keyRing, random } = this.#deps;
    return { api: this.#api, store, keyRing, random, time: this.#time };
  }

  #recoveryParts() {
    return { ...this.#parts(), limits: this.#limits, server: (id: ServerId) => this.#pinned(id) };
  }

  /** The account has another key: its parts are made anew, and connect again if they were connected. */
  async #replace(account: Account, token: string, changes: readonly Change[]): Promise<Account> {
    const before = this.#membership;
    const wasConnected = before?.session.wanted ?? false;
    await this.#save(account, changes);
    await before?.close();
    await this.#begin(account);
    if (token) this.#running().session.useToken(token);
    if (wasConnected) this.connect();
    return account;
  }

  async #adopt(account: Account, token: string): Promise<void> {
    await this.#save(account);
    await this.#begin(account);
    if (token) this.#running().session.useToken(token);
  }

  async #save(account: Account, changes: readonly Change[] = []): Promise<void> {
    await this.#deps.store.write([{ put: 'meta', record: { id: META, value: account } }, ...changes]);
    this.#account = account;
  }

  async #begin(account: Account): Promise<void> {
    this.#account = account;
    const server = await this.#pinned(account.server);
    const emit = (event: MemberEvent): void => {
      // A replaced key is kept for a week; the server's time is known by now.
      if (event.type === 'connection' && event.state === 'online')
        void this.#deps.keyRing.forgetReplaced(this.#time.now()).catch(() => undefined);
      this.#listeners.tell(event);
    };
    const { socket, measure } = this.#deps;
    const membership = new Membership({ ...this.#parts(), socket, measure, limits: this.#limits, account, server, emit });
    await membership.load();
    this.#membership = membership;
  }

  /** Without an id, whoever answers at the address is believed to be who they say: an invite link says it better. */
  async #pinned(id: ServerId | null): Promise<PinnedServer> {
    if (this.#server && (id === null || this.#server.id === id)) return this.#server;
    const named = id ?? parseServerId(String(((await this.#api.call('server')) as { id?: unknown }).id));
    if (!named) throw new AppError('INVALID', 'this is no Reedbed server; check its address');
    this.#server = new PinnedServer(named, this.#parts());
    return this.#server;
  }

  /** For the certificates of a sign-up, which are verified before there is a session. */
  #keysWithoutSession(server: PinnedServer): KeyDirectory {
    const session = { token: () => Promise.reject(new AppError('UNAUTHENTICATED', 'not signed in')), refused: () => undefined };
    return new KeyDirectory({ ...this.#parts(), limits: this.#limits, server, session });
  }

  async #rootOf(replyTo: ReedId): Promise<ReedId> {
    const { api, session, keys } = this.#running();
    const copy = await this.copy(replyTo);
    if (copy) return copy.certificate.statement.root ?? replyTo;
    const answer = (await api.call(`reeds/${encodeURIComponent(replyTo)}`, { session })) as { certificate?: unknown };
    const accepted = await verifyCertificate(answer.certificate, 'reed', keys.context);
    if (!accepted.ok || accepted.value.certificate.statement.id !== replyTo) throw new AppError('NOT_FOUND', 'replyTo');
    return accepted.value.certificate.statement.root ?? replyTo;
  }

  #member(): Account {
    if (!this.#account) throw notSignedIn();
    return this.#account;
  }

  #running(): Membership {
    if (!this.#membership) throw notSignedIn();
    return this.#membership;
  }
}

const signedIn = (): AppError => new AppError('CONFLICT', 'there is an account on this device; use another store for another one');
const notSignedIn = (): AppError =>
  new AppError('UNAUTHENTICATED', 'there is no account on this device yet; sign up, or restore one from its backup');
