// A member's socket for the soak: signs in by token, answers and acknowledges with opaque bytes, and vanishes in whatever way it is told.
// Keeps nothing of what it received, so that what grows in the load's own process does not slow the run.
import { randomBytes } from 'node:crypto';
import type { Socket } from 'node:net';
import { WebSocket } from 'ws';
import { base64url, cryptoRandom, uuidv7 } from '../../src/base/ids.ts';
import { DEFAULT_LIMITS } from '../../src/base/limits.ts';
import { makeRequestId, type ReedId, type RequestId, userOf } from '../../src/wire/address.ts';
import { decodeFrame, encodeFrame } from '../../src/wire/codec.ts';
import type { Frame, FrameType } from '../../src/wire/frames.ts';
import type { LightAccount } from '../support/light-member.ts';

const CIPHERTEXT = new Uint8Array(1_000).fill(65);
/** The head of a masked binary message of 1,000 bytes, and ten of them. */
const HALF_MESSAGE = Buffer.concat([Buffer.from([0x82, 0xfe, 0x03, 0xe8, 0, 0, 0, 0]), Buffer.alloc(10)]);

type Waiter = { readonly wanted: (frame: Frame) => boolean; readonly resolve: (frame: Frame | null) => void };

export class SoakClient {
  /** Whether it serves what it is asked for. */
  serves = true;
  readonly account: LightAccount;
  readonly #socket: WebSocket;
  readonly #waiters = new Set<Waiter>();

  private constructor(account: LightAccount, socket: WebSocket) {
    this.account = account;
    this.#socket = socket;
    socket.on('message', (data: Buffer) => this.#receive(data));
    socket.on('error', () => undefined);
    socket.on('close', () => {
      for (const { resolve } of this.#waiters) resolve(null);
      this.#waiters.clear();
    });
  }

  /** Connects; resolves at HELLO. Addresses of the loopback are taken in turn, so that their ports suffice. */
  static async open(url: string, account: LightAccount, turn = 0): Promise<SoakClient> {
    const options = { localAddress: `127.0.0.${1 + (turn % 40)}`, perMessageDeflate: false };
    const client = new SoakClient(account, new WebSocket(`${url.replace('http', 'ws')}/socket`, 'reedbed.v1', options));
    await client.next('hello');
    return client;
  }

  /** Connects and signs in. @throws if it is not let in */
  static async join(url: string, account: LightAccount, turn = 0): Promise<SoakClient> {
    const client = await SoakClient.open(url, account, turn);
    const welcome = client.next('welcome');
    client.authenticate();
    if (!(await welcome)) throw new Error('not signed in');
    return client;
  }

  authenticate(token = this.account.token): void {
    const clientNonce = base64url(new Uint8Array(randomBytes(24)));
    this.send({ id: '', type: 'authenticate', body: { statement: new Uint8Array(), signature: '', clientNonce, token } });
  }

  send(frame: Frame): void {
    if (this.#socket.readyState === WebSocket.OPEN) this.#socket.send(encodeFrame(frame));
  }

  request(reedId: ReedId): RequestId {
    const requestId = makeRequestId(this.account.userId, uuidv7(Date.now(), cryptoRandom));
    this.send({ id: '', type: 'requestReed', body: { requestId, reedId, authorId: userOf(reedId) } });
    return requestId;
  }

  /** The next frame of a type that matches; null if the socket closes before. */
  next<T extends FrameType>(type: T, matches: (frame: Extract<Frame, { type: T }>) => boolean = () => true): Promise<Frame | null> {
    return this.first((frame) => frame.type === type && matches(frame as Extract<Frame, { type: T }>));
  }

  first(wanted: (frame: Frame) => boolean): Promise<Frame | null> {
    if (this.#socket.readyState > WebSocket.OPEN) return Promise.resolve(null);
    return new Promise((resolve) => this.#waiters.add({ wanted, resolve }));
  }

  /** Half a message, the rest of which never comes. */
  halfMessage(): void {
    (this.#socket as unknown as { readonly _socket?: Socket })._socket?.write(HALF_MESSAGE);
  }

  text(): void {
    this.#socket.send('text');
  }

  /** Says goodbye, or not: resolves when the socket is closed. */
  leave(how: 'close' | 'cut' | 'reset'): Promise<void> {
    const closed = new Promise<void>((resolve) => {
      if (this.#socket.readyState === WebSocket.CLOSED) resolve();
      else this.#socket.once('close', () => resolve());
    });
    if (how === 'close') this.#socket.close();
    if (how === 'reset') (this.#socket as unknown as { readonly _socket?: Socket })._socket?.resetAndDestroy();
    if (how === 'cut') this.#socket.terminate();
    return closed;
  }

  #receive(data: Buffer): void {
    const decoded = decodeFrame(data, DEFAULT_LIMITS);
    if (!decoded.ok) throw new Error(`the server sent what can't be read: ${decoded.reason}`);
    const frame = decoded.value;
    if (frame.type === 'ping') this.send({ id: '', type: 'pong', body: {} });
    if (frame.type === 'relayRequest' && this.serves) {
      this.send({ id: frame.id, type: 'relayResponse', body: { ciphertext: CIPHERTEXT, attempt: frame.body.attempt } });
    }
    if (frame.type === 'dataResponse') this.send({ id: frame.id, type: 'dataAck', body: {} });
    for (const waiter of this.#waiters) {
      if (!waiter.wanted(frame)) continue;
      this.#waiters.delete(waiter);
      waiter.resolve(frame);
    }
  }
}
