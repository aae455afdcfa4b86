// Two servers that are peers, with light members on both and a wire between them that a test can make go wrong. Cleared away after each test: that
// proves that no event, crossing or word that is owed is left on either side.
import { afterAll, afterEach, beforeEach, expect } from 'vitest';
import type { Limits } from '../../src/base/limits.ts';
import type { ReedId, ServerId } from '../../src/wire/address.ts';
import { Wire } from './fold-wire.ts';
import { type LightAccount, type LightBehaviour, LightCommunity, LightMember } from './light-member.ts';
import { MovedClock } from './moved-clock.ts';
import { approve } from './peer-wire.ts';
import { startServer, type TestServer, type TestServerOptions } from './server.ts';

export type Side = { readonly server: TestServer; readonly community: LightCommunity; readonly id: ServerId };

const TOKENS_FOR_EVER = { tokenIdleMs: 1e11, tokenLifeMs: 1e11 };

export const openSide = async (
  wire: Wire,
  clock: MovedClock,
  limits: Partial<Limits>,
  config: TestServerOptions['config'] = {},
): Promise<Side> => {
  let id = '' as ServerId;
  const server = await startServer({
    config,
    limits: { sameReedPerHour: 1_000_000, sweepEveryMs: 3_600_000, ...TOKENS_FOR_EVER, ...limits },
    overrides: { clock, peerCalls: wire.callsOf(() => id) },
  });
  id = server.app.serverId;
  wire.attach(id, server.app.legs);
  return { server, id, community: new LightCommunity(server.database.url, id) };
};

/** Both know of each other, and their peering is live. */
export const peer = async (one: Side, other: Side): Promise<void> => {
  for (const [here, there] of [
    [one, other],
    [other, one],
  ] as const) {
    await approve(here.server.database.url, there.server.database.url);
    await here.server.settle();
  }
};

/** Changes what a side knows of its peer, as a notice, a call or an admin would: `set` is SQL. */
export const setPeer = async ({ community, server }: Side, { id }: Side, set: string): Promise<void> => {
  await community.rows(`update peers set ${set} where server_id = $1`, [id]);
  await server.settle();
};

export class FoldPair {
  wire!: Wire;
  clock!: MovedClock;
  /** Where what is asked for was written. */
  home!: Side;
  /** Where it is asked for. */
  asking!: Side;
  readonly #members: LightMember[] = [];
  readonly #accounts = new Map<string, LightAccount>();
  #sides: Side[] = [];

  /** One pair for every test of the file. */
  static forEachTest(limits: Partial<Limits> = {}): FoldPair {
    const pair = new FoldPair();
    beforeEach(() => pair.start(limits));
    afterEach(() => pair.end());
    afterAll(() => pair.close());
    return pair;
  }

  async start(limits: Partial<Limits>, config: TestServerOptions['config'] = {}): Promise<void> {
    if (this.#sides.length > 0) return;
    this.wire = new Wire();
    this.clock = new MovedClock();
    this.home = await openSide(this.wire, this.clock, limits, config);
    this.asking = await openSide(this.wire, this.clock, limits, config);
    this.#sides = [this.home, this.asking];
    await peer(this.home, this.asking);
  }

  /** The home server ends and starts again, its ledger empty. */
  async restartHome(): Promise<void> {
    this.wire.detach(this.home.id);
    const server = await this.home.server.restart();
    this.home = { ...this.home, server };
    this.#sides[0] = this.home;
    const [row] = await this.home.community.rows<{ epoch: string }>('select epoch from ledger_epoch');
    this.wire.attach(this.home.id, server.app.legs, row?.epoch);
  }

  /** A third server that is the peer of both. */
  async third(): Promise<Side> {
    const side = await openSide(this.wire, this.clock, {});
    for (const known of this.#sides) await peer(side, known);
    this.#sides.push(side);
    return side;
  }

  async end(): Promise<void> {
    this.wire.fate = () => 'pass';
    this.wire.release();
    try {
      await Promise.all(this.#members.splice(0).map((member) => member.vanish()));
      // Whatever is owed has its date within minutes; what its peer does not know of, its lists end.
      for (let minute = 0; minute < 4; minute++) await this.pass(61_000);
      await this.settle();
      for (const { community } of this.#sides) {
        for (const table of ['pending_events', 'foreign_pending_events', 'foreign_relay_requests', 'pending_event_attempts'])
          expect(await community.rows(`select * from ${table}`), `nothing is left in ${table}`).toEqual([]);
      }
    } catch (error) {
      await this.close();
      throw error;
    }
    this.wire.calls.length = 0;
    this.wire.copies.reset();
  }

  async close(): Promise<void> {
    for (const { server } of this.#sides.splice(0)) await server.close();
  }

  /** Accounts of a side, whose keys the other sides know as if they had been proven to them. */
  async accounts(side: Side, count: number): Promise<LightAccount[]> {
    const accounts = await side.community.accounts(count);
    for (const account of accounts) this.#accounts.set(account.userId, account);
    const keys = await side.community.rows<{ id: string; user_id: string; statement_hash: Buffer }>(
      'select id, user_id, statement_hash from keys where user_id = any($1)',
      [accounts.map(({ userId }) => userId)],
    );
    for (const other of this.#sides)
      if (other !== side)
        await other.community.rows(
          `with u as (select * from unnest($1::text[], $2::text[], $3::bytea[]) as u(key, id, hash)),
            i as (insert into identities (id, server_id, first_seen_at) select id, $4, now() from u),
            s as (insert into statements (hash, user_id, type, seq, signed_at, certificate) select hash, id, 'key', 1, now(), '{}' from u)
            insert into keys (id, user_id, armor, recovery, statement_hash, created_at) select key, id, '', '', hash, now() from u`,
          [keys.map((key) => key.id), keys.map((key) => key.user_id), keys.map((key) => key.statement_hash), side.id],
        );
    return accounts;
  }

  /** For a member to come back with. */
  async accountOf(member: LightMember): Promise<LightAccount> {
    const account = this.#accounts.get(member.userId);
    if (account === undefined) throw new Error('no member of this pair');
    return account;
  }

  async join(side: Side, account: LightAccount, behaviour: Partial<LightBehaviour> = {}): Promise<LightMember> {
    const member = await LightMember.connect(side.server.url, account, behaviour);
    this.#members.push(member);
    return member;
  }

  /** New members of a side, online. */
  async members(side: Side, count: number, behaviour: Partial<LightBehaviour> = {}): Promise<LightMember[]> {
    const accounts = await this.accounts(side, count);
    return Promise.all(accounts.map((account) => this.join(side, account, behaviour)));
  }

  /** A new member of a side, online. */
  async member(side: Side, behaviour: Partial<LightBehaviour> = {}): Promise<LightMember> {
    const [account] = await this.accounts(side, 1);
    if (account === undefined) throw new Error('nobody signed up');
    return this.join(side, account, behaviour);
  }

  /** A reed of a new author at home, who is online. */
  async reed(behaviour: Partial<LightBehaviour> = {}): Promise<{ author: LightMember; reed: ReedId }> {
    const author = await this.member(this.home, behaviour);
    const [reed] = await this.home.community.reeds(author.userId, 1);
    if (reed === undefined) throw new Error('nothing was published');
    return { author, reed };
  }

  /** Comes to rest on all sides. */
  async settle(): Promise<void> {
    for (let counted = -1; counted !== this.#seen(); ) {
      counted = this.#seen();
      await this.#ping();
      await Promise.all(this.#sides.map(({ server }) => server.settle()));
      await this.#ping();
    }
  }

  async #ping(): Promise<void> {
    const open = this.#members.filter((member) => member.isOpen);
    await Promise.all(open.map((member) => Promise.race([member.ping(), member.closed])));
  }

  #seen(): number {
    return this.#members.reduce((sum, member) => sum + member.frames.length, 0) + this.wire.legs.length;
  }

  async pass(byMs: number): Promise<void> {
    this.clock.move(byMs);
    await this.settle();
  }

  /** Lets time pass in steps until something is so. */
  async passUntil(stepMs: number, isSo: () => boolean | Promise<boolean>): Promise<void> {
    for (let steps = 0; !(await isSo()); steps++) {
      if (steps > 400) throw new Error('it did not come to be so');
      await this.pass(stepMs);
    }
  }

  /** Who holds a reed at a side, by its record. */
  async holders(side: Side, reed: ReedId): Promise<string[]> {
    const rows = await side.community.rows<{ holder_user_id: string }>('select holder_user_id from reed_allocations where reed_id = $1', [
      reed,
    ]);
    return rows.map((row) => row.holder_user_id).sort();
  }
}
