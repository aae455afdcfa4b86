// A whole server under attack: hostile raw clients on one side, on the other an honest pair of members and two deliveries under way.
// After each test both must be as before, and neither the log nor any frame may tell of a fault of the server itself.
import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import type { Limits } from '../../src/base/limits.ts';
import type { ReedId } from '../../src/wire/address.ts';
import { type LightAccount, type LightBehaviour, LightCommunity, LightMember } from './light-member.ts';
import { MovedClock } from './moved-clock.ts';
import { uuid } from './raw-person.ts';
import { RawSocket, type UpgradeOptions } from './raw-socket.ts';
import { CLOSE, CLOSE_CODES, type RawFrame, readFrame, SERVER_FAULTS } from './raw-wire.ts';
import { startServer, type TestServer, type TestServerOptions } from './server.ts';

const HOUR_MS = 3_600_000;
const WARNING = 40;
/** What a member may have written down for the operator: no fault of the server. */
const REPORT_OF_A_MEMBER = 'a member rejected a reed';
const LIMITS: Partial<Limits> = {
  ...{ dispatchDeadlineMs: HOUR_MS, acknowledgeMs: HOUR_MS, sameReedPerHour: 1_000_000, failedSignInsPerMinute: 1_000_000 },
};
/** What the pair has, and what is under way between others. */
const KEPT = `select (select array_agg(holder_user_id order by 1) from reed_allocations where reed_id = any($1)) as holders,
  (select array_agg(state order by state) from pending_events where event_id = any($2::uuid[])) as under_way`;

/** The process's clock, whose durations can be wound on too: heartbeats, waits for a sign-in, stalls. */
class WoundClock extends MovedClock {
  #woundMs = 0;

  wind(byMs: number): void {
    this.#woundMs += byMs;
  }

  override monotonicMs(): number {
    return super.monotonicMs() + this.#woundMs;
  }
}

type LogLine = { readonly level: number; readonly msg?: string };
type Honest = { readonly author: LightMember; readonly reader: LightMember; readonly reed: ReedId };

export class AbuseStage {
  server!: TestServer;
  community!: LightCommunity;
  honest!: Honest;
  clock = new WoundClock();
  /** An event dispatched to somebody who says nothing, and one relayed to somebody who does not acknowledge: others' affairs. */
  dispatched = '';
  relayed = '';
  readonly #options: TestServerOptions;
  readonly #sockets: RawSocket[] = [];
  readonly #members: LightMember[] = [];
  #kept: unknown;
  #subjects: readonly unknown[] = [];
  #readBytes = 0;

  private constructor(options: TestServerOptions) {
    this.#options = options;
  }

  /** One server for all tests of the file, judged after each. */
  static forFile(limits: Partial<Limits> = {}, options: TestServerOptions = {}): AbuseStage {
    const stage = new AbuseStage({ ...options, limits: { ...LIMITS, ...limits } });
    beforeAll(() => stage.start());
    afterEach(() => stage.allIsWell());
    afterAll(() => stage.server.close());
    return stage;
  }

  async start(): Promise<void> {
    this.server = await startServer({ ...this.#options, overrides: { clock: this.clock } });
    // A start may say that the web app is not built.
    this.#newLog();
    this.community = new LightCommunity(this.server.database.url, this.server.app.serverId);
    const [a, b, c, d, e] = (await this.accounts(5)) as [LightAccount, LightAccount, LightAccount, LightAccount, LightAccount];
    const join = (account: LightAccount, behaviour: Partial<LightBehaviour> = {}) =>
      LightMember.connect(this.server.url, account, behaviour);
    const [author, reader] = [await join(a), await join(b)];
    const [mute, waiting, deaf] = [
      await join(c, { answer: 'nothing' }),
      await join(d, { acknowledge: 'nothing' }),
      await join(e, { acknowledge: 'nothing' }),
    ];
    const [reed, other] = (await this.community.reeds(a.userId, 2)) as [ReedId, ReedId];
    const [muted] = (await this.community.reeds(c.userId, 1)) as [ReedId];
    waiting.request(muted);
    deaf.request(other);
    this.honest = { author, reader, reed };
    this.dispatched = (await mute.next('relayRequest')).id;
    this.relayed = (await deaf.next('dataResponse')).id;
    await this.deliver();
    this.#subjects = [
      [reed, other, muted],
      [this.dispatched, this.relayed],
    ];
    this.#kept = await this.community.rows(KEPT, this.#subjects);
  }

  accounts(count: number): Promise<LightAccount[]> {
    return this.community.accounts(count);
  }

  async account(): Promise<LightAccount> {
    return (await this.accounts(1))[0] as LightAccount;
  }

  /** A published reed of a member, and of holders beside. */
  async reed(author: LightAccount, holders: readonly LightAccount[] = [author]): Promise<ReedId> {
    const holding = holders.map((holder) => holder.userId);
    return (await this.community.reeds(author.userId, 1, holding))[0] as ReedId;
  }

  /** An honest member; gone after the test. */
  async join(account: LightAccount, behaviour: Partial<LightBehaviour> = {}): Promise<LightMember> {
    const member = await LightMember.connect(this.server.url, account, behaviour);
    this.#members.push(member);
    return member;
  }

  /** A hostile connection after its upgrade, whatever that was answered; gone after the test. */
  async open(options: UpgradeOptions = {}): Promise<RawSocket> {
    const socket = await RawSocket.open(this.server.url, options);
    this.#sockets.push(socket);
    return socket;
  }

  /** A hostile TCP connection that says nothing by itself. */
  async dial(): Promise<RawSocket> {
    const socket = await RawSocket.dial(this.server.url);
    this.#sockets.push(socket);
    return socket;
  }

  /** A hostile connection that was greeted. */
  async greeted(options: UpgradeOptions = {}): Promise<RawSocket> {
    const socket = await this.open(options);
    await socket.next('hello');
    return socket;
  }

  /** A hostile member's connection. */
  async signIn({ token }: { readonly token: string }, options: UpgradeOptions = {}): Promise<RawSocket> {
    const socket = await this.greeted(options);
    socket.authenticate(token);
    await socket.next('welcome');
    return socket;
  }

  /** A request id of the member's own. */
  requestId({ userId }: LightAccount): string {
    return `${userId}/${uuid()}`;
  }

  /** What must be so after anything that was done to the server. */
  async allIsWell(): Promise<void> {
    await this.deliver();
    for (const socket of this.#sockets) socket.vanish();
    const ends = await Promise.all(this.#sockets.map((socket) => socket.closed));
    for (const { code } of ends.filter(({ code: sent }) => sent >= 4000)) {
      expect(CLOSE_CODES).toContain(code);
      expect(code).not.toBe(CLOSE.internal);
    }
    expect(this.#sockets.splice(0).flatMap(({ messages }) => messages.map(readFrame).filter(isServerFault))).toEqual([]);
    await Promise.all(this.#members.splice(0).map((member) => member.leave()));
    await this.server.settle();
    expect(this.#newLog().filter(({ level, msg }) => level >= WARNING && msg !== REPORT_OF_A_MEMBER)).toEqual([]);
    expect(await this.community.rows(KEPT, this.#subjects)).toEqual(this.#kept);
  }

  /** Everybody who was sent a PING has answered it: two deliveries take longer than that. */
  async allAnswer(): Promise<void> {
    await this.server.settle();
    await this.deliver();
    await this.deliver();
  }

  /** What was logged since the last look, which `allIsWell` does not see any more. */
  #newLog(): LogLine[] {
    const log = this.server.logged();
    const lines = log.slice(this.#readBytes).split('\n').filter(Boolean);
    this.#readBytes = log.length;
    return lines.map((line) => JSON.parse(line) as LogLine);
  }

  /** A whole delivery of the honest pair: asked for, relayed, acknowledged, settled. */
  async deliver(): Promise<void> {
    const { reader, reed } = this.honest;
    const id = reader.request(reed);
    const { id: event } = await reader.next('dataResponse', ({ body }) => body.requestId === id);
    await reader.next('settled', ({ body }) => body.events.some(({ eventId: of, outcome }) => of === event && outcome === 'HELD'));
    reader.frames.length = 0;
  }
}

const isServerFault = (found: RawFrame): boolean => found.type === 'error' && SERVER_FAULTS.includes(Number(found.body['code'] ?? 0));
