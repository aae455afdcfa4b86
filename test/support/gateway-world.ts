// A gateway on a real HTTP server, real sockets and a real database; what stands behind its ports is made up: sessions by name, and a
// relay that writes down what it is told. The clock stands still until the test moves it.
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { WebSocket } from 'ws';
import { OffsetClock, pause } from '../../src/base/clock.ts';
import { cryptoRandom } from '../../src/base/ids.ts';
import { DEFAULT_LIMITS, type Limits } from '../../src/base/limits.ts';
import { fail, ok } from '../../src/base/result.ts';
import { MemoryBus } from '../../src/bus/memory-bus.ts';
import { Gateway, type GatewayDeps } from '../../src/gateway/gateway.ts';
import { AddressBudget } from '../../src/identity/address-budget.ts';
import type { Member } from '../../src/identity/sessions.ts';
import type { MemberFrames, Origin } from '../../src/relay/port.ts';
import type { ServerId, UserId, UserKeyId } from '../../src/wire/address.ts';
import { decodeFrame, encodeFrame } from '../../src/wire/codec.ts';
import type { Frame, FrameOf, FrameType } from '../../src/wire/frames.ts';
import { freshId, log, memberId, type PresenceWorld, type TestReplica } from './presence-world.ts';

export const SERVER = 'bbbbbbbbbbbbbbbb' as ServerId;
const NONCE = 'AAAAAAAAAAAAAAAAAAAAAA';
/** A client takes what a server sends, however large a test makes it. */
const CLIENT_LIMITS = { ...DEFAULT_LIMITS, relayResponseBytes: 64 * 1024 * 1024 };

type Told = { readonly what: string; readonly userId?: UserId; readonly value?: unknown };

/** The relay, as far as the gateway can tell. */
export class ScriptedFrames implements MemberFrames {
  readonly handled: Frame[] = [];
  readonly told: Told[] = [];
  /** What a frame does; replaced by tests. */
  act: (from: Origin, frame: Frame) => Promise<void> = async () => undefined;
  readonly #waiting: { done: () => boolean; resolve: () => void }[] = [];

  async handle(from: Origin, frame: Frame): Promise<void> {
    this.handled.push(frame);
    this.#look();
    await this.act(from, frame);
  }
  async arrived(userId: UserId, isFresh: boolean): Promise<void> {
    this.#tell({ what: 'arrived', userId, value: isFresh });
  }
  async left(userId: UserId): Promise<boolean> {
    this.#tell({ what: 'left', userId });
    return false;
  }
  askedInVain(userId: UserId, asks: readonly Uint8Array[]): void {
    this.#tell({ what: 'asked in vain', userId, value: asks.length });
  }
  congested(userId: UserId, full: boolean): void {
    this.#tell({ what: 'congested', userId, value: full });
  }
  bytesArriving(holders: readonly UserId[]): void {
    for (const userId of holders) this.#tell({ what: 'arriving', userId });
  }
  stillBuffered(requesters: readonly UserId[]): void {
    for (const userId of requesters) this.#tell({ what: 'buffered', userId });
  }
  /** Resolves once `done` holds; looked at whenever anything is told or handled. */
  until(done: () => boolean): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push({ done, resolve });
      this.#look();
    });
  }
  /** Resolves once this was told, with its value. */
  async tells(what: string, userId?: UserId): Promise<unknown> {
    const find = () => this.told.findLast((told) => told.what === what && (userId === undefined || told.userId === userId));
    await this.until(() => find() !== undefined);
    return find()?.value;
  }
  #tell(told: Told): void {
    this.told.push(told);
    this.#look();
  }
  #look(): void {
    for (const waiter of [...this.#waiting]) {
      if (!waiter.done()) continue;
      this.#waiting.splice(this.#waiting.indexOf(waiter), 1);
      waiter.resolve();
    }
  }
}

/** A client that does nothing by itself. */
export class RawClient {
  readonly socket: WebSocket;
  readonly frames: Frame[] = [];
  readonly closed: Promise<{ code: number; reason: string }>;
  #wake: (() => void)[] = [];

  constructor(socket: WebSocket) {
    this.socket = socket;
    socket.on('error', () => undefined);
    socket.on('message', (data: Buffer) => {
      const decoded = decodeFrame(data, CLIENT_LIMITS);
      if (!decoded.ok) throw new Error(`the server sent something ${decoded.reason}`);
      this.frames.push(decoded.value);
      this.#look();
    });
    this.closed = new Promise((resolve) => {
      socket.on('close', (code, reason) => {
        resolve({ code, reason: reason.toString() });
        this.#look();
      });
    });
  }

  /** The next frame of this type; frames before it are dropped. */
  async next<K extends FrameType>(type: K): Promise<FrameOf<K>> {
    for (;;) {
      const at = this.frames.findIndex((frame) => frame.type === type);
      if (at >= 0) return this.frames.splice(0, at + 1).at(-1) as FrameOf<K>;
      if (this.socket.readyState === WebSocket.CLOSED) throw new Error(`closed before ${type}`);
      await new Promise<void>((resolve) => this.#wake.push(resolve));
    }
  }

  send(frame: Frame): void {
    this.socket.send(encodeFrame(frame));
  }

  authenticate(token: string, clientNonce = NONCE): void {
    const body = { statement: new Uint8Array(0), signature: '', clientNonce, token };
    this.send({ id: '', type: 'authenticate', body });
  }

  /** A PING's way there and back: everything sent before it has arrived. */
  async echo(id = 'echo'): Promise<void> {
    this.send({ id, type: 'ping', body: {} });
    await this.next('pong');
  }

  #look(): void {
    const wake = this.#wake;
    this.#wake = [];
    for (const resolve of wake) resolve();
  }
}

/** Resolves once `holds`: what a socket's other end causes here comes with the next turns of the event loop. */
export async function eventually(holds: () => boolean): Promise<void> {
  const clock = new OffsetClock();
  while (!holds()) await pause(clock, 1);
}

export type GatewayWorld = {
  readonly presence: PresenceWorld;
  readonly node: TestReplica;
  readonly gateway: Gateway;
  readonly frames: ScriptedFrames;
  readonly bus: MemoryBus;
  readonly url: string;
  readonly port: number;
  /** Members by token; any other token is refused. */
  readonly members: Map<string, Member>;
  overloaded: boolean;
  /** A member with a token, known to the made-up sessions. */
  enrol(number: number, deviceId?: string): Member & { readonly token: string };
  connect(options?: { protocols?: string[]; headers?: Record<string, string>; path?: string }): Promise<RawClient>;
  /** Connects and signs in; resolves after WELCOME. */
  signIn(token: string): Promise<RawClient & { readonly welcome: FrameOf<'welcome'> }>;
  /** How the server ends this client, the wait for the other side included. */
  ended(client: RawClient): Promise<{ code: number; reason: string }>;
  close(): Promise<void>;
};

type Options = { readonly limits?: Partial<Limits>; readonly deps?: (world: GatewayWorld) => Partial<GatewayDeps> };

const MADE_UP = (members: ReadonlyMap<string, Member>): GatewayDeps['sessions'] => ({
  authenticateToken: async (token) => members.get(token) ?? null,
  authenticateStatement: async ({ statement }, nonce) => {
    const member = members.get(new TextDecoder().decode(statement).replace(nonce, 'NONCE'));
    return member ? ok({ ...member, token: 'fresh' }) : fail('unauthenticated');
  },
  endedOf: async (asked) => {
    const standing = [...members.values()];
    return asked.map(({ userId, deviceId }) => {
      const own = standing.filter((member) => member.userId === userId);
      if (own.length === 0) return 'ended';
      return own.some((member) => member.deviceId === deviceId) ? null : 'replaced';
    });
  },
});

/** What the gateway is made of, but for what a test replaces. */
function depsOf(world: Omit<GatewayWorld, 'gateway'>, limits: Limits): GatewayDeps {
  const { bus, frames, members, node } = world;
  const addresses = new AddressBudget({ clock: node.clock, limits });
  return {
    serverId: SERVER,
    publicOrigin: () => null,
    addressOf: (request) => request.socket.remoteAddress ?? '',
    headerLines: '',
    sessions: MADE_UP(members),
    trySignIn: (address, signIn) => addresses.trySignIn(address, signIn),
    signWelcome: async (session, clientNonce) => ({ kid: 'kid', signature: `${session} ${clientNonce}` }),
    presence: node.presence,
    replicaId: () => node.replica.id,
    frames,
    endSessions: (userId, ended) => bus.endSessions(userId, ended),
    overloaded: () => world.overloaded,
    clock: node.clock,
    random: cryptoRandom,
    limits,
    log,
  };
}

/** The parts of a world that make clients. */
function clientsOf(world: GatewayWorld, limits: Limits) {
  const all: RawClient[] = [];
  const connect: GatewayWorld['connect'] = async ({ protocols = ['reedbed.v1'], headers = {}, path = '/socket' } = {}) => {
    const client = new RawClient(new WebSocket(`${world.url}${path}`, protocols, { headers, perMessageDeflate: false }));
    all.push(client);
    await once(client.socket, 'open');
    return client;
  };
  return {
    connect,
    enrol(number: number, deviceId = freshId()) {
      const userId = memberId(number);
      const member: Member = { userId, keyId: `${userId}/${'0'.repeat(40)}` as UserKeyId, deviceId, role: 'user' };
      const token = `token-${number}-${deviceId}`;
      world.members.set(token, member);
      return { ...member, token };
    },
    async signIn(token: string) {
      const client = await connect();
      await client.next('hello');
      client.authenticate(token);
      return Object.assign(client, { welcome: await client.next('welcome') });
    },
    async ended(client: RawClient) {
      await eventually(() => client.socket.readyState !== WebSocket.OPEN);
      world.node.clock.advance(limits.closeWaitMs + limits.wheelTickMs);
      return client.closed;
    },
    terminate() {
      for (const client of all) client.socket.terminate();
    },
  };
}

/** Tests share a database through `presence`; a gateway of its own for each test. */
export async function createGatewayWorld(presence: PresenceWorld, options: Options = {}): Promise<GatewayWorld> {
  const limits = { ...DEFAULT_LIMITS, ...options.limits };
  const http: Server = createServer();
  http.listen(0, '127.0.0.1');
  await once(http, 'listening');
  const { port } = http.address() as AddressInfo;
  const world = {
    presence,
    node: presence.replica('gateway', options.limits),
    frames: new ScriptedFrames(),
    bus: new MemoryBus(),
    members: new Map<string, Member>(),
    port,
    url: `ws://127.0.0.1:${port}`,
    overloaded: false,
  } as GatewayWorld;
  const { replica } = world.node;
  const gateway: Gateway = new Gateway({ ...depsOf(world, limits), ...options.deps?.(world) });
  const detach = gateway.attach(http);
  await replica.start();
  const served = world.bus.serve(replica.id, {
    deliver: (to, bytes, kind) => gateway.hub.deliver(to, bytes, kind),
    dispatch: () => undefined,
    endSessions: (userId, ended) => gateway.hub.endSessions(userId, ended),
  });
  const { terminate, ...clients } = clientsOf(world, limits);
  const close = async (): Promise<void> => {
    terminate();
    await gateway.close();
    served.close();
    detach();
    await replica.stop();
    http.closeAllConnections();
    http.close();
  };
  return Object.assign(world, { gateway, close }, clients);
}
