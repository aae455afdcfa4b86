// Everything that comes to a member without being asked for, wired together: deliveries, the community stream, removals and blocks, what is
// watched, catching up, and what a new device asks back. Also what is read of it: timelines.
import type { RandomBytes } from '../base/ids.ts';
import type { Limits } from '../base/limits.ts';
import type { Result } from '../base/result.ts';
import { parseReedId, parseServerId, type ReedId, type UserId } from '../wire/address.ts';
import type { Frame, InvalidReason } from '../wire/frames.ts';
import { Agreements } from './agreements.ts';
import { type Broadcast, Broadcasts } from './broadcasts.ts';
import type { CheckedContent } from './check-copy.ts';
import { Declined } from './declined.ts';
import { Evictions } from './evictions.ts';
import type { KeyDirectory } from './keys.ts';
import type { Lists } from './lists.ts';
import { Notices } from './notices.ts';
import { type Measure, Quota } from './quota.ts';
import { Recall } from './recall.ts';
import { Room } from './room.ts';
import type { ServerTime } from './server-time.ts';
import type { MarkRecord, Store, TombstoneRecord } from './store.ts';
import { Sync } from './sync.ts';
import { type Timeline, type TimelinePage, Timelines } from './timelines.ts';
import { Tombstones } from './tombstones.ts';
import type { Emit, SyncProgress, Watch } from './types.ts';
import { Viewer } from './viewer.ts';
import { VoidKeys } from './void-keys.ts';
import { type ProfilePage, Watches } from './watches.ts';

export type ReceivingDeps = {
  readonly store: Store;
  readonly time: ServerTime;
  readonly random: RandomBytes;
  readonly limits: Limits;
  readonly user: UserId;
  readonly keys: KeyDirectory;
  readonly lists: Lists;
  /** Whether it is known whom this member follows, asked for now if it was not. */
  relationsKnown(): Promise<boolean>;
  check(ciphertext: Uint8Array, reedId: ReedId): Promise<Result<CheckedContent, InvalidReason>>;
  readonly measure: Measure | undefined;
  send(frame: Frame): boolean;
  emit: Emit;
};

export class Receiving {
  readonly viewer: Viewer;
  readonly evictions: Evictions;
  readonly tombstones: Tombstones;
  readonly agreements: Agreements;
  readonly room: Room;
  readonly recall: Recall;
  readonly quota: Quota;
  readonly #declined: Declined;
  readonly #deps: ReceivingDeps;
  readonly #watches: Watches;
  readonly #broadcasts: Broadcasts;
  readonly #notices: Notices;
  readonly #sync: Sync;
  readonly #timelines: Timelines;
  #connections = 0;
  /** Frames whose work is done one after the other. */
  #inOrder: Promise<void> = Promise.resolve();

  constructor(deps: ReceivingDeps) {
    this.#deps = deps;
    this.#watches = new Watches(deps);
    this.agreements = new Agreements({ ...deps, watched: this.#watches });
    const { agreements } = this;
    this.tombstones = new Tombstones({ ...deps, ended: (id, certificate) => this.#ended(id, certificate) });
    const { tombstones } = this;
    this.#declined = new Declined(deps);
    const declined = this.#declined;
    this.viewer = new Viewer({ ...deps, agreements, tombstones, declined, missed: () => this.#sync.missed() });
    const { viewer } = this;
    this.#sync = new Sync({ ...deps, waiting: () => viewer.intake.waiting });
    this.#broadcasts = new Broadcasts({ ...deps, agreements, tombstones, watched: this.#watches });
    this.#notices = new Notices({
      ...deps,
      viewer,
      tombstones,
      voidKeys: new VoidKeys({ ...deps, viewer }),
      shut: (user) => this.#shut(user),
    });
    this.evictions = new Evictions({ ...deps, unconfirmed: (reedId) => viewer.letGo(reedId) });
    const { evictions } = this;
    this.room = new Room({ ...deps, evictions });
    const { room } = this;
    this.quota = new Quota({ ...deps, room });
    this.recall = new Recall({ ...deps, viewer, evictions });
    this.#timelines = new Timelines({ ...deps, agreements });
  }

  get sync(): SyncProgress {
    return this.#sync.progress;
  }

  /**
   * Watches a pipe, a reed (its replies and counts), a profile or the community stream, on this connection and the next ones, until the returned
   * function is called. @throws AppError INVALID for what is no tag
   */
  watch(watch: Watch): () => void {
    return this.#watches.watch(watch);
  }

  /** Asks for a page of somebody's reeds, newest first, from page 1; what of it is not here arrives by itself. Throws AppError. */
  profilePage(user: UserId, page: number): Promise<ProfilePage> {
    return this.#watches.page(user, page);
  }

  /** A page of what is here. */
  timeline(timeline: Timeline, page?: { after?: string; limit?: number }): Promise<TimelinePage> {
    return this.#timelines.page(timeline, page);
  }

  /** The community stream of this session, newest first. */
  broadcasts(): Broadcast[] {
    return this.#broadcasts.list();
  }

  /** The removal that covers a reed; null if none is known here. */
  tombstone(reedId: ReedId): Promise<TombstoneRecord | null> {
    return this.tombstones.find(reedId);
  }

  /** Takes the certificate with which the server says that something was taken back; one that does not hold changes nothing. */
  async explained(certificate: object): Promise<void> {
    // What can't be proved or stored now is told again by the next answer.
    await this.tombstones.learn(certificate).catch(() => null);
  }

  /** Keeps somebody's reeds without a follow, or shows nothing of theirs; what is not named stays as it is. */
  async mark(user: UserId, change: Partial<Omit<MarkRecord, 'id'>>): Promise<void> {
    const { store } = this.#deps;
    const record: MarkRecord = { ...{ kept: false, muted: false }, ...(await store.get('marks', user)), ...change, id: user };
    await store.write([record.kept || record.muted ? { put: 'marks', record } : { delete: 'marks', id: user }]);
    if (!record.muted) await this.#declined.askAgain(user, this.viewer);
  }

  /** Gives up what is here of a reed, or of the whole thread that it is part of. Resolves when the server has answered and it is deleted. */
  async giveUp(reedId: ReedId): Promise<void> {
    const { store } = this.#deps;
    const head = (await store.get('copies', reedId))?.certificate.statement.thread?.head;
    const parts = head === undefined ? [] : (await store.feed(`thread ${head}`)).map(({ copy }) => copy.id);
    const leaving = Promise.all([...new Set([reedId, ...parts])].map((id) => this.evictions.evict(id)));
    if (head !== undefined) await store.write([{ delete: 'threads', id: head }]);
    await leaving;
  }

  async load(): Promise<void> {
    await Promise.all([this.viewer.load(), this.evictions.load(), this.recall.load()]);
    await this.#declined.load(this.viewer);
  }

  connected(openRequests: number): void {
    this.viewer.connected(openRequests);
    this.evictions.connected();
    this.room.connected();
    this.quota.connected();
    this.#watches.connected();
    const connection = ++this.#connections;
    // Before it is known whom this member follows, what comes of them would be turned away.
    const begin = (): void => {
      if (connection !== this.#connections) return;
      this.#sync.connected();
      this.recall.connected();
    };
    void this.#deps.relationsKnown().then(begin, begin);
  }

  disconnected(): void {
    this.#connections++;
    this.viewer.disconnected();
    this.evictions.disconnected();
    this.#watches.disconnected();
    this.#sync.disconnected();
    this.quota.disconnected();
  }

  async idle(): Promise<void> {
    await this.#inOrder;
    await this.viewer.intake.idle();
  }

  close(): void {
    this.viewer.close();
    this.recall.close();
  }

  /** Takes a frame; frames of features that this version does not use are let go of. */
  frame(frame: Frame): void {
    switch (frame.type) {
      // Asked for, or of the moment: nothing that was missed.
      case 'dataResponse':
      case 'pipeReed':
      case 'archiveReed':
        return void this.viewer.intake.delivery(frame);
      case 'followReed':
      case 'reedReply':
      case 'mention':
        if (this.viewer.intake.delivery(frame)) this.#sync.delivered();
        return;
      case 'broadcastReed':
        return void this.#broadcasts.take(frame).catch(() => undefined);
      case 'settled':
        return this.#queue(() => this.viewer.intake.settled(frame));
      case 'requestAck':
        return this.viewer.requestAck(frame);
      case 'reedNotFound':
      case 'reedNotHeld':
        return this.viewer.absent(frame);
      case 'error':
        this.viewer.refused(frame.body);
        this.#sync.refused(frame);
        this.evictions.refused(frame);
        this.room.refused(frame);
        return this.#watches.refused(frame);
      default:
        return this.#notice(frame);
    }
  }

  #notice(frame: Frame): void {
    switch (frame.type) {
      case 'evictionAck': {
        const reedId = parseReedId(frame.body.reedId);
        return reedId ? this.#queue(() => this.evictions.acknowledged(reedId)) : undefined;
      }
      case 'keyEvictionAck':
        return this.room.keyAcknowledged(frame);
      case 'pageAck':
        return this.#watches.pageAck(frame);
      case 'reedStats':
        return this.#watches.stats(frame);
      case 'peerServerLost':
        return this.#peerLost(frame.body.serverId);
      case 'reedRemoved':
      case 'threadRemoved':
      case 'accountRemoved':
      case 'keyRevoked':
      case 'userBlocked':
      case 'userUnblocked':
        return this.#queue(() => this.#notices.take(frame));
      default:
        return undefined;
    }
  }

  #peerLost(id: string): void {
    const server = parseServerId(id);
    if (server) this.#deps.emit({ type: 'peer-lost', server });
  }

  #ended(id: ReedId | UserId, certificate: object): void {
    this.viewer.gone(id, 'removed', certificate);
    this.#broadcasts.gone(id);
  }

  #shut(user: UserId): void {
    this.#watches.blocked(user);
    this.#broadcasts.gone(user);
  }

  /** What fails here is not acknowledged, so that the server says it again. */
  #queue(work: () => Promise<void>): void {
    this.#inOrder = this.#inOrder.then(work).catch(() => undefined);
  }
}
