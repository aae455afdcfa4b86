// A light member for loads: every frame it sends is prepared, and of what it receives it reads only the bytes that it needs. Where those stand is
// asked of the codec once, at the start.
import { randomBytes } from 'node:crypto';
import { base64url, cryptoRandom, uuidv7 } from '../../src/base/ids.ts';
import { DEFAULT_LIMITS } from '../../src/base/limits.ts';
import { makeRequestId, type ReedId, type UserId, userOf } from '../../src/wire/address.ts';
import { decodeFrame, encodeDelivery, encodeFrame } from '../../src/wire/codec.ts';
import { peekType } from '../../src/wire/peek.ts';
import type { LightAccount } from '../support/light-member.ts';
import type { BareSizes } from './bare-frames.ts';
import { type Asker, type Load, sharedNow } from './load.ts';
import { framed, headBytes, RawSocket } from './raw-socket.ts';

const SOME_ID = '01890000-0000-7000-8000-000000000000';
const ID_AT = 2;
const ID_CHARS = SOME_ID.length;
const NUMBER_CHARS = 12;
const ATTEMPT = 1;
/** What says that something is on its way, and needs nothing done. */
const NOTED: ReadonlySet<string> = new Set(['requestAck', 'publishReadyAck']);
const PONG = framed(encodeFrame({ id: '', type: 'pong', body: {} }));

/** What is common to all members of a process. */
export type Shape = {
  /** RELAY_RESPONSE with some id. */
  readonly answer: Buffer;
  readonly acknowledge: Buffer;
  readonly ciphertextBytes: number;
  /** Where the request id's number stands in a DATA_RESPONSE. */
  readonly numberAt: number;
  readonly sizes: BareSizes;
};

const encode = (frame: Parameters<typeof encodeFrame>[0]): Buffer => Buffer.from(encodeFrame(frame));

/** Looks at one frame of each kind, for ids of the length of `user`'s. */
export const shapeFor = (user: UserId, ciphertextBytes: number): Shape => {
  const ciphertext = new Uint8Array(ciphertextBytes).fill(65);
  const [requestId, reedId] = [makeRequestId(user, SOME_ID), `${user}/${SOME_ID}`];
  const answer = encode({ id: SOME_ID, type: 'relayResponse', body: { ciphertext, attempt: ATTEMPT } });
  const acknowledge = encode({ id: SOME_ID, type: 'dataAck', body: {} });
  const delivery = Buffer.from(encodeDelivery('dataResponse', SOME_ID, { requestId, reedId }, ciphertext));
  const sizeOf = (frame: Parameters<typeof encodeFrame>[0]): number => encode(frame).length;
  return {
    answer: framed(answer),
    acknowledge: framed(acknowledge),
    ciphertextBytes,
    numberAt: delivery.indexOf(requestId) + requestId.length - NUMBER_CHARS,
    sizes: {
      requestReed: sizeOf({ id: '', type: 'requestReed', body: { requestId, reedId, authorId: user } }),
      requestAck: sizeOf({ id: SOME_ID, type: 'requestAck', body: { requestId, reedId, state: 'ASKING', onlineHolders: 3 } }),
      relayResponse: answer.length,
      dataAck: acknowledge.length,
      settled: sizeOf({ id: '', type: 'settled', body: { events: [{ eventId: SOME_ID, outcome: 'HELD' }] } }),
    },
  };
};

/** Which reed a member asks for with its n-th request. */
export type Choose = (nth: number) => ReedId;

export class ReedbedMember implements Asker {
  readonly #load: Load;
  readonly #userId: UserId;
  readonly #shape: Shape;
  readonly #choose: Choose;
  readonly #request: Buffer;
  readonly #at: { readonly number: number; readonly reed: number; readonly author: number };
  /** What it was asked for and keeps back, while it keeps answers back. */
  readonly held: string[] = [];
  keepsBack = false;
  #socket: RawSocket | null = null;
  #asked = 0;

  private constructor(userId: UserId, of: { shape: Shape; choose: Choose }, load: Load) {
    this.#load = load;
    this.#userId = userId;
    this.#shape = of.shape;
    this.#choose = of.choose;
    const [requestId, reedId] = [makeRequestId(userId, SOME_ID), `${userId}/${SOME_ID}`];
    this.#request = framed(encodeFrame({ id: '', type: 'requestReed', body: { requestId, reedId, authorId: userId } }));
    const request = this.#request.indexOf(requestId);
    const reed = this.#request.indexOf(reedId, request + requestId.length);
    this.#at = { number: request + requestId.length - NUMBER_CHARS, reed, author: this.#request.indexOf(userId, reed + reedId.length) };
  }

  /** Connects and signs in by a token; resolves at WELCOME. */
  static async connect(url: string, account: LightAccount, of: { shape: Shape; choose: Choose }, load: Load): Promise<ReedbedMember> {
    const member = new ReedbedMember(account.userId, of, load);
    const welcomed = Promise.withResolvers<void>();
    const socket = await RawSocket.open({ url, path: '/socket', protocol: 'reedbed.v1' }, (payload, from) => {
      member.#socket = from;
      member.#receive(payload, account.token, welcomed);
    });
    void socket.closed.then((code) => welcomed.reject(new Error(`closed with ${code}`)));
    await welcomed.promise;
    return member;
  }

  ask(sequence: number): void {
    const reedId = this.#choose(this.#asked);
    this.#asked += 1;
    const frame = Buffer.allocUnsafe(this.#request.length);
    this.#request.copy(frame);
    frame.write(sequence.toString(16).padStart(NUMBER_CHARS, '0'), this.#at.number, 'latin1');
    frame.write(reedId, this.#at.reed, 'latin1');
    frame.write(userOf(reedId), this.#at.author, 'latin1');
    this.#socket?.write(frame);
  }

  /** Asks for what it is owed, and says that it may be told of what comes. */
  sync(): void {
    this.#send({ id: '', type: 'syncRequest', body: { requestId: makeRequestId(this.#userId, uuidv7(Date.now(), cryptoRandom)) } });
  }

  publish(reedId: ReedId): void {
    this.#send({ id: '', type: 'publishReady', body: { reedId } });
  }

  watch(reedId: ReedId): void {
    this.#send({ id: '', type: 'subscribeReed', body: { reedId } });
  }

  #send(frame: Parameters<typeof encodeFrame>[0]): void {
    this.#socket?.write(framed(encodeFrame(frame)));
  }

  /** Answers what it kept back. @returns how much that was */
  answerHeld(): number {
    const held = this.held.splice(0);
    for (const id of held) {
      const answer = Buffer.from(this.#shape.answer);
      answer.write(id, headBytes(answer.length) + ID_AT, 'latin1');
      this.#socket?.write(answer);
    }
    return held.length;
  }

  cut(): void {
    this.#socket?.cut();
  }

  #receive(payload: Buffer, token: string, welcomed: PromiseWithResolvers<void>): void {
    const type = peekType(payload);
    if (type === 'relayRequest') this.#asks(payload);
    else if (type === 'dataResponse') this.#delivery(payload);
    else if (type === 'followReed') this.#owed(payload);
    else if (type === 'reedStats') this.#load.told();
    else if (type === 'settled') this.#load.settled(eventsIn(payload));
    else if (type === 'ping') this.#socket?.write(PONG);
    else if (type === 'hello') this.#authenticate(token);
    else if (type === 'welcome') welcomed.resolve();
    else if (type === undefined || !NOTED.has(type)) this.#odd(payload, welcomed);
  }

  #asks(payload: Buffer): void {
    if (this.keepsBack) return void this.held.push(payload.toString('latin1', ID_AT, ID_AT + ID_CHARS));
    const answer = Buffer.allocUnsafe(this.#shape.answer.length);
    this.#shape.answer.copy(answer);
    payload.copy(answer, headBytes(answer.length) + ID_AT, ID_AT, ID_AT + ID_CHARS);
    answer.writeDoubleLE(sharedNow(), answer.length - this.#shape.ciphertextBytes);
    this.#socket?.write(answer);
  }

  #delivery(payload: Buffer): void {
    const { acknowledge, ciphertextBytes, numberAt } = this.#shape;
    const sequence = Number.parseInt(payload.toString('latin1', numberAt, numberAt + NUMBER_CHARS), 16);
    this.#load.delivered(sequence, payload.readDoubleLE(payload.length - ciphertextBytes));
    this.#acknowledge(payload, acknowledge);
  }

  /** What it did not ask for. */
  #owed(payload: Buffer): void {
    this.#load.owed();
    this.#acknowledge(payload, this.#shape.acknowledge);
  }

  #acknowledge(payload: Buffer, acknowledge: Buffer): void {
    const frame = Buffer.allocUnsafe(acknowledge.length);
    acknowledge.copy(frame);
    payload.copy(frame, headBytes(1) + ID_AT, ID_AT, ID_AT + ID_CHARS);
    this.#socket?.write(frame);
  }

  #authenticate(token: string): void {
    const clientNonce = base64url(new Uint8Array(randomBytes(24)));
    const body = { statement: new Uint8Array(), signature: '', clientNonce, token };
    this.#socket?.write(framed(encodeFrame({ id: '', type: 'authenticate', body })));
  }

  #odd(payload: Buffer, welcomed: PromiseWithResolvers<void>): void {
    const decoded = decodeFrame(payload, DEFAULT_LIMITS);
    const why = decoded.ok ? JSON.stringify(decoded.value) : decoded.reason;
    this.#load.refused(why);
    welcomed.reject(new Error(why));
  }
}

/** How many events a SETTLED of less than 16 KiB names. */
const eventsIn = (payload: Buffer): number => {
  // Tag of two bytes, then the length of the body in one or two.
  let at = (payload[2] as number) < 0x80 ? 3 : 4;
  let count = 0;
  for (; at < payload.length; count += 1) at += 2 + (payload[at + 1] as number);
  return count;
};
