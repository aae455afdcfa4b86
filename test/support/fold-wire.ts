// The way between two servers, in the process: calls and answers can be lost, repeated, delayed and reordered, and the copies on it are counted
// here, not by the servers.

import { ERROR_CODES } from '../../src/base/codes.ts';
import { AppError } from '../../src/base/errors.ts';
import type { FoldLeg } from '../../src/federation/fold-ports.ts';
import type { Called, Leg, PeerCalls } from '../../src/federation/stream-ports.ts';
import { CopyCount } from '../../src/ops/demo/copy-count.ts';
import type { ReedId, ServerId, UserId } from '../../src/wire/address.ts';
import { decodeFoldDelivery, decodeFoldRequest } from '../../src/wire/fold.ts';

export type WireCall = { readonly from: ServerId; readonly to: ServerId; readonly leg: FoldLeg; readonly body: Uint8Array };

/** What becomes of a call. hold, hold-answer: until `release`. repeat: it comes twice at once; repeat-late: once more at `release`. */
export type Fate = 'pass' | 'lose-request' | 'lose-answer' | 'repeat' | 'repeat-late' | 'hold' | 'hold-answer';

/** A copy on its way: for which crossing, to which server, for whom. */
export type Flight = {
  readonly crossing: string;
  readonly to: ServerId;
  readonly reed: ReedId;
  readonly requester: UserId;
  /** Whoever it goes to has begun to take it. */
  hasArrived: boolean;
};

/** A call that is under way: of whom it is left when its caller gives it up, and whether that has happened. */
type UnderWay = {
  readonly call: WireCall;
  readonly startedAt: number;
  readonly flight: Flight | null;
  readonly cut: PromiseWithResolvers<Called>;
  isGivenUp: boolean;
  /** Whatever was to become of it: it goes its way. */
  isLetGo: boolean;
};

const LEGS: ReadonlySet<string> = new Set<FoldLeg>([
  ...(['request', 'fallback', 'deliver', 'not-held', 'cancel', 'ack', 'crossings', 'holder-notify'] as const),
]);
const isOfFold = (leg: string): leg is FoldLeg => LEGS.has(leg);

export class Wire {
  /** Decides what becomes of each call; may take its time. */
  fate: (call: WireCall) => Fate | Promise<Fate> = () => 'pass';
  /** Every call that was made, in order. */
  readonly calls: WireCall[] = [];
  readonly copies = new CopyCount();
  readonly #handlers = new Map<ServerId, ReadonlyMap<string, Leg>>();
  readonly #epochs = new Map<ServerId, string>();
  readonly #held: (() => void)[] = [];
  readonly #underWay = new Set<UnderWay>();
  /** By crossing. */
  readonly #asked = new Map<string, { readonly by: ServerId; readonly reed: ReedId; readonly requester: UserId }>();
  readonly #forgotten = new Set<string>();
  /** The most copies of one reed that were on their way to one server at once. */
  mostToOne = 0;
  /** By which calls get old. */
  now: () => number = () => 0;
  /** How long a server that says "again in so long" is waited for. */
  retryAfter: (ms: number) => number = (ms) => ms;

  attach(server: ServerId, legs: ReadonlyMap<string, Leg>, epoch = ''): void {
    this.#handlers.set(server, legs);
    this.#epochs.set(server, epoch);
  }

  /** The server is not there. */
  detach(server: ServerId): void {
    this.#handlers.delete(server);
  }

  /** The calls of a server whose id is known by the time that it calls. */
  callsOf(from: () => ServerId): PeerCalls {
    return {
      call: async (to, leg, body, options) =>
        isOfFold(leg) ? this.#call({ from: from(), to, leg, body }, options?.signal) : { kind: 'held', untilMs: null },
    };
  }

  /** The legs that were called, in order, but for the regular comparing of lists. */
  get legs(): FoldLeg[] {
    return this.calls.flatMap(({ leg }) => (leg === 'crossings' ? [] : [leg]));
  }

  count(leg: FoldLeg): number {
    return this.calls.filter((call) => call.leg === leg).length;
  }

  /** Lets all held calls go on, the last one first. */
  release(): void {
    for (const go of this.#held.splice(0).reverse()) go();
  }

  /** Nothing is lost or held any more, of calls that are under way neither: an answer may be about to be held. */
  mend(): void {
    this.fate = () => 'pass';
    for (const each of this.#underWay) each.isLetGo = true;
    this.release();
  }

  /** The most copies of one reed that there ever were at once; those that arrived, by reed; and who was sent them. */
  get mostCopies(): number {
    return this.copies.most;
  }
  get taken(): ReadonlyMap<ReedId, ReadonlySet<string>> {
    return this.copies.taken;
  }
  takers(reed: ReedId): UserId[] {
    return this.copies.takers(reed);
  }

  get held(): number {
    return this.#held.length;
  }

  /** Lets the call go on that was held first, or last. */
  releaseOne(which: 'first' | 'last'): void {
    (which === 'first' ? this.#held.shift() : this.#held.pop())?.();
  }

  /** The copies that are on their way, those that left first before others. */
  get flights(): Flight[] {
    return [...this.#underWay].flatMap(({ flight }) => flight ?? []);
  }

  /** Callers give up what they made so long ago. Of it a copy is lost; a word may still come. */
  expire(afterMs: number): void {
    this.#cut(({ startedAt }) => this.now() - startedAt >= afterMs, 'timeout');
  }

  /** The connections of a server end with it; `forgets`: and it knows nothing any more of what it asked for, which is still sent, and counts. */
  cutOff(server: ServerId, forgets: boolean): void {
    this.#cut(({ call }) => call.from === server || call.to === server, 'unreachable');
    if (forgets) for (const [crossing, { by }] of this.#asked) if (by === server) this.#forgotten.add(crossing);
  }

  /** Whether whoever asked for it knows nothing of it any more. */
  isForgotten(crossing: string): boolean {
    return this.#forgotten.has(crossing);
  }

  #cut(isCut: (each: UnderWay) => boolean, reason: string): void {
    for (const each of [...this.#underWay].filter(isCut)) {
      each.isGivenUp = true;
      each.cut.resolve({ kind: 'transport', reason });
    }
  }

  async #call(call: WireCall, signal?: AbortSignal): Promise<Called> {
    this.calls.push(call);
    const request = call.leg === 'request' || call.leg === 'fallback' ? decodeFoldRequest(call.body) : null;
    if (request !== null) this.copies.asked(request);
    const delivery = call.leg === 'deliver' ? decodeFoldDelivery(call.body) : null;
    const copy = delivery && this.copies.carried(delivery.peerRequestId);
    if (request !== null) this.#asked.set(request.peerRequestId, { by: call.from, reed: request.reedId, requester: request.requesterId });
    const cut = Promise.withResolvers<Called>();
    const flight = delivery && this.#flightOf(delivery.peerRequestId, call.to);
    const each: UnderWay = { call, startedAt: this.now(), flight, cut, isGivenUp: false, isLetGo: false };
    this.#underWay.add(each);
    this.#count(flight);
    const answered = this.#pass(each).then((answer) => {
      if (answer.kind === 'answer' && answer.status === 204) copy?.taken();
      return answer;
    });
    try {
      return await Promise.race([answered, cut.promise, ...(signal === undefined ? [] : [aborted(signal)])]);
    } finally {
      copy?.ended();
      each.isGivenUp = true;
      this.#underWay.delete(each);
    }
  }

  /** @returns null: nobody was seen to ask for it */
  #flightOf(crossing: string, to: ServerId): Flight | null {
    const asked = this.#asked.get(crossing);
    return asked === undefined || asked.by !== to
      ? null
      : { crossing, to, reed: asked.reed, requester: asked.requester, hasArrived: false };
  }

  #count(flight: Flight | null): void {
    if (flight === null) return;
    const beside = this.flights.filter(({ reed, to }) => reed === flight.reed && to === flight.to);
    this.mostToOne = Math.max(this.mostToOne, beside.length);
  }

  async #pass(each: UnderWay): Promise<Called> {
    const { call, flight } = each;
    // Nor does a server that is not there call anybody.
    if (!this.#handlers.has(call.from)) return { kind: 'transport', reason: 'closed' };
    const fate = await this.fate(call);
    if (fate === 'hold') await this.#hold(each);
    if (fate === 'lose-request' || (each.isGivenUp && call.leg === 'deliver')) return { kind: 'transport', reason: 'lost' };
    if (flight !== null) flight.hasArrived = true;
    const first = this.#handle(call);
    if (fate === 'repeat-late') void this.#hold(each).then(() => this.#handle(call));
    const [answer] = fate === 'repeat' ? await Promise.all([first, this.#handle(call)]) : [await first];
    if (fate === 'hold-answer') await this.#hold(each);
    return fate === 'lose-answer' ? { kind: 'transport', reason: 'lost' } : answer;
  }

  #hold({ isLetGo }: UnderWay): Promise<void> {
    return isLetGo ? Promise.resolve() : new Promise((go) => this.#held.push(go));
  }

  async #handle({ body, from, leg: name, to }: WireCall): Promise<Called> {
    const leg = this.#handlers.get(to)?.get(name);
    if (leg === undefined) return { kind: 'transport', reason: 'refused' };
    const epoch = this.#epochs.get(to) ?? '';
    try {
      const { status, body: answer = new Uint8Array(0) } = await leg.handle(from, body);
      return { kind: 'answer', status, body: answer, epoch };
    } catch (error) {
      if (!(error instanceof AppError)) return { kind: 'answer', status: 500, body: new Uint8Array(0), epoch };
      const { httpStatus } = ERROR_CODES[error.code];
      return {
        kind: 'answer',
        status: httpStatus,
        body: new Uint8Array(0),
        epoch,
        refusal: { retryAfterMs: this.retryAfter(error.retryAfterMs ?? 0) },
      };
    }
  }
}

const aborted = (signal: AbortSignal): Promise<Called> =>
  new Promise((resolve) => {
    const end = () => resolve({ kind: 'transport', reason: 'closed' });
    if (signal.aborted) end();
    else signal.addEventListener('abort', end, { once: true });
  });
