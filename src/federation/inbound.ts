// Requests of other servers: who calls is proven before anything is kept or a body is read, and every answer to a known caller is signed,
// refusals too. Who is not known learns nothing. Order: fields, peer, signature, clock, state, budget, nonce, body, leg.
import type { Logger } from 'pino';
import type { Clock } from '../base/clock.ts';
import { ERROR_CODES, type ErrorCode } from '../base/codes.ts';
import { AppError } from '../base/errors.ts';
import type { Limits } from '../base/limits.ts';
import { type AnswerEnvelope, encodeAnswer } from '../wire/federation.ts';
import { type Pieces, SignedBody } from './body.ts';
import type { PeerBudgets, Turn } from './budget.ts';
import type { Introduced, Introduction, Introductions, KnownPeer, Leg, LegAnswer, Legs, Peers } from './legs.ts';
import type { Nonces } from './nonces.ts';
import { isSignedRequest, signAnswer, type TransportSigner } from './signature.ts';
import { type Fields, type RequestForm, readRequestForm } from './signature-form.ts';

export type InboundDeps = {
  readonly clock: Clock;
  readonly limits: Limits;
  readonly log: Logger;
  readonly peers: Peers;
  readonly legs: Legs;
  readonly introductions: Introductions;
  readonly nonces: Pick<Nonces, 'take'>;
  readonly budgets: PeerBudgets;
  readonly signer: () => TransportSigner;
  /** Our own origin, under which requests are signed. */
  readonly publicUrl: () => string;
  /** Of our ledger; empty while it is not known. */
  readonly epoch: () => string;
};

export type InboundCall = {
  readonly leg: string;
  /** The request's target as it came. */
  readonly target: string;
  readonly fields: Fields;
  readonly body: Pieces;
  /** Counts a caller who is not known. @throws AppError RATE_LIMITED */
  readonly countStranger: () => void;
};

export type InboundAnswer =
  | {
      readonly kind: 'signed';
      readonly status: number;
      readonly fields: Readonly<Record<string, string>>;
      readonly body: Uint8Array;
      readonly isRead: boolean;
    }
  /** Without a signature, and without a word of why. */
  | { readonly kind: 'stranger'; readonly code: ErrorCode };

/** A request whose sender has proven who it is. */
type Known = { readonly form: RequestForm; readonly body: SignedBody };
type Outcome = { readonly status: number; readonly envelope: Omit<AnswerEnvelope, 'epoch'>; readonly retryAfterMs: number };

const EMPTY = new Uint8Array(0);
/** Statuses of what a peer that does as it should never sends. */
const FAULTS: ReadonlySet<number> = new Set([400, 413, 422]);
const NO_CONTENT = 204;
const OK = 200;
/** What an envelope adds to the body of an answer at most. */
const ENVELOPE_BYTES = 1_024;

const stranger = (code: ErrorCode): InboundAnswer => ({ kind: 'stranger', code });

export class Inbound {
  readonly #deps: InboundDeps;
  #introducing = 0;

  constructor(deps: InboundDeps) {
    this.#deps = deps;
  }

  /** Answers one request. @throws AppError where not even a caller that is known could be told apart: the database is away */
  async answer(call: InboundCall): Promise<InboundAnswer> {
    const { budgets, legs, introductions, limits, peers } = this.#deps;
    const form = readRequestForm(call.fields, limits.peerSignatureMs);
    if (!form.ok) return this.#unknown(call);
    const known = { form: form.value, body: new SignedBody(call.body) };
    const introduction = introductions.get(call.leg);
    if (introduction !== undefined) return this.#introduce(call, known, introduction);
    const peer = await peers.find(form.value.server, form.value.kid);
    if (peer === null || !isSignedRequest(form.value, this.#uri(call), peer.keys)) return this.#unknown(call);
    const leg = legs.get(call.leg);
    const outcome = await this.#outcome(() => this.#judge(known, peer, leg));
    // As far as a taken one could send, so that it reads its answer; counted like what is taken, and not beyond that.
    if (!known.body.isRead && leg !== undefined && budgets.mayRead(peer.id)) {
      await known.body.drain(leg.limitBytes, (bytes) => budgets.spend(peer.id, bytes));
    }
    return this.#signed(known, outcome);
  }

  #uri({ target }: InboundCall): string {
    return `${this.#deps.publicUrl()}${target}`;
  }

  #unknown(call: InboundCall, code: ErrorCode = 'FORBIDDEN'): InboundAnswer {
    call.countStranger();
    return stranger(code);
  }

  /** Everything after the signature, in its order. @throws AppError */
  async #judge(known: Known, peer: KnownPeer, leg: Leg | undefined): Promise<LegAnswer> {
    this.#checkClock(known.form);
    if (!peer.isLive && leg?.beforeLive !== true) throw new AppError('FORBIDDEN', 'this peering is not live');
    // Not 404, which is a leg's own word.
    if (leg === undefined) throw new AppError('UNIMPLEMENTED', 'there is no such leg here');
    const turn = this.#deps.budgets.enter(peer.id);
    if ('waitMs' in turn) throw new AppError('RATE_LIMITED', 'too much at once', { retryAfterMs: turn.waitMs });
    try {
      return await this.#take(known, leg, turn);
    } finally {
      turn.leave();
    }
  }

  async #take(known: Known, leg: Leg, turn: Turn): Promise<LegAnswer> {
    const { form, body } = known;
    await this.#takeNonce(form);
    try {
      const bytes = await body.read({ limitBytes: leg.limitBytes, digest: form.digest, spend: turn.spend });
      const answer = await leg.handle(form.server, bytes);
      turn.spend(answer.body?.length ?? 0);
      return answer;
    } catch (error) {
      // To find out that something does not hold costs more than its bytes.
      if (error instanceof AppError && FAULTS.has(ERROR_CODES[error.code].httpStatus)) turn.spend(this.#deps.limits.peerFaultBytes);
      throw error;
    }
  }

  async #introduce(call: InboundCall, known: Known, introduction: Introduction): Promise<InboundAnswer> {
    const { form, body } = known;
    call.countStranger();
    try {
      // Read outside of the few places: who sends slowly keeps nobody else from being heard.
      const bytes = await body.read({ limitBytes: introduction.limitBytes, digest: form.digest, spend: () => undefined });
      return await this.#hear(call, known, () => introduction.introduce(bytes));
    } catch (error) {
      if (error instanceof AppError && ERROR_CODES[error.code].httpStatus < 500) return stranger('NOT_FOUND');
      throw error;
    }
  }

  /** A few at once, since each proof costs signatures. */
  async #hear(call: InboundCall, known: Known, introduce: () => Promise<Introduced | null>): Promise<InboundAnswer> {
    const { form } = known;
    if (this.#introducing >= this.#deps.limits.introductionsAtOnce) return stranger('RATE_LIMITED');
    this.#introducing += 1;
    try {
      const introduced = await introduce();
      if (introduced === null) return stranger('NOT_FOUND');
      if (introduced.server !== form.server || !isSignedRequest(form, this.#uri(call), introduced.keys)) return stranger('BAD_REQUEST');
      const outcome = await this.#outcome(async () => {
        this.#checkClock(form);
        await this.#takeNonce(form);
        return introduced.handle();
      });
      return this.#signed(known, outcome);
    } finally {
      this.#introducing -= 1;
    }
  }

  #checkClock({ created }: RequestForm): void {
    const { clock, limits } = this.#deps;
    const aheadMs = created * 1_000 - clock.now();
    if (Math.abs(aheadMs) <= limits.peerClockMs) return;
    const seconds = Math.round(Math.abs(aheadMs) / 1_000);
    throw new AppError('CLOCK_DIFFERS', `your request is dated ${seconds} s ${aheadMs > 0 ? 'ahead of' : 'behind'} the clock here`);
  }

  async #takeNonce({ server, nonce }: RequestForm): Promise<void> {
    if (!(await this.#deps.nonces.take(server, nonce))) throw new AppError('UNAUTHENTICATED', 'this request was taken before');
  }

  async #outcome(work: () => Promise<LegAnswer>): Promise<Outcome> {
    try {
      const { status, body = EMPTY } = await work();
      if (body.length > this.#deps.limits.peerAnswerBytes - ENVELOPE_BYTES) throw new Error('the answer of a leg is too long');
      return { status: status === NO_CONTENT ? OK : status, envelope: { body }, retryAfterMs: 0 };
    } catch (error) {
      return this.#refusal(error);
    }
  }

  #refusal(error: unknown): Outcome {
    const isOurs = error instanceof AppError && error.code !== 'INTERNAL';
    if (!isOurs) this.#deps.log.error({ err: error instanceof AppError ? (error.cause ?? error) : error }, 'a leg failed');
    const {
      code,
      detail,
      retryAfterMs = 0,
      certificate,
    } = isOurs ? error : new AppError('INTERNAL', 'the request failed for a reason of ours');
    const refusal = { code, detail, retryAfterMs, ...(certificate === undefined ? {} : { certificate }) };
    return { status: ERROR_CODES[code].httpStatus, envelope: { body: EMPTY, refusal }, retryAfterMs };
  }

  #signed({ form, body: { isRead } }: Known, { status, envelope, retryAfterMs }: Outcome): InboundAnswer {
    const { clock, epoch, signer } = this.#deps;
    const body = encodeAnswer({ epoch: epoch(), ...envelope });
    const signed = signAnswer(signer(), { status, body, now: clock.now(), requestSignature: form.signatureField });
    const wait: Record<string, string> = retryAfterMs > 0 ? { 'retry-after': String(Math.ceil(retryAfterMs / 1_000)) } : {};
    return { kind: 'signed', status, fields: { ...signed, ...wait }, body, isRead };
  }
}
