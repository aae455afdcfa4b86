// A member's device as the protocol wants it, with opaque copies: it keeps, serves, acknowledges and forgets. By its mood it also answers late,
// never, or with a complaint. What it was told it believes: the server's word is what is tested.

import { cryptoRandom, uuidv7 } from '../../src/base/ids.ts';
import { type ReedId, type RequestId, type UserId, type UserKeyId, userOf } from '../../src/wire/address.ts';
import { canonicalBytes, statementHash } from '../../src/wire/canonical.ts';
import type { DeliveryType, Frame, FrameOf, InvalidReason } from '../../src/wire/frames.ts';
import type { Person } from '../support/people.ts';
import type { Post } from './owed-model.ts';
import type { Seat } from './stage.ts';

export type Delivery = FrameOf<DeliveryType>;
export type Notice = FrameOf<'reedRemoved' | 'threadRemoved' | 'accountRemoved' | 'keyRevoked'>;
type BlockNotice = FrameOf<'userBlocked'> | FrameOf<'userUnblocked'>;
type Ask = FrameOf<'relayRequest'> | FrameOf<'relayThread'>;

/** What it does with what it is asked for and given: at once, or when its mood is better. */
export type Mood = { readonly serves: boolean; readonly takes: 'now' | 'later' | InvalidReason };
export const HONEST: Mood = { serves: true, takes: 'now' };

export type DeviceDeps = {
  readonly now: () => number;
  readonly postOf: (id: string) => Post;
  /** Content, before anything is done about it. */
  readonly delivered: (device: Device, frame: Delivery) => void;
  readonly streamed: (device: Device, post: string) => void;
  /** The server says that it ended: a post, an account, a key. */
  readonly noticed: (device: Device, subject: string) => void;
  /** Whether it will want the post no more unless it asks for it. */
  readonly declines: (device: Device, post: ReedId, does: boolean) => void;
  readonly trace: (what: string) => void;
  readonly fault: (what: string) => void;
};

const FRAME_BYTES = 64;
const UTF8 = { in: new TextEncoder(), out: new TextDecoder() };

export class Device {
  person: Person;
  readonly #deps: DeviceDeps;
  /** Its connections, which are one device's, in the order of their sign-ins. */
  seats: readonly Seat[] = [];
  mood: Mood = HONEST;
  readonly copies = new Map<ReedId, 'unsettled' | 'held'>();
  /** Its own posts; false: not yet announced as ready, so far as it knows. */
  readonly own = new Map<ReedId, boolean>();
  readonly tombstones = new Set<ReedId>();
  /** Keys that it verifies with, and whether it knows that one ended. */
  readonly keys = new Map<UserKeyId, 'good' | 'ended'>();
  readonly departed = new Set<UserId>();
  /** Copies that it has deleted, until the server knows; and what it asks for until that is answered. */
  readonly evicting = new Set<ReedId>();
  readonly wanted = new Set<ReedId>();
  readonly blockers = new Map<UserId, { readonly active: boolean; readonly seq: number }>();
  /** Something was not answered as it should: only another sync brings it again. */
  mustSync = false;
  readonly #requests = new Map<string, ReedId>();
  readonly #acked = new Map<string, ReedId>();
  #later: (Ask | Delivery | Notice)[] = [];
  #sent = 0;

  constructor(person: Person, deps: DeviceDeps) {
    this.person = person;
    this.#deps = deps;
  }

  get id(): UserId {
    return this.person.user;
  }

  get seat(): Seat | null {
    return this.seats.at(-1) ?? null;
  }

  /** What it asked for and was never answered. */
  get unanswered(): ReedId[] {
    return [...this.wanted, ...this.#requests.values()];
  }

  /** Connected, as far as both sides know. */
  get isHere(): boolean {
    return this.seat?.open === true && !this.seat.deaf;
  }

  get isHonest(): boolean {
    return this.mood.serves && this.mood.takes === 'now';
  }

  /** It will want what it refuses no more. */
  get isDeclining(): boolean {
    return this.mood.takes === 'CLAIM_MISMATCH' || this.mood.takes === 'UNSOLICITED';
  }

  /** It has an unanswered delivery of the post, other than this one, that the server has not given up. */
  isPuttingOff(post: ReedId, eventId: string, sendings: number): boolean {
    const others = this.#later.filter((frame) => 'reedId' in frame.body && frame.body.reedId === post && 'ciphertext' in frame.body);
    return others.some(({ id }) => id !== eventId && others.filter((each) => each.id === id).length < sendings);
  }

  isAsking = (post: ReedId): boolean => [...this.#requests.values()].includes(post);

  /** What a device does on every new connection, and when it lacks something. */
  sync(): void {
    this.mustSync = false;
    this.#requests.clear();
    this.#send({ id: '', type: 'syncRequest', body: { requestId: this.#requestId() } });
    for (const post of this.evicting) this.#evicted(post);
    for (const [post, state] of this.copies) if (state === 'unsettled') this.#request(post);
    for (const post of this.wanted) if (!this.isAsking(post)) this.#request(post);
    for (const [post, isReady] of this.own) if (!isReady) this.ready(post);
  }

  /** The connections are gone, and with them what came through them. */
  left(): void {
    this.seats = [];
    this.#later = [];
    this.#acked.clear();
  }

  /** Deletes a copy, and says so until it is heard. */
  evict(post: ReedId): void {
    if (!this.isHere || this.copies.get(post) !== 'held' || this.isAsking(post)) return;
    this.copies.delete(post);
    this.evicting.add(post);
    this.#evicted(post);
  }

  /** All parts of a thread, the head last: that one's acknowledgement ends it. */
  #evicted(post: ReedId): void {
    for (const part of this.#deps.postOf(post).parts.toReversed()) this.#send({ id: '', type: 'eviction', body: { reedId: part } });
  }

  /** Asks for a post, and again after each sync, until that is answered. */
  ask(post: ReedId): void {
    if (!this.isHere || this.copies.has(post) || this.own.has(post) || this.evicting.has(post) || this.isAsking(post)) return;
    this.wanted.add(post);
    this.#request(post);
  }

  /** Has read a key to verify with. */
  knows(key: UserKeyId, isEnded: boolean): void {
    if (this.keys.get(key) !== 'ended') this.keys.set(key, isEnded ? 'ended' : 'good');
  }

  ready(post: ReedId): void {
    this.#send({ id: '', type: 'publishReady', body: { reedId: post, broadcast: this.#deps.postOf(post).broadcast } });
  }

  watch(what: string, on: boolean): void {
    const [kind, target = ''] = what.split(' ');
    const type = `${on ? 'subscribe' : 'unsubscribe'}${kind?.[0]?.toUpperCase()}${kind?.slice(1)}`;
    const body = { reed: { reedId: target }, profile: { userId: target }, pipe: { tag: target }, broadcast: {} }[kind as 'reed'];
    this.#send({ id: '', type, body } as Frame);
  }

  /** Does what was put off. */
  catchUp(): void {
    for (const frame of this.#later.splice(0)) {
      if (frame.type === 'relayRequest' || frame.type === 'relayThread') this.#serve(frame);
      else this.#take(frame, 'now');
    }
  }

  note(seat: Seat, frame: Frame): void {
    const isHeard = !seat.deaf && this.seats.includes(seat);
    this.#deps.trace(`${this.id} < ${summaryOf(frame)}${isHeard ? '' : ' in vain'}`);
    if (!isHeard) return;
    switch (frame.type) {
      case 'relayRequest':
      case 'relayThread':
        return void (this.mood.serves ? this.#serve(frame) : this.#later.push(frame));
      case 'dataResponse':
      case 'followReed':
      case 'pipeReed':
      case 'archiveReed':
      case 'reedReply':
      case 'mention':
        this.#deps.delivered(this, frame);
        return this.#take(frame, this.mood.takes);
      case 'reedRemoved':
      case 'threadRemoved':
      case 'accountRemoved':
      case 'keyRevoked':
        return this.#take(frame, this.mood.takes === 'later' ? 'later' : 'now');
      case 'userBlocked':
      case 'userUnblocked':
        return void seat.life.task(() => this.#blocked(frame));
      case 'broadcastReed':
        return this.#deps.streamed(this, frame.body.reedId);
      default:
        return this.#told(frame);
    }
  }

  #told(frame: Frame): void {
    switch (frame.type) {
      case 'settled':
        for (const { eventId, outcome } of frame.body.events) this.#settled(eventId, outcome === 'HELD');
        return;
      case 'requestAck':
        return this.#deps.declines(this, frame.body.reedId as ReedId, false);
      case 'evictionAck':
        if (!this.evicting.delete(frame.body.reedId as ReedId)) return;
        return this.#deps.declines(this, frame.body.reedId as ReedId, true);
      case 'publishReadyAck':
        return void this.own.set(frame.body.reedId as ReedId, true);
      case 'reedNotHeld':
      case 'reedNotFound':
        return this.#ended(frame.body.requestId);
      case 'error':
        if (frame.body.code === 'INTERNAL') this.#deps.fault(`${this.id} was told ${JSON.stringify(frame.body)}`);
        if (this.own.has(frame.body.requestId as ReedId)) this.own.delete(frame.body.requestId as ReedId);
        return this.#ended(frame.body.requestId);
    }
  }

  #serve({ id, type, body: { attempt, ...asked } }: Ask): void {
    const subject = (type === 'relayThread' ? (asked as { threadId: string }).threadId : (asked as { reedId: string }).reedId) as ReedId;
    // What is leaving is there until the server knows.
    if (this.own.has(subject) || this.copies.has(subject) || this.evicting.has(subject))
      return this.#send({ id, type: 'relayResponse', body: { attempt, ciphertext: UTF8.in.encode(subject) } });
    this.#send({ id, type: 'relayMiss', body: { attempt, missingReedId: '' } });
  }

  #take(frame: Delivery | Notice, how: Mood['takes']): void {
    if (how !== 'now') this.mustSync = true;
    if (how === 'later') return void this.#later.push(frame);
    if (!('ciphertext' in frame.body)) return this.#noticed(frame as Notice);
    const post = frame.body.reedId as ReedId;
    this.wanted.delete(post);
    // What comes again is kept.
    this.evicting.delete(post);
    if (UTF8.out.decode(frame.body.ciphertext) !== post) this.#deps.fault(`${this.id} was sent the content of another as ${post}`);
    if (how !== 'now') return this.#send({ id: frame.id, type: 'dataInvalid', body: { reason: how } });
    if (this.copies.get(post) !== 'held' || this.isAsking(post)) this.copies.set(post, 'unsettled');
    this.#acked.set(frame.id, post);
    this.#send({ id: frame.id, type: 'dataAck', body: {} });
  }

  #noticed(frame: Notice): void {
    const { statement } = certificateOf(frame);
    this.#ended(frame.body.requestId);
    const subject = (frame.type === 'keyRevoked' ? statement.key : (statement.id ?? statement.user)) as string;
    if (frame.type === 'keyRevoked') this.keys.set(subject as UserKeyId, 'ended');
    else if (statement.id === undefined) this.#departed(subject as UserId);
    else this.#removed(subject as ReedId);
    this.#deps.noticed(this, subject);
    if (frame.id !== '') this.#send({ id: frame.id, type: 'dataAck', body: {} });
  }

  #departed(user: UserId): void {
    this.departed.add(user);
    for (const post of this.#known()) if (userOf(post) === user) this.#forget(post);
  }

  #removed(post: ReedId): void {
    this.tombstones.add(post);
    this.#forget(post);
  }

  #known = (): Set<ReedId> => new Set([...this.copies.keys(), ...this.unanswered]);

  #forget(post: ReedId): void {
    this.copies.delete(post);
    this.wanted.delete(post);
    for (const [request, of] of this.#requests) if (of === post) this.#requests.delete(request);
  }

  async #blocked(frame: BlockNotice): Promise<void> {
    const { countersignature, statement } = certificateOf(frame);
    const { seq } = countersignature.statement;
    const blocker = statement.user as UserId;
    this.#ended(frame.body.requestId);
    if (statement.target !== this.id) return;
    if ((this.blockers.get(blocker)?.seq ?? 0) < seq) {
      this.blockers.set(blocker, { active: frame.type === 'userBlocked', seq });
      // Of a block that was lifted before this device heard of it, the server keeps what it took.
      for (const post of this.#known()) if (userOf(post) === blocker) this.#forget(post);
    }
    const bytes = canonicalBytes(countersignature.statement);
    if (!bytes.ok) throw new Error(bytes.reason);
    const body = { userId: blocker, countersignatureHash: await statementHash(bytes.value) };
    this.#send({ id: '', type: `${frame.type}Ack`, body });
  }

  #settled(eventId: string, isHeld: boolean): void {
    const post = this.#acked.get(eventId);
    this.#acked.delete(eventId);
    if (post === undefined || !isHeld || !this.copies.has(post)) return;
    this.copies.set(post, 'held');
    for (const [request, of] of this.#requests) if (of === post) this.#requests.delete(request);
  }

  /** A request has ended without content: a copy that it was to confirm is none. */
  #ended(requestId: string): void {
    const post = this.#requests.get(requestId);
    if (post === undefined) return;
    this.#requests.delete(requestId);
    this.wanted.delete(post);
    if (this.copies.get(post) === 'unsettled') this.copies.delete(post);
  }

  #request(post: ReedId): void {
    const { author, parts } = this.#deps.postOf(post);
    const requestId = this.#requestId();
    this.#requests.set(requestId, post);
    if (parts.length > 1) this.#send({ id: '', type: 'requestThread', body: { requestId, threadId: post } });
    else this.#send({ id: '', type: 'requestReed', body: { requestId, reedId: post, authorId: author } });
  }

  #requestId = (): RequestId => `${this.id}/${uuidv7(this.#deps.now(), cryptoRandom)}` as RequestId;

  #send(frame: Frame): void {
    if (!this.isHere) return;
    this.#deps.trace(`${this.id} > ${summaryOf(frame)}`);
    // What it answers counts from any of its connections; the rest has an order.
    const isAnswer =
      frame.type === 'dataAck' || frame.type === 'dataInvalid' || frame.type === 'relayResponse' || frame.type === 'relayMiss';
    const open = this.seats.filter((seat) => seat.open);
    (isAnswer ? open[this.#sent++ % open.length] : this.seat)?.inbox.push(frame, FRAME_BYTES);
  }
}

type ReadCertificate = {
  readonly statement: { readonly id?: string; readonly user?: string; readonly key?: string; readonly target?: string };
  readonly countersignature: { readonly statement: { readonly seq: number } & Record<string, unknown> };
};
const certificateOf = ({ body }: Notice | BlockNotice): ReadCertificate => JSON.parse(UTF8.out.decode(body.certificate)) as ReadCertificate;

/** A frame in a line of a failure's report. */
const summaryOf = ({ body, id, type }: Frame): string => {
  const { reedId, threadId, reason, code, state } = body as Readonly<Record<string, unknown>>;
  return [type, id.slice(-4), reedId ?? threadId ?? '', reason ?? code ?? state ?? ''].filter((each) => each !== '').join(' ');
};
