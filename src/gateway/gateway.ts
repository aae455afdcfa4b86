// The sockets of members: takes upgrades of GET /socket on an HTTP server, keeps what all connections share, and closes them all in
// order. Presence of a connection ends after its last frame has taken effect, and before `close` resolves.
import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Logger } from 'pino';
import { WebSocketServer } from 'ws';
import type { Clock, Timer } from '../base/clock.ts';
import type { RandomBytes } from '../base/ids.ts';
import { base64url, uuidv7 } from '../base/ids.ts';
import type { Limits } from '../base/limits.ts';
import { SUBPROTOCOL } from '../base/protocol.ts';
import type { EndSessions } from '../bus/port.ts';
import type { Member } from '../identity/sessions.ts';
import type { Presence } from '../presence/presence.ts';
import type { MemberFrames } from '../relay/port.ts';
import type { ServerId, UserId } from '../wire/address.ts';
import { DELIVERY_OVERHEAD_BYTES } from '../wire/codec.ts';
import { Budgets } from './budget.ts';
import { Connection } from './connection.ts';
import { Costs } from './costs.ts';
import { Door } from './door.ts';
import { Hub } from './hub.ts';
import { MemberSocket } from './member-socket.ts';
import { Outgoing } from './outgoing.ts';
import { SessionWatch } from './session-watch.ts';
import type { Sessions, TrySignIn } from './sign-in.ts';
import { SignIn } from './sign-in.ts';
import type { Surroundings, Waiting } from './surroundings.ts';
import { TimerWheel } from './timer-wheel.ts';
import { TurnedAway } from './turned-away.ts';
import type { Refusal } from './upgrade.ts';
import { isOwnOrigin, offeredProtocols, refuseUpgrade } from './upgrade.ts';

export type GatewayDeps = {
  readonly serverId: ServerId;
  /** The only origin whose pages may open sockets; null: the one under which the page was asked. */
  readonly publicOrigin: () => string | null;
  /** The client's address of an upgrade request, by the proxy's word if that is trusted. */
  readonly addressOf: (request: IncomingMessage) => string;
  /** Header lines that every response carries, each with its end. */
  readonly headerLines: string;
  readonly sessions: Sessions;
  readonly trySignIn: TrySignIn;
  readonly signWelcome: (session: string, clientNonce: string) => Promise<{ readonly kid: string; readonly signature: string }>;
  readonly presence: Presence;
  readonly replicaId: () => string;
  readonly frames: MemberFrames;
  /** Ends sockets of a member on every replica: Bus.endSessions. */
  readonly endSessions: (userId: UserId, options: EndSessions) => void;
  /** More than three quarters of what may be queued is. */
  readonly overloaded: () => boolean;
  readonly clock: Clock;
  readonly random: RandomBytes;
  readonly limits: Limits;
  readonly log: Logger;
};

export type GatewayCounts = {
  readonly connections: number;
  readonly unauthenticated: number;
  readonly members: number;
  readonly pending: number;
};

const NONCE_BYTES = 32;
const EXPIRED_PER_SCAN = 1_000;
const UINT32 = 2 ** 32;

const openServer = (limits: Limits) =>
  new WebSocketServer<typeof MemberSocket>({
    noServer: true,
    WebSocket: MemberSocket,
    clientTracking: false,
    perMessageDeflate: false,
    // Pings are charged like other frames before they are answered; the library would cut who sends many, without a code.
    autoPong: false,
    maxPayload: limits.relayResponseBytes + DELIVERY_OVERHEAD_BYTES,
    // Each read of the system that is kept costs some hundred bytes beside its own: a message a byte at a time would take a hundred MiB.
    maxBufferedChunks: limits.frameChunks,
    // A client that does not offer ours is told so by a close code, which it can only read after a handshake.
    handleProtocols: (offered) => (offered.has(SUBPROTOCOL) ? SUBPROTOCOL : ([...offered][0] ?? false)),
  });

export class Gateway {
  readonly hub: Hub;
  readonly #deps: GatewayDeps;
  readonly #server: ReturnType<typeof openServer>;
  readonly #budgets: Budgets;
  readonly #wheel: TimerWheel;
  readonly #around: Surroundings;
  readonly #connections = new Map<string, Connection>();
  readonly #turnedAway = new Set<TurnedAway>();
  readonly #waiting = new Set<Waiting>();
  readonly #leaving = new Set<Promise<void>>();
  readonly #door: Door;
  readonly #sessionWatch: SessionWatch;
  #scannedAt: number;
  #closing: PromiseWithResolvers<void> | null = null;
  /** The time to close is over: nothing waits for room any more, for nobody would tell it of any. */
  #late = false;

  constructor(deps: GatewayDeps) {
    const { clock, limits } = deps;
    this.#deps = deps;
    this.hub = new Hub(deps);
    this.#budgets = new Budgets(limits);
    this.#door = new Door(clock, limits);
    this.#scannedAt = clock.monotonicMs();
    this.#sessionWatch = new SessionWatch(deps, clock.monotonicMs());
    this.#wheel = new TimerWheel(clock, limits.wheelTickMs, (now) => this.#tick(now));
    this.#server = openServer(limits);
    this.#server.on('wsClientError', (error, stream) => refuseUpgrade(stream, { status: 400, detail: error.message }, deps.headerLines));
    this.#around = this.#surroundings();
  }

  /** Connections, those not signed in, members, and frames that have not taken effect yet; for metrics. */
  get counts(): GatewayCounts {
    let pending = 0;
    for (const connection of this.#connections.values()) pending += connection.pending;
    return { connections: this.#connections.size, unauthenticated: this.#door.open, members: this.hub.members, pending };
  }

  /** No frame, sign-in, departure or look at sessions is under way. */
  get idle(): boolean {
    return this.#leaving.size === 0 && this.#sessionWatch.idle && this.#deps.presence.idle && this.counts.pending === 0;
  }

  /** Takes the upgrades of an HTTP server. It must have no other taker. @returns stops taking them */
  attach(server: Server): () => void {
    const onUpgrade = (request: IncomingMessage, stream: Duplex, head: Buffer): void => this.#upgrade(request, stream, head);
    server.on('upgrade', onUpgrade);
    return () => server.off('upgrade', onUpgrade);
  }

  /** All presence of this replica is gone: sends everybody away, to come back a little later. */
  presenceLost(): void {
    for (const connection of [...this.#connections.values()]) connection.goAway('CLOSE_PRESENCE_LOST');
  }

  /**
   * Refuses new sockets, says GOING_AWAY to all others, and waits until they are closed and their ends have taken effect,
   * `drainMs` at most; then cuts what is left, and lets what waits for room go on without it.
   */
  async close(): Promise<void> {
    if (this.#closing) return this.#closing.promise;
    this.#closing = Promise.withResolvers<void>();
    for (const connection of [...this.#connections.values()]) connection.goAway('CLOSE_GOING_AWAY');
    for (const turnedAway of this.#turnedAway) turnedAway.cut();
    const late: Timer = this.#deps.clock.after(this.#deps.limits.drainMs, () => {
      this.#late = true;
      this.#resume();
      for (const connection of this.#connections.values()) connection.cut();
      this.#closing?.resolve();
    });
    this.#resolveClosing();
    await this.#closing.promise;
    late.cancel();
    this.#wheel.stop();
    this.#server.close();
  }

  #surroundings(): Surroundings {
    const { deps, hub } = { deps: this.#deps, hub: this.hub };
    return {
      serverId: deps.serverId,
      clock: deps.clock,
      limits: deps.limits,
      log: deps.log,
      frames: deps.frames,
      costs: new Costs(this.#budgets, deps.limits),
      wheel: this.#wheel,
      hub,
      signIn: new SignIn({ ...deps, hub }),
      outgoing: new Outgoing(),
      overloaded: () => this.#overloaded(),
      waits: (waiting) => void this.#waiting.add(waiting),
      comeBackMs: () => this.#comeBackMs(),
      identified: (address) => this.#door.leave(address),
      gone: (connectionId, member) => this.#gone(connectionId, member),
    };
  }

  #upgrade(request: IncomingMessage, stream: Duplex, head: Buffer): void {
    const address = this.#deps.addressOf(request);
    const refusal = this.#refusal(request, address);
    if (refusal !== null) {
      refuseUpgrade(stream, refusal, this.#deps.headerLines);
      return;
    }
    const supported = offeredProtocols(request).includes(SUBPROTOCOL);
    this.#server.handleUpgrade(request, stream, head, (socket) => {
      if (supported) this.#open(socket, stream as Socket, head.length, address);
      else this.#turnAway(socket, stream, address);
    });
  }

  #refusal(request: IncomingMessage, address: string): Refusal | null {
    const { limits, publicOrigin } = this.#deps;
    if (this.#closing) return { status: 503, detail: 'This server is going away.', retryAfterMs: limits.reconnectSpreadMs };
    if (request.url !== '/socket') return { status: 404, detail: 'There is no socket here.' };
    if (request.method !== 'GET') return { status: 405, detail: 'A socket is opened by GET.' };
    if (!isOwnOrigin(request, publicOrigin())) return { status: 403, detail: 'Pages of this origin may open no socket here.' };
    return this.#door.refusal(address);
  }

  #open(socket: MemberSocket, stream: Socket, headBytes: number, address: string): void {
    const { clock, random } = this.#deps;
    const connectionId = uuidv7(clock.now(), random);
    this.#door.enter(address);
    const opening = { stream, headBytes, connectionId, nonce: base64url(random(NONCE_BYTES)), address };
    this.#connections.set(connectionId, new Connection(this.#around, socket, opening));
  }

  #turnAway(socket: MemberSocket, stream: Duplex, address: string): void {
    const { clock, limits } = this.#deps;
    const gone = (turnedAway: TurnedAway): void => {
      this.#turnedAway.delete(turnedAway);
      this.#door.leave(address);
      this.#resolveClosing();
    };
    this.#door.enter(address);
    this.#turnedAway.add(new TurnedAway({ clock, limits, wheel: this.#wheel, gone }, socket, stream, 'CLOSE_UNSUPPORTED_PROTOCOL'));
  }

  #gone(connectionId: string, member: Member | null): void {
    if (member === null) {
      this.#connections.delete(connectionId);
      this.#resolveClosing();
      return;
    }
    const connection = this.#connections.get(connectionId);
    const asks = connection ? this.hub.asksOf(connection) : [];
    const leaving = this.#leave(connectionId, member.userId, asks).finally(() => {
      this.#leaving.delete(leaving);
      this.#connections.delete(connectionId);
      this.#resolveClosing();
    });
    this.#leaving.add(leaving);
  }

  async #leave(connectionId: string, userId: UserId, asks: readonly Uint8Array[]): Promise<void> {
    try {
      const left = await this.#deps.presence.leave({ connectionId, userId });
      // Who left and is back by now stands for what was asked of it on the connection that is gone.
      const isThere = !left || (await this.#deps.frames.left(userId));
      if (isThere && asks.length > 0) this.#deps.frames.askedInVain(userId, asks);
    } catch (error) {
      this.#deps.log.error({ err: error }, 'the look after a departure failed');
    }
  }

  #resolveClosing(): void {
    if (this.#connections.size === 0 && this.#turnedAway.size === 0) this.#closing?.resolve();
  }

  #overloaded(): boolean {
    return !this.#late && this.#deps.overloaded();
  }

  #resume(): void {
    for (const waiting of [...this.#waiting]) {
      if (this.#overloaded()) break;
      this.#waiting.delete(waiting);
      waiting.resume();
    }
  }

  #tick(now: number): void {
    const { deadlinePushEveryMs } = this.#deps.limits;
    this.#resume();
    if (now - this.#scannedAt < deadlinePushEveryMs) return;
    this.#scannedAt = now;
    this.#scan(now);
    this.#budgets.expire(now, EXPIRED_PER_SCAN);
  }

  #scan(now: number): void {
    const arriving: UserId[] = [];
    const buffered: UserId[] = [];
    for (const connection of this.#connections.values()) connection.scan(now, arriving, buffered);
    this.hub.scan();
    this.#sessionWatch.look(now, this.#connections.values());
    if (arriving.length > 0) this.#deps.frames.bytesArriving(arriving);
    if (buffered.length > 0) this.#deps.frames.stillBuffered(buffered);
  }

  /** A random wait, so that everybody's return is spread over the time in which so many can sign in. */
  #comeBackMs(): number {
    const { limits, random } = this.#deps;
    const spreadMs = Math.max(limits.reconnectSpreadMs, (this.#connections.size / limits.reconnectsPerSecond) * 1_000);
    const bytes = random(4);
    const drawn = new DataView(bytes.buffer, bytes.byteOffset, 4).getUint32(0) / UINT32;
    return Math.floor(drawn * spreadMs);
  }
}
