// Very many light members of one server, each with one request: they come back by themselves after whatever cut them off, when they were told to,
// and send the request again under its id as long as it has no end. Some holders answer at once, the others only once told to.
import { expect } from 'vitest';
import { OffsetClock, pause } from '../../src/base/clock.ts';
import { cryptoRandom, uuidv7 } from '../../src/base/ids.ts';
import { makeRequestId, type ReedId, type RequestId } from '../../src/wire/address.ts';
import { type LightAccount, type LightBehaviour, LightCommunity, LightMember } from './light-member.ts';
import type { TestServer } from './server.ts';

const CLOCK = new OffsetClock();
const AT_ONCE = 100;
const RETRY_MS = 250;
const PATIENCE = { timeout: 100_000, interval: 20 };

class Asker {
  readonly account: LightAccount;
  readonly lives: LightMember[] = [];
  readonly behaviour: Partial<LightBehaviour>;
  request: { readonly reed: ReedId; readonly id: RequestId } | null = null;
  /** Of the present connection: the request was answered there, or has its end. */
  driven = false;
  #stays = true;

  constructor(account: LightAccount, behaviour: Partial<LightBehaviour>) {
    this.account = account;
    this.behaviour = behaviour;
  }

  get now(): LightMember | undefined {
    return this.lives.at(-1);
  }

  /** The event that was SETTLED with a copy, if any was. */
  get held(): boolean {
    return this.lives.some(({ frames }) =>
      frames.some((frame) => frame.type === 'settled' && frame.body.events.some((event) => event.outcome === 'HELD')),
    );
  }

  async stay(url: string): Promise<void> {
    const life = await LightMember.connect(url, this.account, this.behaviour);
    // It may have been told to answer while it was signing in.
    Object.assign(life.behaviour, this.behaviour);
    if (this.behaviour.answer === 'bytes') life.answerAll();
    this.driven = false;
    this.lives.push(life);
    if (this.request !== null && !this.held) this.ask();
    void life.closed.then(() => this.#comeBack(url, life));
  }

  ask(): void {
    const { request, now } = this;
    if (request === null || now === undefined) return;
    now.request(request.reed, request.id);
    const mine = (frame: { readonly body: { readonly requestId: string } }) => frame.body.requestId === request.id;
    void Promise.race([now.next('requestAck', mine), now.next('error', mine), now.next('reedNotHeld', mine)]).then(() => {
      this.driven = true;
    });
  }

  async leave(): Promise<void> {
    this.#stays = false;
    await this.now?.vanish();
  }

  async #comeBack(url: string, life: LightMember): Promise<void> {
    const told = life.frames.findLast((frame) => frame.type === 'goingAway');
    let waitMs = told?.type === 'goingAway' ? told.body.retryAfterMs : RETRY_MS;
    while (this.#stays) {
      await pause(CLOCK, waitMs);
      waitMs = RETRY_MS;
      const isBack = await this.stay(url).then(
        () => true,
        () => false,
      );
      if (isBack) return;
    }
  }
}

export class Askers {
  readonly community: LightCommunity;
  readonly #url: string;
  readonly #holders: readonly Asker[];
  readonly #members: readonly Asker[];

  private constructor(server: TestServer, holders: readonly Asker[], members: readonly Asker[]) {
    this.community = new LightCommunity(server.database.url, server.app.serverId);
    this.#url = server.url;
    this.#holders = holders;
    this.#members = members;
  }

  /** Members and, beside them, holders of a reed each; every second holder does not answer until `restore`. */
  static async gather(server: TestServer, members: number, holders: number): Promise<Askers> {
    const community = new LightCommunity(server.database.url, server.app.serverId);
    const accounts = await community.accounts(members + holders);
    const crowd = new Askers(
      server,
      accounts.slice(0, holders).map((account, at) => new Asker(account, { answer: at % 2 === 0 ? 'bytes' : 'nothing' })),
      accounts.slice(holders).map((account) => new Asker(account, {})),
    );
    const reeds: ReedId[] = [];
    for (const { account } of crowd.#holders) reeds.push(...(await community.reeds(account.userId, 1)));
    await crowd.#enter(crowd.#holders);
    await crowd.#enter(crowd.#members);
    for (const [at, member] of crowd.#members.entries()) {
      member.request = { reed: reeds[at % holders] as ReedId, id: makeRequestId(member.account.userId, uuidv7(Date.now(), cryptoRandom)) };
    }
    return crowd;
  }

  askAll(): void {
    for (const member of this.#members) member.ask();
  }

  /** Of a ledger with a replica: one that registers anew empties what was written before it. */
  async epoch(): Promise<string | undefined> {
    return (await this.community.rows<{ epoch: string }>('select epoch from ledger_epoch where exists (select from replicas)'))[0]?.epoch;
  }

  /** From now on only what is answered anew counts as driven. */
  forgetDriven(): void {
    for (const member of this.#members) member.driven = false;
  }

  settled(count: number): Promise<void> {
    return expect.poll(() => this.#members.filter((member) => member.held).length, PATIENCE).toBeGreaterThanOrEqual(count);
  }

  /** Everybody's tokens are made good again, as those who come back sign in anew; holders answer from now on. */
  async restore(): Promise<void> {
    for (const holder of this.#holders) holder.behaviour.answer = 'bytes';
    await this.community.signInAgain([...this.#holders, ...this.#members].map((member) => member.account));
  }

  /** Whoever has no copy yet is connected, and its request was answered on that connection. */
  allDriven(): Promise<void> {
    return expect.poll(() => this.#members.filter((member) => !member.held && !member.driven).length, PATIENCE).toBe(0);
  }

  /** Tells of members who were told that they hold a copy, and of whom the server does not know it. */
  async forgotten(): Promise<object[]> {
    const held = this.#members.filter((member) => member.held);
    return this.community.rows(
      `select u.id from unnest($1::text[], $2::text[]) as u(id, reed)
        where not exists (select from reed_allocations a where a.holder_user_id = u.id and a.reed_id = u.reed)`,
      [held.map((member) => member.account.userId), held.map((member) => member.request?.reed)],
    );
  }

  async leave(): Promise<void> {
    await Promise.all([...this.#members, ...this.#holders].map((member) => member.leave()));
  }

  async #enter(members: readonly Asker[]): Promise<void> {
    for (let at = 0; at < members.length; at += AT_ONCE) {
      await Promise.all(members.slice(at, at + AT_ONCE).map((member) => member.stay(this.#url)));
    }
  }
}
