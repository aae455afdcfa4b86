// Two servers that are peers, as tests of the border use them: members on both, a clock that they share, and the proof, once everybody is gone, that no
// event, crossing or word that is owed is left on either side. What lies between the servers is the subclass's.
import { expect } from 'vitest';
import type { ReedId, ServerId } from '../../src/wire/address.ts';
import { type LightAccount, type LightBehaviour, type LightCommunity, LightMember } from './light-member.ts';
import type { MovedClock } from './moved-clock.ts';
import type { TestServer } from './server.ts';

export type Side = {
  readonly server: TestServer;
  readonly community: LightCommunity;
  readonly id: ServerId;
  /** Where its members connect. */
  readonly url: string;
};

/** The clock is moved by days, and members ask for the same again and again; rounds come when a test says. */
export const LIMITS_OF_SIDES = { sameReedPerHour: 1_000_000, sweepEveryMs: 3_600_000, tokenIdleMs: 1e11, tokenLifeMs: 1e11 };

export abstract class PairStage {
  clock!: MovedClock;
  /** Where what is asked for was written. */
  home!: Side;
  /** Where it is asked for. */
  asking!: Side;
  protected sides: Side[] = [];
  readonly #members: LightMember[] = [];
  readonly #accounts = new Map<string, LightAccount>();

  /** How much was seen between the servers so far. */
  protected abstract seen(): number;
  /** Nothing between them is held or lost any more. */
  protected abstract mend(): void;
  protected abstract forget(): void;

  async end(): Promise<void> {
    this.mend();
    try {
      await this.leave();
      await this.proveEmpty();
    } catch (error) {
      await this.close();
      throw error;
    }
    this.forget();
  }

  /** All members vanish. */
  async leave(): Promise<void> {
    await Promise.all(this.#members.splice(0).map((member) => member.vanish()));
  }

  async proveEmpty(): Promise<void> {
    // Whatever is owed has its date within minutes; what its peer does not know of, its lists end.
    for (let minute = 1; ; minute++) {
      await this.pass(61_000);
      const left = await this.#left();
      if (minute < 4 && left.length > 0) continue;
      expect(left, 'nothing is left on any side').toEqual([]);
      return;
    }
  }

  /** Rows of what is under way, by table. */
  async #left(): Promise<object[]> {
    const tables = ['pending_events', 'foreign_pending_events', 'foreign_relay_requests', 'pending_event_attempts'];
    const one = tables.map((table) => `select '${table}' as "table", to_jsonb(t) as row from ${table} t`).join(' union all ');
    return (await Promise.all(this.sides.map(({ community }) => community.rows<{ table: string; row: object }>(one)))).flat();
  }

  async close(): Promise<void> {
    for (const { server } of this.sides.splice(0)) await server.close();
  }

  /** Accounts of a side, whose keys the other sides know as if they had been proven to them. */
  async accounts(side: Side, count: number): Promise<LightAccount[]> {
    const accounts = await side.community.accounts(count);
    for (const account of accounts) this.#accounts.set(account.userId, account);
    const keys = await side.community.rows<{ id: string; user_id: string; statement_hash: Buffer }>(
      'select id, user_id, statement_hash from keys where user_id = any($1)',
      [accounts.map(({ userId }) => userId)],
    );
    for (const other of this.sides)
      if (other.id !== side.id)
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
    const member = await LightMember.connect(side.url, account, behaviour);
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
    for (let counted = -1; counted !== this.#counted(); ) {
      counted = this.#counted();
      await this.#ping();
      await Promise.all(this.sides.map(({ server }) => server.settle()));
      await this.#ping();
    }
  }

  async #ping(): Promise<void> {
    const open = this.#members.filter((member) => member.isOpen);
    await Promise.all(open.map((member) => Promise.race([member.ping(), member.closed])));
  }

  #counted(): number {
    return this.#members.reduce((sum, member) => sum + member.frames.length, 0) + this.seen();
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
