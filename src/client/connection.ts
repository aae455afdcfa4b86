// One socket from opening to its end: HELLO, AUTHENTICATE, WELCOME, then frames, with a watchdog on silence.
// Nothing is handed on before the server has proved by its signature who it is; the end is told exactly once.

import type { Timer } from '../base/clock.ts';
import type { ClientPolicy } from '../base/codes.ts';
import { CLOSE_CODES, ERROR_CODES } from '../base/codes.ts';
import { base64url, type RandomBytes } from '../base/ids.ts';
import type { Limits } from '../base/limits.ts';
import { PROTOCOL, SUBPROTOCOL } from '../base/protocol.ts';
import { decodeFrame, encodeFrame } from '../wire/codec.ts';
import type { Frame, FrameBodies } from '../wire/frames.ts';
import type { MemberSocket, SocketFactory } from './ports.ts';
import type { ServerTime } from './server-time.ts';

const CLIENT_NONCE_BYTES = 24;
const NORMAL_CLOSURE = 1000;

export type Credentials = Pick<FrameBodies['authenticate'], 'statement' | 'signature' | 'token'>;

export type ConnectionEnd = {
  readonly reason: string;
  readonly policy: ClientPolicy;
  readonly retryAfterMs: number | undefined;
};

export type ConnectionDeps = {
  readonly url: string;
  readonly socket: SocketFactory;
  readonly time: ServerTime;
  readonly random: RandomBytes;
  readonly limits: Limits;
  readonly serverId: string;
  /** What to authenticate with; a statement has HELLO's nonce in it. */
  credentials(nonce: string): Promise<Credentials>;
  /** The server did not take them; whether there are others to try on this connection. */
  credentialsRefused(): boolean;
  /** Whether the server's transport key signed this welcome. Rejects if that can't be found out now. */
  isGenuine(welcome: FrameBodies['welcome'], clientNonce: string): Promise<boolean>;
  welcomed(welcome: FrameBodies['welcome']): void;
  frame(frame: Frame): void;
  ended(end: ConnectionEnd): void;
};

type Phase = 'opening' | 'authenticating' | 'proving' | 'open' | 'ended';

export class Connection {
  readonly #deps: ConnectionDeps;
  readonly #socket: MemberSocket;
  #phase: Phase = 'opening';
  #nonce = '';
  #clientNonce = '';
  #waiting: Frame[] = [];
  #watch: Timer;
  #heardAt: number;
  #pinged = false;
  #pingIntervalMs: number;
  #retryAfterMs: number | undefined;

  constructor(deps: ConnectionDeps) {
    this.#deps = deps;
    this.#heardAt = deps.time.monotonicMs();
    this.#pingIntervalMs = deps.limits.pingIntervalMs;
    this.#watch = deps.time.after(deps.limits.authenticationMs, () => this.#drop('no welcome in time', 'CLOSE_AUTHENTICATION_TIMEOUT'));
    this.#socket = deps.socket(deps.url, SUBPROTOCOL, {
      opened: () => undefined,
      message: (data) => this.#message(data),
      closed: (code, reason) => this.#closed(code, reason),
    });
  }

  /** Sends a frame; false if the connection is not open. */
  send(frame: Frame): boolean {
    if (this.#phase !== 'open') return false;
    this.#socket.send(encodeFrame(frame));
    return true;
  }

  /** Closes in peace. `ended` is not called. */
  close(): void {
    if (this.#phase === 'ended') return;
    this.#phase = 'ended';
    this.#watch.cancel();
    this.#socket.close(NORMAL_CLOSURE);
  }

  #message(data: Uint8Array | string): void {
    if (this.#phase === 'ended') return;
    this.#heardAt = this.#deps.time.monotonicMs();
    this.#pinged = false;
    if (typeof data === 'string') return this.#drop('the server sent text', 'CLOSE_TEXT_FRAME');
    const { relayResponseBytes, frameBytes } = this.#deps.limits;
    const decoded = decodeFrame(data, { frameBytes, relayResponseBytes });
    if (decoded.ok) return this.#frame(decoded.value);
    // A newer server may know frames that this client does not.
    if (decoded.reason !== 'unknown-body') this.#drop(`the server sent a frame that is ${decoded.reason}`, 'CLOSE_MALFORMED_FRAME');
  }

  #frame(frame: Frame): void {
    if (frame.type === 'ping') this.#socket.send(encodeFrame({ id: '', type: 'pong', body: {} }));
    else if (frame.type === 'goingAway') this.#retryAfterMs = frame.body.retryAfterMs;
    else if (frame.type === 'hello' && this.#phase === 'opening') void this.#hello(frame.body);
    else if (frame.type === 'welcome' && this.#phase === 'authenticating') void this.#welcome(frame.body);
    else if (frame.type === 'error' && this.#phase !== 'open') this.#refused(frame.body);
    else if (this.#phase === 'open') this.#deps.frame(frame);
    else if (this.#phase === 'proving') this.#hold(frame);
  }

  /** What comes while the server is being checked waits; it can't be much before anything was asked for. */
  #hold(frame: Frame): void {
    if (this.#waiting.length >= this.#deps.limits.pendingFrames) {
      return this.#drop('the server sent too much before it was checked', 'CLOSE_RATE_LIMITED');
    }
    this.#waiting.push(frame);
  }

  async #hello(hello: FrameBodies['hello']): Promise<void> {
    const { serverId, time, random } = this.#deps;
    if (hello.serverId !== serverId) return this.#end({ reason: 'another server answered', policy: 'stop', retryAfterMs: undefined });
    if (hello.protocolMin > PROTOCOL.max || hello.protocolMax < PROTOCOL.min) {
      return this.#end({ reason: 'the server speaks another protocol version', policy: 'stop', retryAfterMs: undefined });
    }
    time.learn(hello.serverTime);
    this.#phase = 'authenticating';
    this.#clientNonce = base64url(random(CLIENT_NONCE_BYTES));
    this.#nonce = hello.nonce;
    await this.#authenticate();
  }

  async #authenticate(): Promise<void> {
    try {
      const credentials = await this.#deps.credentials(this.#nonce);
      if (this.#phase !== 'authenticating') return;
      this.#socket.send(encodeFrame({ id: '', type: 'authenticate', body: { ...credentials, clientNonce: this.#clientNonce } }));
    } catch (error) {
      this.#end({ reason: `could not sign in: ${messageOf(error)}`, policy: 'reconnect', retryAfterMs: undefined });
    }
  }

  /** An ERROR instead of WELCOME. A token that ran out is followed by a statement on the same connection. */
  #refused({ code, detail, retryAfterMs }: FrameBodies['error']): void {
    this.#retryAfterMs = retryAfterMs || undefined;
    if (this.#phase !== 'authenticating') return;
    if (code === 'UNAUTHENTICATED' && this.#deps.credentialsRefused()) return void this.#authenticate();
    const policy = code === 'UNAUTHENTICATED' ? 'sign-in' : ERROR_CODES[code].retryable ? 'reconnect' : 'stop';
    this.#end({ reason: code === 'UNAUTHENTICATED' ? code : detail || code, policy, retryAfterMs: this.#retryAfterMs });
  }

  async #welcome(welcome: FrameBodies['welcome']): Promise<void> {
    this.#phase = 'proving';
    try {
      const genuine = await this.#deps.isGenuine(welcome, this.#clientNonce);
      if (this.#phase !== 'proving') return;
      if (!genuine) return this.#end({ reason: 'the server could not prove who it is', policy: 'stop', retryAfterMs: undefined });
    } catch (error) {
      return this.#end({ reason: `the server could not be checked: ${messageOf(error)}`, policy: 'reconnect', retryAfterMs: undefined });
    }
    this.#phase = 'open';
    this.#pingIntervalMs = welcome.pingIntervalMs || this.#pingIntervalMs;
    this.#watch.cancel();
    this.#listen();
    this.#deps.welcomed(welcome);
    for (const frame of this.#waiting.splice(0)) this.#deps.frame(frame);
  }

  /** Silence for a ping interval is asked about; silence after that ends the connection, whatever the network thinks of it. */
  #listen(): void {
    const { time, limits } = this.#deps;
    const silentMs = time.monotonicMs() - this.#heardAt;
    const patienceMs = this.#pingIntervalMs + limits.pongWaitMs;
    if (silentMs >= this.#pingIntervalMs + patienceMs) return this.#drop('the server fell silent', 'CLOSE_SILENT');
    if (silentMs >= this.#pingIntervalMs && !this.#pinged) {
      this.#pinged = true;
      this.#socket.send(encodeFrame({ id: '', type: 'ping', body: {} }));
    }
    const dueMs = this.#pinged ? this.#pingIntervalMs + patienceMs : this.#pingIntervalMs;
    this.#watch = time.after(Math.max(1, dueMs - silentMs), () => this.#listen());
  }

  #drop(reason: string, code: keyof typeof CLOSE_CODES): void {
    this.#end({ reason, policy: 'reconnect', retryAfterMs: this.#retryAfterMs }, CLOSE_CODES[code].number);
  }

  #closed(code: number, reason: string): void {
    const known = Object.entries(CLOSE_CODES).find(([, entry]) => entry.number === code);
    const policy = known?.[1].clientPolicy ?? 'reconnect';
    this.#end({ reason: known?.[0] ?? (reason || `closed with ${code}`), policy, retryAfterMs: this.#retryAfterMs });
  }

  #end(end: ConnectionEnd, code: number = NORMAL_CLOSURE): void {
    if (this.#phase === 'ended') return;
    this.#phase = 'ended';
    this.#watch.cancel();
    this.#socket.close(code);
    this.#deps.ended(end);
  }
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : 'unknown');
