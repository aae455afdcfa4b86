// The fold as the asked server: a peer's request becomes an event of its sentinel, a holder's copy is passed on, and the peer's ack, cancel or list
// ends it. A ciphertext is held for one hop of a few seconds and never written down.
import type { Logger } from 'pino';
import { type Clock, pause } from '../base/clock.ts';
import { AppError } from '../base/errors.ts';
import { type RandomBytes, uuidv7 } from '../base/ids.ts';
import type { Database } from '../db/pool.ts';
import type { LedgerContext } from '../ledger/context.ts';
import { holderSaid } from '../ledger/fold-peers.ts';
import {
  acknowledgeForeign,
  cancelForeign,
  compareForeign,
  type ForeignEnded,
  type ForeignOpened,
  type Forwarding,
  type ForwardOutcome,
  forwarded,
  forwardingOf,
  isThere,
  openForeign,
  oweNotHeld,
} from '../ledger/foreign.ts';
import { supersedeForeign } from '../ledger/foreign-slots.ts';
import type { SubjectKind } from '../ledger/state.ts';
import { sentinelOf, sentinelsArrive } from '../presence/sentinels.ts';
import type { Looks } from '../relay/looks.ts';
import { Refusals } from '../relay/refusals.ts';
import { type ServerId, serverOf, type UserId, userOf } from '../wire/address.ts';
import {
  decodeFoldCrossings,
  decodeFoldRequest,
  decodeFoldWord,
  decodeHolderWord,
  encodeFoldCrossings,
  encodeFoldDelivery,
  encodeFoldRequestAnswer,
  type FoldRequest,
} from '../wire/fold.ts';
import { BytesHeld } from './bytes-held.ts';
import type { FoldAnswer, FoldCalls, FoldReply, RequesterKeys } from './fold-ports.ts';
import { afterDelivery } from './fold-rules.ts';
import { patiently } from './patience.ts';
import type { AskForChain } from './stream-ports.ts';

export type FoldHomeDeps = LedgerContext & {
  readonly application: Database;
  readonly clock: Clock;
  readonly log: Logger;
  readonly random: RandomBytes;
  readonly home: ServerId;
  readonly calls: FoldCalls;
  readonly keys: RequesterKeys;
  readonly askForChain: AskForChain;
  readonly looks: () => Looks;
  readonly isLive: (server: ServerId) => boolean;
  /** What a call came to, for whoever judges the peer. */
  readonly noted: (server: ServerId, answer: FoldAnswer) => void;
  /** Tells peers what they are owed. */
  readonly owing: () => Promise<void>;
  /** An event of a peer that itself crossed from a third server moved on. */
  readonly moved: (eventId: string, reason: 'acked' | 'gone' | null) => void;
};

type Passing = {
  readonly ciphertext: Uint8Array;
  readonly isOnce: boolean;
  /** When it is dropped; milliseconds of the monotonic clock. */
  readonly endMs: number;
  readonly signal: AbortSignal;
};
/** Why the passing on of a copy ends early: its peer has had it, or wants it no more. */
const SUPERSEDED = Symbol('superseded');

/** In which a copy is held while it is passed on: as its holder sent it, and in the request. */
const FORMS = 2;

type Forward = { readonly abort: AbortController; readonly done: Promise<unknown> };

/** A peer names its requests as it likes, also as another one names its own. */
const nameOf = (peer: ServerId, peerRequestId: string): string => `${peer} ${peerRequestId}`;
const malformed = () => new AppError('BAD_REQUEST', 'the body can not be read');
const isBusy = ({ outcome }: ForeignEnded): boolean => outcome === 'busy';
const busy = () => new AppError('UNAVAILABLE', 'it is being changed at this moment', { retryAfterMs: 1_000 });

const STATUS = {
  cancelled: 410,
  'not-found': 404,
  removed: 404,
  blocked: 403,
  'not-held': 409,
  'nobody-online': 425,
  stale: 503,
} as const;

export class FoldHome {
  readonly #deps: FoldHomeDeps;
  readonly #refusals: Refusals;
  readonly #held: BytesHeld;
  /** Copies that are on their way, by the peer and its name for their requests. */
  readonly #forwards = new Map<string, Forward>();

  constructor(deps: FoldHomeDeps) {
    this.#deps = deps;
    this.#refusals = new Refusals(deps.application);
    this.#held = new BytesHeld({ all: deps.limits.forwardBytes, perPeer: deps.limits.forwardBytesPerPeer });
  }

  async request(peer: ServerId, body: Uint8Array): Promise<FoldReply> {
    const request = decodeFoldRequest(body);
    if (request === null) throw malformed();
    if (serverOf(request.requesterId) !== peer) throw new AppError('BAD_REQUEST', 'requester_id is no member of yours');
    if (serverOf(request.reedId) !== this.#deps.home) return { status: 404 };
    return this.#open(peer, request, false);
  }

  async fallback(peer: ServerId, body: Uint8Array): Promise<FoldReply> {
    const request = decodeFoldRequest(body);
    if (request === null) throw malformed();
    const { home, isLive } = this.#deps;
    if (serverOf(request.reedId) !== peer) throw new AppError('BAD_REQUEST', 'reed_id is none of yours');
    const of = serverOf(request.requesterId);
    if (of === home || (of !== peer && !isLive(of))) return { status: 422 };
    return this.#open(peer, request, true);
  }

  async #open(peer: ServerId, request: FoldRequest, isFallback: boolean): Promise<FoldReply> {
    // Nothing is kept of who asks for what is not there.
    if (!(await isThere(this.#deps.db, request.reedId, isFallback)))
      return { status: isFallback ? STATUS['not-held'] : STATUS['not-found'] };
    if (!(await this.#isRequesters(peer, request)))
      throw new AppError('BAD_REQUEST', 'key_chain does not prove that key to be the requester’s');
    const opened = await this.#tried(peer, request, isFallback);
    switch (opened.verdict) {
      case 'opened':
        this.#deps.looks().assign('due');
        return { status: 200, body: encodeFoldRequestAnswer(opened.onlineHolders) };
      case 'stale':
        // A late repeat; or its sender forgot what is named, and minted ids by a clock that was set back since.
        return { status: STATUS.stale, body: encodeFoldRequestAnswer(0, undefined, opened.takenBy ?? '') };
      case 'locked':
      case 'taken':
      case 'no-peer':
        throw busy();
      case 'full':
        // Not RATE_LIMITED, which is about calls: others of this peer's, such as its cancels, are still taken.
        throw new AppError('TOO_MANY_OPEN', 'as many events as a peer may have', { retryAfterMs: 5_000 });
      case 'blocked':
        return { status: STATUS.blocked, body: encodeFoldRequestAnswer(0, await this.#block(request)) };
      default:
        return { status: STATUS[opened.verdict] };
    }
  }

  /** Whether the key is the requester's. A chain that is too long for a request is asked for at the requester's home. */
  async #isRequesters(peer: ServerId, { keyChain, requesterId, requesterKeyId }: FoldRequest): Promise<boolean> {
    const { askForChain, keys } = this.#deps;
    if (await keys.accept(requesterId, requesterKeyId, { chain: keyChain, by: peer })) return true;
    if (keyChain.length > 0) return false;
    const asked = await askForChain(requesterKeyId);
    if (asked === null) throw busy();
    return keys.accept(requesterId, requesterKeyId, { chain: asked, by: peer });
  }

  async #tried(peer: ServerId, request: FoldRequest, isFallback: boolean): Promise<ForeignOpened> {
    const { application, clock, isLive, random } = this.#deps;
    const now = clock.now();
    const kind: SubjectKind = request.isThread ? 'thread' : 'reed';
    const item = {
      ...{ eventId: uuidv7(now, random), server: peer, peerRequestId: request.peerRequestId, userId: request.requesterId, isFallback },
      ...{ keyId: request.requesterKeyId, kind, subject: request.reedId, slot: request.slot },
    };
    const open = () => openForeign(this.#deps, item, now);
    return patiently(
      this.#deps,
      async () => {
        const opened = await open();
        if (opened.verdict === 'no-peer' && isLive(peer)) await sentinelsArrive(application.kysely, [peer]);
        else if (opened.verdict === 'taken' && opened.takenBy !== null) await this.#supersede(peer, opened.takenBy);
        else return opened;
        return open();
      },
      ({ verdict }) => verdict === 'locked' || verdict === 'taken',
    );
  }

  /** What had the slot of a new request is over for its peer: no copy for it is on the wire once this is through, unless another replica sends it. */
  async #supersede(peer: ServerId, peerRequestId: string): Promise<void> {
    await this.#endForward(peer, peerRequestId, SUPERSEDED);
    const { clock, looks, moved } = this.#deps;
    const { eventId, freed, mayHaveCome, owner } = await supersedeForeign(this.#deps, { server: peer, peerRequestId }, clock.now());
    if (freed !== null) looks().freed(freed, owner);
    if (eventId !== null) moved(eventId, mayHaveCome ? null : 'gone');
  }

  /** Nothing is passed on to a peer any more by this replica. */
  async endForwards(peer: ServerId): Promise<void> {
    const own = [...this.#forwards].flatMap(([name, forward]) => (name.startsWith(nameOf(peer, '')) ? [forward] : []));
    for (const { abort } of own) abort.abort();
    await Promise.allSettled(own.map(({ done }) => done));
  }

  async #endForward(peer: ServerId, peerRequestId: string, why?: symbol): Promise<void> {
    const forward = this.#forwards.get(nameOf(peer, peerRequestId));
    forward?.abort.abort(why);
    await forward?.done.catch(() => undefined);
  }

  async #block(request: FoldRequest): Promise<object | undefined> {
    return (await this.#refusals.blockCertificate(userOf(request.reedId), request.requesterId)) ?? undefined;
  }

  /** Passes a holder's copy on, in the time that is given to it; then it is dropped. So is one of a peer that has not taken those before it. */
  async forward(eventId: string, ciphertext: Uint8Array, isOnce = false): Promise<ForwardOutcome> {
    const { clock, limits, looks } = this.#deps;
    const to = await forwardingOf(this.#deps, eventId);
    if (to === null) return 'gone';
    // However late this is: once others may take it for dropped, its peer's slot may be given to something else.
    const leftMs = to.dueAt.getTime() - limits.forwardAgainMs - clock.now();
    const endMs = clock.monotonicMs() + Math.min(leftMs, isOnce ? limits.fallbackForwardMs : limits.forwardMs);
    const held = this.#held.take(to.server, FORMS * ciphertext.length);
    try {
      if (held !== null) return await this.#onItsWay(eventId, to, { ciphertext, isOnce, endMs });
      if (!isOnce) await forwarded(this.#deps, { eventId, relays: to.relays, outcome: 'failed' }, clock.now());
      return 'failed';
    } finally {
      held?.release();
      looks().placeFreed(sentinelOf(to.server));
    }
  }

  async #onItsWay(eventId: string, to: Forwarding, of: Omit<Passing, 'signal'>): Promise<ForwardOutcome> {
    const abort = new AbortController();
    const passing = this.#pass(eventId, to, { ...of, signal: abort.signal });
    const forward = { abort, done: passing };
    const name = nameOf(to.server, to.peerRequestId);
    this.#forwards.set(name, forward);
    try {
      return await passing;
    } finally {
      if (this.#forwards.get(name) === forward) this.#forwards.delete(name);
    }
  }

  async #pass(eventId: string, to: Forwarding, of: Passing): Promise<ForwardOutcome> {
    const { clock } = this.#deps;
    const body = encodeFoldDelivery({ peerRequestId: to.peerRequestId, ciphertext: of.ciphertext, threadRecord: to.record });
    const outcome = await this.#send(to.server, { body, endMs: of.endMs, isOnce: of.isOnce }, of.signal);
    // Of what came over a border itself whoever sent it is told, and tries again.
    if (!of.isOnce || outcome !== 'failed') await forwarded(this.#deps, { eventId, relays: to.relays, outcome }, clock.now());
    return outcome;
  }

  async #send(
    server: ServerId,
    of: Pick<Passing, 'endMs' | 'isOnce'> & { readonly body: Uint8Array },
    signal: AbortSignal,
  ): Promise<ForwardOutcome> {
    const { calls, clock, limits, noted } = this.#deps;
    for (let tries = of.isOnce ? 2 : 1; ; tries++) {
      const timeoutMs = of.endMs - clock.monotonicMs();
      if (timeoutMs <= 0) return 'failed';
      const answer = await calls.call(server, 'deliver', of.body, { timeoutMs, signal });
      // Of one whose peer uses its slot for something else its ack may be on its way, or here.
      if (signal.aborted) return signal.reason === SUPERSEDED ? 'relayed' : 'failed';
      const [leftMs, waitMs] = [of.endMs - clock.monotonicMs(), answer.retryAfterMs ?? 0];
      const next = afterDelivery(answer, { leftMs, tries }, limits);
      if (next === 'again' && waitMs < leftMs) {
        await pause(clock, waitMs, signal).catch(() => undefined);
        continue;
      }
      noted(server, answer);
      return next === 'again' ? 'failed' : next;
    }
  }

  async ack(peer: ServerId, body: Uint8Array): Promise<FoldReply> {
    const word = decodeFoldWord(body);
    if (word === null) throw malformed();
    // It may well come before we have noted that the copy was taken, which is sent no second time then: its slot is another's already.
    await this.#endForward(peer, word.peerRequestId, SUPERSEDED);
    const ack = () => acknowledgeForeign(this.#deps, peer, word.peerRequestId, this.#deps.clock.now());
    return this.#ended(await patiently(this.#deps, ack, isBusy), 'acked');
  }

  async cancel(peer: ServerId, body: Uint8Array): Promise<FoldReply> {
    const word = decodeFoldWord(body);
    if (word === null) throw malformed();
    // The answer says that its copy is on the wire no more.
    await this.#endForward(peer, word.peerRequestId);
    const of = { server: peer, peerRequestId: word.peerRequestId, isInvalid: word.reason === 'invalid' };
    const cancel = () => cancelForeign(this.#deps, of, this.#deps.clock.now());
    return this.#ended(await patiently(this.#deps, cancel, isBusy), 'gone');
  }

  #ended(ended: ForeignEnded, reason: 'acked' | 'gone'): FoldReply {
    if (ended.outcome === 'busy') throw busy();
    if (ended.outcome === 'unknown') return { status: 404 };
    const { looks, moved } = this.#deps;
    if (ended.freed !== null) looks().freed(ended.freed, ended.owner);
    if (ended.eventId !== null) moved(ended.eventId, reason);
    return { status: 204 };
  }

  async crossings(peer: ServerId, body: Uint8Array): Promise<FoldReply> {
    const open = decodeFoldCrossings(body);
    if (open === null) throw malformed();
    const { clock, limits } = this.#deps;
    for (;;) {
      const { ended, unknown } = await compareForeign(this.#deps, peer, open, clock.now());
      this.#freed(ended);
      if (ended.length < limits.batchItems) return { status: 200, body: encodeFoldCrossings(unknown) };
    }
  }

  #freed(events: readonly { readonly eventId: string; readonly freed: UserId | null; readonly owner: string | null }[]): void {
    for (const { eventId, freed, owner } of events) {
      if (freed !== null) this.#deps.looks().freed(freed, owner);
      this.#deps.moved(eventId, 'gone');
    }
  }

  async holderNotify(peer: ServerId, body: Uint8Array): Promise<FoldReply> {
    const word = decodeHolderWord(body);
    if (word === null) throw malformed();
    return { status: (await holderSaid(this.#deps.db, { server: peer, ...word })) ? 204 : 404 };
  }

  /** Peers' events ended since nobody has their subject any more. */
  async notHeld(eventIds: readonly string[]): Promise<void> {
    await oweNotHeld(this.#deps, eventIds, this.#deps.clock.now());
    await this.#deps.owing();
  }
}
