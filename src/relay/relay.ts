// The relay as the gateway sees it: every member frame's way to its step. Composes the parts and owns their order of start and end.
import type { Clock } from '../base/clock.ts';
import { AppError } from '../base/errors.ts';
import type { RandomBytes } from '../base/ids.ts';
import type { Bus } from '../bus/port.ts';
import type { Keys } from '../identity/keys.ts';
import type { LedgerDeps } from '../ledger/ledger.ts';
import type { Presence } from '../presence/presence.ts';
import type { Publish, PublishReason } from '../reeds/publish.ts';
import { parseReedId, parseUserKeyId, type UserId } from '../wire/address.ts';
import type { Frame, FrameOf } from '../wire/frames.ts';
import { Acks } from './acks.ts';
import { Answers } from './answers.ts';
import { Attendance } from './attendance.ts';
import { Looks } from './looks.ts';
import { errorNotice } from './notices.ts';
import type { MemberFrames, Origin } from './port.ts';
import { Refusals } from './refusals.ts';
import { Requests } from './requests.ts';
import { Sweeper } from './sweeper.ts';
import { Turns } from './turns.ts';

export type RelayDeps = Omit<LedgerDeps, 'events'> & {
  readonly bus: Bus;
  readonly clock: Clock;
  readonly random: RandomBytes;
  readonly publish: Publish;
  readonly keys: Keys;
  readonly presence: Pick<Presence, 'label'>;
};

const REFUSED = {
  'not-found': { code: 'NOT_FOUND', detail: 'you have registered no such reed' },
  removed: { code: 'REMOVED', detail: 'this reed was removed' },
  incomplete: { code: 'CONFLICT', detail: 'register the record and every part of the thread, then name its head' },
} as const satisfies Record<PublishReason, object>;

export class Relay implements MemberFrames {
  readonly looks: Looks;
  readonly #deps: RelayDeps;
  readonly #requests: Requests;
  readonly #answers: Answers;
  readonly #acks: Acks;
  readonly #attendance: Attendance;
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
    this.#answers = new Answers({ bus, looks, refusals });
    this.#acks = new Acks({ bus, looks });
    this.#attendance = new Attendance({ ...deps, looks });
    this.#sweeper = new Sweeper({ db, clock, limits, bus, log, looks, left: async (member) => void (await this.left(member)) });
  }

  /** Nothing is under way. */
  get idle(): boolean {
    return this.looks.idle && this.#attendance.idle;
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
      case 'eviction':
        return this.#evict(from, frame);
      case 'keyEviction':
        return this.#evictKey(from, frame);
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

  /** The author's device can serve the reed now. An ERROR about it names the reed as its request id. */
  async #publishReady(from: Origin, { body }: FrameOf<'publishReady'>): Promise<void> {
    const reedId = parseReedId(body.reedId);
    if (!reedId) throw new AppError('INVALID', 'reed_id is no reed id');
    const { member } = from;
    const published = await this.#turns.run(member.userId, () => this.#deps.publish.publishReady(member, reedId, body.broadcast));
    if (!published.ok) return from.reply(errorNotice({ id: '', requestId: reedId, ...REFUSED[published.reason] }));
    from.reply({ id: '', type: 'publishReadyAck', body: { reedId } });
    this.looks.spread(member.userId, reedId);
  }

  async #sync(from: Origin, { body }: FrameOf<'syncRequest'>): Promise<void> {
    const { userId } = from.member;
    await this.#deps.presence.label(userId, this.#requests.ownId(from, body.requestId));
    this.looks.wakes.start(userId);
  }

  async #evict(from: Origin, { body }: FrameOf<'eviction'>): Promise<void> {
    const reedId = parseReedId(body.reedId);
    if (!reedId) throw new AppError('INVALID', 'reed_id is no reed id');
    const held = await this.looks.ledger.evict.submit({ holder: from.member.userId, reedId });
    from.reply({ id: '', type: 'evictionAck', body: { reedId } });
    if (held) this.looks.copyGone(reedId);
  }

  async #evictKey(from: Origin, { body }: FrameOf<'keyEviction'>): Promise<void> {
    const keyId = parseUserKeyId(body.keyId);
    if (!keyId) throw new AppError('INVALID', 'key_id is no key id');
    const { userId } = from.member;
    await this.#turns.run(userId, () => this.#deps.keys.evict(userId, keyId));
    from.reply({ id: '', type: 'keyEvictionAck', body: { keyId } });
  }
}
