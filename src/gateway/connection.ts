// One socket, from HELLO to its end. Frames take effect in order, the end after all of them; whatever is wrong with a frame is answered
// or closes the socket with a code of the table. Holds no timer and no closure of its own beyond what is needed until sign-in.
import type { Socket } from 'node:net';
import { CLOSE_CODES, type CloseCode } from '../base/codes.ts';
import { AppError } from '../base/errors.ts';
import { PROTOCOL } from '../base/protocol.ts';
import type { EndSessions } from '../bus/port.ts';
import type { Member } from '../identity/sessions.ts';
import type { Origin } from '../relay/port.ts';
import type { UserId } from '../wire/address.ts';
import type { FrameReason } from '../wire/codec.ts';
import { decodeFrame, encodeFrame } from '../wire/codec.ts';
import type { Frame, FrameBodies } from '../wire/frames.ts';
import { isPong, writePing } from './beat-frames.ts';
import { covers, Endings } from './endings.ts';
import { nextBeat } from './heartbeat.ts';
import { Inbox, type InboxOwner } from './inbox.ts';
import type { MemberSocket, SocketEvents } from './member-socket.ts';
import { ROUTES } from './routes.ts';
import type { SigningIn } from './sign-in.ts';
import type { Opening, Surroundings, Waiting } from './surroundings.ts';
import type { Timed } from './timer-wheel.ts';
import { Traffic } from './traffic.ts';

type State = 'new' | 'signing-in' | 'member' | 'ending' | 'closed';

/** From this much in the send buffer on, the end of each write is watched for. */
const WATCHED_BYTES = 64 * 1024;
/** After these we read nothing more. */
const UNREAD: ReadonlySet<CloseCode> = new Set<CloseCode>(['CLOSE_FRAME_TOO_LARGE', 'CLOSE_RATE_LIMITED', 'CLOSE_SLOW_READER']);
/** Stands for what is no frame of ours and is charged all the same. */
const UNKNOWN = { id: '', type: 'ping', body: {} } as const;

export class Connection implements Timed, InboxOwner, Origin, SigningIn, SocketEvents, Waiting {
  slot = -1;
  place = -1;
  dueAt = 0;
  readonly connectionId: string;
  nonce: string;
  readonly address: string;
  /** The send buffer is over its limit: no new events. */
  full = false;
  readonly #around: Surroundings;
  readonly #socket: MemberSocket;
  readonly #stream: Socket;
  readonly #traffic: Traffic;
  readonly #inbox: Inbox;
  #state: State = 'new';
  #member: Member | null = null;
  #frames = 0;
  #bytes = 0;
  #signingIn = false;
  #welcomed = false;
  /** Why the socket is not read: the inbox is full, or the replica is. */
  #stopped = false;
  #held = false;
  #endings: Endings | null = null;
  #count: ((chunk: Buffer) => void) | null;
  #flushed: (() => void) | null = null;

  constructor(around: Surroundings, socket: MemberSocket, opening: Opening) {
    const now = around.clock.monotonicMs();
    this.#around = around;
    this.#socket = socket;
    this.#stream = opening.stream;
    this.connectionId = opening.connectionId;
    this.nonce = opening.nonce;
    this.address = opening.address;
    this.#traffic = new Traffic(opening.stream, opening.headBytes, now);
    this.#inbox = new Inbox(this, around.limits);
    // Counted as they arrive: a frame that never ends must not fill memory before anybody knows who sends it.
    this.#count = (chunk) => this.#countBeforeWelcome(chunk.length);
    this.#stream.on('data', this.#count);
    socket.serve(this);
    around.wheel.set(this, now + around.limits.authenticationMs);
    this.reply({
      id: '',
      type: 'hello',
      body: {
        serverId: around.serverId,
        nonce: this.nonce,
        serverTime: around.clock.now(),
        protocolMin: PROTOCOL.min,
        protocolMax: PROTOCOL.max,
      },
    });
  }

  get member(): Member {
    if (!this.#member) throw new Error('not signed in');
    return this.#member;
  }

  get open(): boolean {
    return this.#state === 'member';
  }

  get over(): boolean {
    return this.#state === 'ending' || this.#state === 'closed';
  }

  /** Frames, and a sign-in, that have not taken effect yet. */
  get pending(): number {
    return this.#inbox.pending + (this.#signingIn ? 1 : 0);
  }

  /** One message from the socket. */
  receive(data: Buffer, isBinary: boolean): void {
    if (this.over) return;
    const { clock, limits } = this.#around;
    this.#traffic.received(data.length, clock.monotonicMs());
    if (isBinary && this.#state === 'member' && isPong(data) && this.#traffic.takePong()) return;
    if (!isBinary) this.end('CLOSE_TEXT_FRAME');
    else if (this.#state !== 'member' && ++this.#frames > limits.authenticationFrames) this.end('CLOSE_UNAUTHENTICATED');
    else {
      const decoded = decodeFrame(data, limits);
      if (decoded.ok) this.#accept(decoded.value, data.length);
      else this.#unreadable(decoded.reason, decoded.detail);
    }
  }

  /** A ping or pong of the WebSocket protocol: costs what a PING does. Before WELCOME its bytes are counted. */
  control(payloadBytes: number): boolean {
    if (this.over) return false;
    this.#traffic.received(payloadBytes, this.#around.clock.monotonicMs());
    return this.#state !== 'member' || this.#may(UNKNOWN);
  }

  reply(frame: Frame): void {
    this.write(encodeFrame(frame));
  }

  /** Sends an encoded frame. @returns false if the socket is no longer open */
  write(bytes: Uint8Array): boolean {
    const { clock, costs, hub, limits, outgoing } = this.#around;
    if (this.over || this.#socket.readyState !== this.#socket.OPEN) return false;
    this.#traffic.sent(bytes.length);
    if (this.#member) costs.noteAsk(this.#member.userId, bytes, clock.monotonicMs());
    const isWatched = this.#stream.writableLength + bytes.length > WATCHED_BYTES;
    if (isWatched) this.#flushed ??= () => this.#drained();
    outgoing.write(this.#stream, bytes, isWatched ? this.#flushed : null);
    const buffered = this.#socket.bufferedAmount;
    if (buffered > limits.sendBufferMaxBytes) this.end('CLOSE_SLOW_READER');
    else if (!this.full && buffered > limits.sendBufferFullBytes) {
      this.full = true;
      if (this.#member) hub.look(this.#member.userId);
    }
    return !this.over;
  }

  /** Closes the socket with a code of the table; frames that arrived before still take effect. */
  end(code: CloseCode): void {
    if (this.over) return;
    const { clock, limits, wheel } = this.#around;
    const welcomed = this.#state === 'member';
    this.#state = 'ending';
    this.#stopCounting();
    this.#socket.close(CLOSE_CODES[code].number, code);
    // Who sends too much is not read to the end of it: no handshake, the code and then our half of the connection.
    if (UNREAD.has(code)) {
      this.#socket.pause();
      this.#stream.end();
    }
    if (welcomed && this.#member) this.#around.hub.remove(this, this.#member.userId);
    wheel.set(this, clock.monotonicMs() + limits.closeWaitMs);
    // Who is silent answers no handshake either: its events must not wait for one.
    if (code === 'CLOSE_SILENT') this.cut();
  }

  /** Tells the client when to come back, and closes. */
  goAway(code: CloseCode): void {
    this.reply({ id: '', type: 'goingAway', body: { retryAfterMs: this.#around.comeBackMs() } });
    this.end(code);
  }

  /** Cuts the socket without a word. */
  cut(): void {
    this.#stream.uncork();
    this.#socket.terminate();
  }

  due(now: number): number | null {
    if (this.#state === 'ending') {
      this.cut();
      return null;
    }
    if (this.#state !== 'member') {
      this.end('CLOSE_AUTHENTICATION_TIMEOUT');
      return this.dueAt;
    }
    // What we do not read says nothing about the other side.
    if (this.#stopped || this.#held) this.#traffic.heard(now);
    this.#traffic.look(now);
    const beat = nextBeat(this.#traffic.heart, now, this.#around.limits);
    if (beat.act === 'silent') {
      this.end('CLOSE_SILENT');
      return this.dueAt;
    }
    if (beat.act === 'ping') {
      if (this.#socket.readyState === this.#socket.OPEN) this.#traffic.sent(writePing(this.#stream));
      this.#traffic.pinged(now);
    }
    return beat.dueAt;
  }

  /**
   * The regular look at what the socket's bytes do: bytes of a frame on its way in, bytes that wait to go out.
   * Closes a reader that takes nothing.
   */
  scan(now: number, arriving: UserId[], buffered: UserId[]): void {
    if (this.#state !== 'member' || !this.#member) return;
    this.#traffic.look(now);
    if (this.#traffic.arriving()) arriving.push(this.#member.userId);
    const waiting = this.#socket.bufferedAmount;
    if (waiting > 0) buffered.push(this.#member.userId);
    if (this.#traffic.stalledMs(waiting, now) >= this.#around.limits.sendStalledMs) this.end('CLOSE_SLOW_READER');
    else this.#drained();
  }

  get written(): boolean {
    return this.#member !== null;
  }

  present(member: Member): void {
    this.#member = member;
  }

  /** Sends WELCOME and begins the life of a member's connection. */
  welcome(body: FrameBodies['welcome']): void {
    const { clock, limits, wheel, identified } = this.#around;
    this.#state = 'member';
    this.#welcomed = true;
    this.#endings = null;
    this.nonce = '';
    this.#stopCounting();
    this.reply({ id: '', type: 'welcome', body });
    wheel.set(this, clock.monotonicMs() + limits.pingIntervalMs);
    identified(this.address);
  }

  /** A sign-in came to nothing: says why, and lets the client try again while it has frames left. */
  refuse(id: string, error: unknown): void {
    if (this.over) return;
    this.#state = 'new';
    this.#endings = null;
    this.#error(id, '', error);
    if (this.#frames >= this.#around.limits.authenticationFrames) this.end('CLOSE_UNAUTHENTICATED');
  }

  /** Sessions of a member end; whether this is one of them may only be known after the sign-in. */
  sessionsEnded(userId: UserId, options: EndSessions): void {
    if (this.#state === 'member' && this.#member && covers(options, this.#member)) this.end(options.code);
    else this.#endings?.note(userId, options);
  }

  /** The code with which the member's session ended while it was being opened. */
  endedMeanwhile(member: Member): CloseCode | null {
    return this.#endings?.of(member) ?? null;
  }

  async run(frame: Frame): Promise<void> {
    try {
      await this.#around.frames.handle(this, frame);
    } catch (error) {
      this.#error(frame.id, requestIdOf(frame), error);
    }
  }

  mustWait(): boolean {
    if (!this.#around.overloaded()) return false;
    this.#around.waits(this);
    this.#held = true;
    this.#regulate();
    return true;
  }

  /** Room again: starts what waited. */
  resume(): void {
    this.#held = false;
    this.#inbox.pump();
    this.#regulate();
  }

  reading(on: boolean): void {
    this.#stopped = !on;
    this.#regulate();
  }

  /** The socket is gone. */
  closed(): void {
    if (this.#state === 'closed') return;
    if (this.#state === 'member' && this.#member) this.#around.hub.remove(this, this.#member.userId);
    this.#state = 'closed';
    this.#stopCounting();
    this.#around.wheel.remove(this);
    if (!this.#welcomed) this.#around.identified(this.address);
    if (!this.#signingIn) this.#inbox.end();
  }

  /** The WebSocket protocol was broken or the network failed; the close follows by itself, within the usual wait. */
  failed(): void {
    const { clock, limits, wheel } = this.#around;
    if (this.over) return;
    if (this.#state === 'member' && this.#member) this.#around.hub.remove(this, this.#member.userId);
    this.#state = 'ending';
    wheel.set(this, clock.monotonicMs() + limits.closeWaitMs);
  }

  emptied(): void {
    this.#around.gone(this.connectionId, this.#member);
  }

  #unreadable(reason: FrameReason, id: string): void {
    if (reason === 'too-large') this.end('CLOSE_FRAME_TOO_LARGE');
    else if (reason === 'malformed') this.end('CLOSE_MALFORMED_FRAME');
    else if (this.#state !== 'member') this.end('CLOSE_UNEXPECTED_FRAME');
    else if (this.#may({ ...UNKNOWN, id })) this.#error(id, '', new AppError('UNIMPLEMENTED', 'this server does not know this frame'));
  }

  #accept(frame: Frame, bytes: number): void {
    const route = ROUTES[frame.type];
    const signedIn = this.#state === 'member';
    if (route === 'never' || (!signedIn && route !== 'session')) this.end('CLOSE_UNEXPECTED_FRAME');
    else if (frame.type === 'authenticate') this.#authenticate(frame.id, frame.body);
    else if (signedIn && !this.#may(frame)) return;
    else if (frame.type === 'ping') this.reply({ id: frame.id, type: 'pong', body: {} });
    else if (route === 'relay') this.#inbox.push(frame, bytes);
  }

  #authenticate(id: string, body: FrameBodies['authenticate']): void {
    if (this.#state !== 'new') {
      this.end('CLOSE_UNEXPECTED_FRAME');
      return;
    }
    this.#state = 'signing-in';
    this.#endings = new Endings();
    this.#signingIn = true;
    void this.#around.signIn.run(this, id, body).then(() => {
      this.#signingIn = false;
      if (this.#state === 'closed') this.#inbox.end();
    });
  }

  /** Charges the member for a frame; over its budget it is told so. */
  #may(frame: Frame): boolean {
    if (frame.type === 'pong' && this.#traffic.takePong()) return true;
    const { clock, costs } = this.#around;
    const { userId } = this.member;
    const now = clock.monotonicMs();
    const retryAfterMs = costs.charge({ userId, connectionId: this.connectionId }, frame, now);
    if (retryAfterMs === 0) return true;
    const error = new AppError('RATE_LIMITED', 'over the budget', { retryAfterMs });
    this.#error(frame.id, requestIdOf(frame), error);
    if (costs.persists(userId, now)) this.end('CLOSE_RATE_LIMITED');
    return false;
  }

  #error(id: string, requestId: string, error: unknown): void {
    const { limits, log } = this.#around;
    const known = error instanceof AppError ? error : new AppError('INTERNAL', 'the server failed', { cause: error });
    if (known.code === 'INTERNAL' && !known.isLogged) log.error({ err: known.cause ?? known }, 'a frame failed');
    // What is too long to be an id is not repeated: the ERROR itself has to fit into a frame.
    const repeated = (text: string): string => (text.length > limits.idChars ? '' : text);
    const retryAfterMs = Math.ceil(known.retryAfterMs ?? 0);
    const body = { code: known.code, detail: known.detail, requestId: repeated(requestId), retryAfterMs };
    this.reply({ id: repeated(id), type: 'error', body });
  }

  #regulate(): void {
    if (this.over) return;
    const reading = !this.#stopped && !this.#held;
    if (reading === !this.#socket.isPaused) return;
    if (reading) this.#socket.resume();
    else this.#socket.pause();
  }

  #drained(): void {
    if (!this.full || this.#socket.bufferedAmount > this.#around.limits.sendBufferFullBytes / 2) return;
    this.full = false;
    if (this.#state === 'member' && this.#member) this.#around.hub.look(this.#member.userId);
  }

  #countBeforeWelcome(bytes: number): void {
    this.#bytes += Math.max(bytes, this.#around.limits.unauthenticatedReadBytes);
    if (this.#bytes > this.#around.limits.unauthenticatedBytes) this.end('CLOSE_FRAME_TOO_LARGE');
  }

  #stopCounting(): void {
    if (!this.#count) return;
    this.#stream.off('data', this.#count);
    this.#count = null;
  }
}

const requestIdOf = (frame: Frame): string => ('requestId' in frame.body ? frame.body.requestId : '');
