// The relay as the gateway sees it: every member frame's way to its step. Composes the parts and owns their order of start and end.
import type { Clock } from '../base/clock.ts';
import { AppError } from '../base/errors.ts';
import { fromBase64url, type RandomBytes } from '../base/ids.ts';
import type { Bus } from '../bus/port.ts';
import type { Database } from '../db/pool.ts';
import type { BlockKind } from '../identity/blocks.ts';
import type { Executor } from '../identity/executor.ts';
import type { Keys } from '../identity/keys.ts';
import type { LedgerDeps } from '../ledger/ledger.ts';
import type { Presence } from '../presence/presence.ts';
import type { Subscriptions } from '../presence/subscriptions.ts';
import type { Publish, PublishReason } from '../reeds/publish.ts';
import type { RemovalKind } from '../reeds/removal.ts';
import type { Voiding } from '../reeds/voiding.ts';
import { parseReedId, parseUserId, parseUserKeyId, type ReedId, type ServerId, type UserId, type UserKeyId } from '../wire/address.ts';
import type { Frame, FrameOf } from '../wire/frames.ts';
import { Acks } from './acks.ts';
import { Announcer } from './announcer.ts';
import { Answers } from './answers.ts';
import { Attendance } from './attendance.ts';
import { BlockNotices, type BlockNoticesDeps } from './block-notices.ts';
import { Blocks } from './blocks.ts';
import { Catchup } from './catchup.ts';
import { ReedCounting } from './counting.ts';
import { Debts } from './debts.ts';
import type { Elsewhere } from './elsewhere-port.ts';
import { Ends } from './ends.ts';
import { Fanout } from './fanout.ts';
import type { FoldPort } from './fold-port.ts';
import { Looks } from './looks.ts';
import { errorNotice } from './notices.ts';
import { Pages } from './pages.ts';
import type { MemberFrames, Origin } from './port.ts';
import { Refusals } from './refusals.ts';
import { Removals } from './removals.ts';
import { Requests } from './requests.ts';
import { Stats } from './stats.ts';
import { Sweeper } from './sweeper.ts';
import { Turns } from './turns.ts';
import { Watching } from './watching.ts';

export type RelayDeps = Omit<LedgerDeps, 'events'> & {
  readonly bus: Bus;
  readonly clock: Clock;
  readonly random: RandomBytes;
  readonly publish: Publish;
  readonly keys: Keys;
  readonly blocks: BlockNoticesDeps['blocks'];
  readonly voiding: Voiding;
  readonly accountRemovals: { finish(): Promise<void> };
  /** A member's stream may have a new fact, committed. */
  readonly onFact: (author: UserId) => void;
  readonly presence: Pick<Presence, 'label' | 'setBehind'>;
  readonly subscriptions: Subscriptions;
  readonly fold: FoldPort;
  readonly elsewhere: Elsewhere;
  /** Connections without the ledger's planner settings. */
  readonly application: Database;
};

/** What members report of a reed: what in its statement does not go with the text, or with what it answers. */
const REJECTIONS: ReadonlySet<string> = new Set(['tags', 'mentions', 'text', 'root', 'thread'].map((part) => `claim mismatch: ${part}`));

const REFUSED = {
  'not-found': { code: 'NOT_FOUND', detail: 'you have registered no such reed' },
  removed: { code: 'REMOVED', detail: 'this reed was removed' },
  'other-removed': { code: 'REMOVED', detail: 'what it replies to or echoes was removed' },
  'other-missing': { code: 'INVALID', detail: 'what it replies to or echoes is no published reed' },
  'other-blocks': { code: 'BLOCKED', detail: 'the author of what it replies to or echoes blocks you' },
  incomplete: { code: 'CONFLICT', detail: 'register the record and every part of the thread, then name its head' },
} as const satisfies Record<PublishReason, object>;

export class Relay implements MemberFrames {
  readonly looks: Looks;
  readonly #deps: RelayDeps;
  readonly #requests: Requests;
  readonly #answers: Answers;
  readonly #acks: Acks;
  readonly #attendance: Attendance;
  readonly #announcer: Announcer;
  readonly #pages: Pages;
  readonly #blocks: Blocks;
  readonly #blockNotices: BlockNotices;
  readonly #catchup: Catchup;
  readonly #watching: Watching;
  readonly #sweeper: Sweeper;
  readonly #turns: Turns;

  constructor(deps: RelayDeps) {
    this.#deps = deps;
    const { bus, clock, db, limits, log } = deps;
    const refusals = new Refusals(db);
    this.#turns = new Turns(limits.frameTransactions);
    const looks = new Looks(deps);
    this.looks = looks;
    this.#requests = new Requests({ ...deps, looks, refusals });
    this.#answers = new Answers({ bus, fold: deps.fold, looks, refusals });
    this.#acks = new Acks({ bus, looks });
    this.#attendance = new Attendance({ ...deps, looks });
    const debts = new Debts({ ...deps, looks, behind: (members) => this.#behind(members) });
    const removals = new Removals({ ...deps, looks, refusals });
    const fanout = new Fanout({ ...deps, debts });
    this.#blockNotices = new BlockNotices({ ...deps, looks });
    this.#blocks = new Blocks({ ...deps, looks, notices: this.#blockNotices });
    const ends = new Ends({ ...deps, looks, removals });
    this.#announcer = new Announcer({ ...deps, looks, fanout, removals, blocks: this.#blocks, ends });
    this.#catchup = new Catchup({ ...deps, looks, debts, removals });
    const stats = new Stats({ ...deps, counting: new ReedCounting(deps) });
    this.#pages = new Pages({ ...deps, debts, looks, refusals });
    this.#watching = new Watching({ ...deps, refusals, stats, turns: this.#turns });
    const owing = [
      ...[() => this.#announcer.sweep(), () => this.#catchup.round(), () => this.#blockNotices.round()],
      ...[() => stats.round(), () => deps.accountRemovals.finish(), () => deps.fold.round(), async () => deps.elsewhere.round()],
    ];
    this.#sweeper = new Sweeper({
      db,
      clock,
      limits,
      bus,
      log,
      looks,
      owing,
      removals,
      left: async (member) => void (await this.left(member)),
    });
  }

  /** Nothing is under way. */
  get idle(): boolean {
    return this.looks.idle && this.#attendance.idle && this.#deps.elsewhere.idle;
  }

  start(): void {
    this.#sweeper.start();
  }

  /** One round of the sweeper, now. */
  sweep(): Promise<void> {
    return this.#sweeper.round();
  }

  stop(): Promise<void> {
    this.looks.wakes.stop();
    return this.#sweeper.stop();
  }

  handle(from: Origin, frame: Frame): Promise<void> {
    switch (frame.type) {
      case 'requestReed':
        return this.#requests.reed(from, frame);
      case 'requestThread':
        return this.#requests.thread(from, frame);
      case 'cancelRequest':
        return this.#requests.cancel(from, frame);
      case 'relayResponse':
        return this.#answers.response(from, frame);
      case 'relayMiss':
        return this.#answers.miss(from, frame);
      case 'relayError':
        return this.#answers.error(from, frame);
      case 'dataAck':
        return this.#acks.ack(from, frame);
      case 'dataInvalid':
        return this.#acks.invalid(from, frame);
      case 'publishReady':
        return this.#publishReady(from, frame);
      case 'syncRequest':
        return this.#sync(from, frame);
      case 'profilePage':
        return this.#pages.handle(from, frame);
      case 'userBlockedAck':
      case 'userUnblockedAck':
        return this.#acknowledgeBlock(from, frame);
      case 'subscribeReed':
      case 'unsubscribeReed':
      case 'subscribeProfile':
      case 'unsubscribeProfile':
      case 'subscribePipe':
      case 'unsubscribePipe':
      case 'subscribeBroadcast':
      case 'unsubscribeBroadcast':
        return this.#watching.handle(from, frame);
      case 'eviction':
        return this.#evict(from, frame);
      case 'keyEviction':
        return this.#evictKey(from, frame);
      case 'contentRejected':
        return this.#rejected(from, frame);
      default:
        return Promise.reject(new AppError('UNIMPLEMENTED', 'this server does not know this frame'));
    }
  }

  arrived(member: UserId, isFresh: boolean): Promise<void> {
    return this.#attendance.arrived(member, isFresh);
  }

  left(member: UserId): Promise<boolean> {
    return this.#attendance.left(member);
  }

  askedInVain(member: UserId, asks: readonly Uint8Array[]): void {
    this.#attendance.askedInVain(member, asks);
  }

  congested(member: UserId, full: boolean): void {
    this.#attendance.congested(member, full);
  }

  bytesArriving(holders: readonly UserId[]): void {
    this.#attendance.bytesArriving(holders);
  }

  stillBuffered(requesters: readonly UserId[]): void {
    this.#attendance.stillBuffered(requesters);
  }

  /** In a block's transaction. @returns what to do after the commit */
  cutOff(tx: Executor, author: UserId, viewer: UserId): Promise<() => void> {
    return this.#blocks.cutOff(tx, author, viewer);
  }

  /** A block or unblock was committed. */
  changed(kind: BlockKind, author: UserId, viewer: UserId): void {
    this.#announcer.committed({ kind, subject: `${author} ${viewer}` });
  }

  /** A publication of another server's member was committed. */
  published(reed: ReedId): void {
    this.#announcer.committed({ kind: 'publication', subject: reed });
  }

  /** A removal was committed. */
  removed(kind: RemovalKind, subject: ReedId): void {
    this.#announcer.committed({ kind, subject });
  }

  /** A key was revoked, or put off its chain, committed. */
  keyEnded(key: UserKeyId): void {
    this.#announcer.committed({ kind: 'key-revocation', subject: key });
  }

  /** An account is gone for good, committed. */
  accountRemoved(user: UserId): void {
    this.#announcer.committed({ kind: 'account-removal', subject: user });
  }

  /** Another server can be reached again: what it alone has is owed again to who is here. */
  peerBack(server: ServerId): void {
    this.#catchup.peerBack(server);
  }

  /** A member follows somebody, committed. */
  followed(member: UserId, author: UserId): void {
    this.#catchup.followed(member, author);
  }

  async #behind(members: readonly UserId[]): Promise<void> {
    await this.#deps.presence.setBehind(members);
    await this.#catchup.behind(members);
  }

  /** The author's device can serve the reed now. An ERROR about it names the reed as its request id. */
  async #publishReady(from: Origin, { body }: FrameOf<'publishReady'>): Promise<void> {
    const reedId = parseReedId(body.reedId);
    if (!reedId) throw new AppError('INVALID', 'reed_id is no reed id');
    const { member } = from;
    const published = await this.#turns.run(member.userId, () => this.#deps.publish.publishReady(member, reedId, body.broadcast));
    if (!published.ok) return from.reply(errorNotice({ id: '', requestId: reedId, ...REFUSED[published.reason] }));
    from.reply({ id: '', type: 'publishReadyAck', body: { reedId } });
    if (published.value === 'published') this.#announcer.committed({ kind: 'publication', subject: reedId });
    this.looks.spread(member.userId, reedId);
  }

  async #sync(from: Origin, { body }: FrameOf<'syncRequest'>): Promise<void> {
    const { userId } = from.member;
    await this.#deps.presence.label(userId, this.#requests.ownId(from, body.requestId));
    this.looks.look(() => this.#blockNotices.begin(userId));
    await this.#catchup.start(userId);
    this.looks.wakes.start(userId);
  }

  async #acknowledgeBlock(from: Origin, { body }: FrameOf<'userBlockedAck' | 'userUnblockedAck'>): Promise<void> {
    const about = parseUserId(body.userId);
    if (!about) throw new AppError('INVALID', 'user_id is no user id');
    if (fromBase64url(body.countersignatureHash) === null) throw new AppError('INVALID', 'countersignature_hash is no hash');
    await this.#blockNotices.acknowledge(from.member.userId, about, body.countersignatureHash);
  }

  async #evict(from: Origin, { body }: FrameOf<'eviction'>): Promise<void> {
    const reedId = parseReedId(body.reedId);
    if (!reedId) throw new AppError('INVALID', 'reed_id is no reed id');
    const held = await this.looks.ledger.evict.submit({ holder: from.member.userId, reedId });
    from.reply({ id: '', type: 'evictionAck', body: { reedId } });
    if (held) this.looks.copyGone(reedId);
  }

  /** A report for the operator, which changes nothing by itself. Of its words only those that are known go into the log (I3). */
  async #rejected(from: Origin, { body }: FrameOf<'contentRejected'>): Promise<void> {
    const reedId = parseReedId(body.reedId);
    if (!reedId) throw new AppError('INVALID', 'reed_id is no reed id');
    const reason = REJECTIONS.has(body.reason) ? body.reason : 'other';
    this.#deps.log.warn({ reed: reedId, reporter: from.member.userId, reason }, 'a member rejected a reed');
  }

  async #evictKey(from: Origin, { body }: FrameOf<'keyEviction'>): Promise<void> {
    const keyId = parseUserKeyId(body.keyId);
    if (!keyId) throw new AppError('INVALID', 'key_id is no key id');
    const { userId } = from.member;
    await this.#turns.run(userId, () => this.#deps.keys.evict(userId, keyId));
    from.reply({ id: '', type: 'keyEvictionAck', body: { keyId } });
  }
}
