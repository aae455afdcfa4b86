// Staying signed in: one connection after another with back-off and jitter, by token where the server still takes it, else by a
// session statement over HELLO's nonce. What follows a close is looked up by its code in base/codes.ts; after `stop` only a person helps.

import { doubling, jittered } from '../base/backoff.ts';
import type { Timer } from '../base/clock.ts';
import type { ClientPolicy } from '../base/codes.ts';
import { AppError } from '../base/errors.ts';
import type { RandomBytes } from '../base/ids.ts';
import type { Limits } from '../base/limits.ts';
import { canonicalBytes } from '../wire/canonical.ts';
import type { Frame, FrameBodies } from '../wire/frames.ts';
import { heading, type StatementOf } from '../wire/statements.ts';
import type { Api, TokenSource } from './api.ts';
import { Connection, type ConnectionEnd, type Credentials } from './connection.ts';
import type { KeyRing } from './key-ring.ts';
import type { SocketFactory } from './ports.ts';
import type { ServerTime } from './server-time.ts';
import type { Account, ConnectionState } from './types.ts';

const BACKOFF_FIRST_MS = 500;
const BACKOFF_MAX_MS = 30_000;
/** A statement that is refused so often in a row is refused for good. */
const SIGN_INS_REFUSED_MAX = 3;

export type SessionPurpose = StatementOf<'session'>['purpose'];

export type SessionDeps = {
  readonly api: Api;
  readonly socket: SocketFactory;
  readonly time: ServerTime;
  readonly random: RandomBytes;
  readonly limits: Limits;
  readonly keyRing: KeyRing;
  readonly account: Account;
  isGenuine(welcome: FrameBodies['welcome'], clientNonce: string): Promise<boolean>;
  changed(state: ConnectionState, details: { reason?: string; retryInMs?: number }): void;
  /** A connection is ready. */
  welcomed(welcome: FrameBodies['welcome']): void;
  frame(frame: Frame): void;
};

/** Makes and signs a session statement: the proof of the key that a token is given for. */
export async function signSession(
  deps: Pick<SessionDeps, 'keyRing' | 'time'>,
  account: Pick<Account, 'server' | 'user' | 'key' | 'device'>,
  purpose: SessionPurpose,
  nonce: string,
) {
  const { server, user, key, device } = account;
  const statement = { ...heading('session'), server, user, key, device, nonce, purpose } as StatementOf<'session'>;
  return deps.keyRing.sign(statement, deps.time.now());
}

export class Session implements TokenSource {
  readonly #deps: SessionDeps;
  #state: ConnectionState = 'offline';
  #connection: Connection | null = null;
  #retry: Timer | null = null;
  #failures = 0;
  #refusals = 0;
  #byStatement = false;
  #token: string | null = null;
  #fetchingToken: Promise<string> | null = null;
  #stopReason = '';
  #waiters: { done(): void; failed(error: Error): void }[] = [];

  constructor(deps: SessionDeps) {
    this.#deps = deps;
  }

  get state(): ConnectionState {
    return this.#state;
  }

  /** Connected, or about to be. */
  get wanted(): boolean {
    return this.#connection !== null || this.#retry !== null;
  }

  /** Connects, now if it was waiting to. Stays connected until `close`. */
  connect(): void {
    if (this.#connection) return;
    this.#retry?.cancel();
    this.#retry = null;
    if (this.#state === 'stopped') this.#refusals = 0;
    this.#open();
  }

  /** As `connect`, for a person who waits: an attempt that hangs is made anew, and the pauses begin short again. */
  connectNow(): void {
    if (this.#state === 'online') return;
    this.#connection?.close();
    this.#connection = null;
    this.#failures = 0;
    this.connect();
  }

  /** Resolves when connected; rejects when the session stopped for good or was closed. */
  online(): Promise<void> {
    if (this.#state === 'online') return Promise.resolve();
    if (this.#state === 'stopped') return Promise.reject(new AppError('UNAUTHENTICATED', this.#stopReason));
    return new Promise((done, failed) => this.#waiters.push({ done, failed }));
  }

  /** Sends a frame; false if there is no connection: whatever matters is sent again after the next WELCOME. */
  send(frame: Frame): boolean {
    return this.#connection?.send(frame) ?? false;
  }

  close(): void {
    this.#retry?.cancel();
    this.#connection?.close();
    this.#retry = this.#connection = null;
    this.#change('offline', {});
    for (const { failed } of this.#waiters.splice(0)) failed(new AppError('UNAVAILABLE', 'the session was closed'));
  }

  async token(): Promise<string> {
    if (this.#token) return this.#token;
    this.#fetchingToken ??= this.#fetchToken().finally(() => {
      this.#fetchingToken = null;
    });
    return this.#fetchingToken;
  }

  refused(token: string): void {
    if (this.#token === token) this.#token = null;
  }

  /** Takes a token that came with another answer (sign-up, linking). */
  useToken(token: string): void {
    this.#token = token;
  }

  async #fetchToken(): Promise<string> {
    const { api, account } = this.#deps;
    const nonce = await challenge(api);
    const { statement, signatures } = await signSession(this.#deps, account, 'token', nonce);
    const body = { statement, signature: signatures[0]?.signature };
    const { token } = (await api.call('auth/token', { method: 'POST', body })) as { token: string };
    this.#token = token;
    return token;
  }

  #open(): void {
    const { api, socket, time, random, limits, account } = this.#deps;
    this.#change('connecting', {});
    this.#connection = new Connection({
      url: api.socketUrl,
      socket,
      time,
      random,
      limits,
      serverId: account.server,
      credentials: (nonce) => this.#credentials(nonce),
      credentialsRefused: () => this.#tokenRefused(),
      isGenuine: (welcome, clientNonce) => this.#deps.isGenuine(welcome, clientNonce),
      welcomed: (welcome) => this.#welcomed(welcome),
      frame: (frame) => this.#deps.frame(frame),
      ended: (end) => this.#ended(end),
    });
  }

  async #credentials(nonce: string): Promise<Credentials> {
    this.#byStatement = this.#token === null;
    if (this.#token !== null) return { token: this.#token, statement: new Uint8Array(), signature: '' };
    const signed = await signSession(this.#deps, this.#deps.account, 'socket', nonce);
    const bytes = canonicalBytes(signed.statement);
    if (!bytes.ok) throw new AppError('INVALID', bytes.reason);
    return { token: '', statement: bytes.value, signature: signed.signatures[0]?.signature ?? '' };
  }

  /** A token may have run out; a statement that is refused is refused. */
  #tokenRefused(): boolean {
    if (this.#byStatement) return false;
    this.#token = null;
    return true;
  }

  #welcomed(welcome: FrameBodies['welcome']): void {
    this.#failures = 0;
    this.#refusals = 0;
    if (welcome.token) this.#token = welcome.token;
    this.#change('online', {});
    this.#deps.welcomed(welcome);
    for (const { done } of this.#waiters.splice(0)) done();
  }

  #ended({ reason, policy, retryAfterMs }: ConnectionEnd): void {
    this.#connection = null;
    this.#failures++;
    const next = this.#policy(policy);
    if (next === 'stop') return this.#stop(reason);
    const delayMs = this.#delay(retryAfterMs);
    this.#change('offline', { reason, retryInMs: delayMs });
    this.#retry = this.#deps.time.after(delayMs, () => {
      this.#retry = null;
      this.#open();
    });
  }

  #policy(policy: ClientPolicy): ClientPolicy {
    if (policy !== 'sign-in') return policy;
    this.#token = null;
    if (!this.#byStatement) return 'sign-in';
    this.#refusals++;
    return this.#refusals >= SIGN_INS_REFUSED_MAX ? 'stop' : 'sign-in';
  }

  /** What the server asked for is waited out in full, and some more so that not everybody comes at that very moment. */
  #delay(retryAfterMs: number | undefined): number {
    const [byte = 0] = this.#deps.random(1);
    const own = jittered(doubling(this.#failures, BACKOFF_FIRST_MS, BACKOFF_MAX_MS), () => byte / 256);
    return retryAfterMs === undefined ? own : retryAfterMs + Math.min(own, BACKOFF_FIRST_MS);
  }

  #stop(reason: string): void {
    this.#stopReason = reason;
    this.#change('stopped', { reason });
    for (const { failed } of this.#waiters.splice(0)) failed(new AppError('UNAUTHENTICATED', reason));
  }

  #change(state: ConnectionState, details: { reason?: string; retryInMs?: number }): void {
    if (state === this.#state && details.reason === undefined) return;
    this.#state = state;
    this.#deps.changed(state, details);
  }
}

/** A nonce for a session statement outside a socket. */
export async function challenge(api: Api): Promise<string> {
  const { nonce } = (await api.call('auth/challenge', { method: 'POST', body: {} })) as { nonce: string };
  return nonce;
}
