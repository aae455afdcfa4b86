// Two servers in processes of their own that are peers over signed HTTP, each behind a proxy towards its peer and one towards Postgres, killed at a
// point that a test names and started again. Their dates are short, so that what is owed is tried again within a second.
import { expect } from 'vitest';
import type { Member } from '../../src/client/member.ts';
import type { MemberEvent } from '../../src/client/types.ts';
import { CopyCount } from '../../src/ops/demo/copy-count.ts';
import type { ReedId, ServerId, UserId } from '../../src/wire/address.ts';
import { Border, BorderWay } from './border-wire.ts';
import { removeFolder } from './child.ts';
import { makeDataFolder } from './data-folder.ts';
import { KillStage, type Persistent } from './kill-stage.ts';
import { makeMember } from './members.ts';
import { becomePeers, type Operated } from './peering.ts';
import type { Hold, Point } from './pg-proxy.ts';

export type SideName = 'home' | 'asking';
export type SdkMember = { readonly member: Member; readonly user: UserId; readonly events: readonly MemberEvent[] };

/** By their names in reedbed.toml. */
const DATES = {
  ...{ crossing_send_ms: 800, crossing_ms: 1_500, crossings_list_ms: 500, crossing_grace_ms: 2_000, in_line_look_ms: 500 },
  ...{ fold_audit_every_ms: 200, owed_retry_first_ms: 100, owed_retry_max_ms: 400, fanout_lease_ms: 1_000, catchup_lease_ms: 1_000 },
  ...{ peer_backoff_first_ms: 100, peer_backoff_max_ms: 400, peer_sweep_every_ms: 200, peer_away_max_ms: 400 },
  ...{ stream_every_ms: 200, stream_retry_first_ms: 100, stream_retry_max_ms: 400, stream_lease_ms: 1_000, sweep_every_ms: 200 },
  ...{ peer_requests_per_second: 1_000, same_reed_per_hour: 1_000 },
};

/** What is left of anything that was open, was owed, or is to be told. */
const LEFT = `
select 'an event' as what, event_id::text as of from pending_events
union all select 'a crossing', crossing_id::text || ' ' || coalesce(owes, 'open') from foreign_pending_events
union all select 'a request of a peer', event_id::text || ' ' || coalesce(owes, 'open') from foreign_relay_requests
union all select 'an attempt', event_id::text from pending_event_attempts
union all select 'a word of a holder', reed_id from holder_notices
union all select 'a publication to be told', subject_id from pending_fanout
union all select 'an act to be told', leg || ' ' || target from owed_legs
union all select 'a fact to be sent', s.author_id from author_streams s join peers p on true left join peer_cursors c on c.author_id = s.author_id and c.server_id = p.server_id
  where s.last_number > coalesce(c.cursor, 0) or c.lease_until is not null`;

export class BorderStage {
  readonly border = new Border(new CopyCount());
  readonly #ways: BorderWay[] = [];
  readonly #sides = new Map<SideName, KillStage>();
  readonly #sdkMembers: Member[] = [];

  static async start(): Promise<BorderStage> {
    const stage = new BorderStage();
    const lines = Object.entries(DATES).map(([name, value]) => `${name} = ${value}`);
    await Promise.all(
      (['home', 'asking'] as const).map(async (name) => {
        const way = await BorderWay.open(stage.border);
        stage.#ways.push(way);
        stage.#sides.set(name, await KillStage.start(lines, { port: way.port, publicUrl: way.url, direct: way.direct }));
      }),
    );
    const folder = await makeDataFolder();
    await becomePeers(operated(stage.home), operated(stage.asking), folder);
    await removeFolder(folder);
    return stage;
  }

  side(name: SideName): KillStage {
    const side = this.#sides.get(name);
    if (side === undefined) throw new Error('not started');
    return side;
  }

  get home(): KillStage {
    return this.side('home');
  }

  get asking(): KillStage {
    return this.side('asking');
  }

  /** Whether a replica that lives stands beside each server: then a start finds the rows as they were; else it empties all UNLOGGED tables. */
  async standBeside(isSo: boolean): Promise<void> {
    for (const side of this.#sides.values()) await side.standBeside(isSo);
  }

  /** For the next scene: what a failed one left is gone. */
  async anew(): Promise<void> {
    await this.#leave();
    for (const side of this.#sides.values()) {
      side.proxy.disarm();
      await side.anew();
    }
    for (const side of this.#sides.values())
      await expect
        .poll(() => side.rows('select state from fold_peers p join peers using (server_id) where failures = 0 and not away'))
        .toEqual([{ state: 'live' }]);
    this.border.fate = () => 'pass';
    this.border.reset();
  }

  /** Members of a side, whose keys the other side takes for proven. */
  async members(name: SideName, count: number): Promise<Persistent[]> {
    const [side, other] = name === 'home' ? [this.home, this.asking] : [this.asking, this.home];
    const members = await side.members(count);
    const keys = await side.rows<{ id: string; user_id: string; statement_hash: Buffer }>(
      'select id, user_id, statement_hash from keys where user_id = any($1)',
      [members.map(({ account }) => account.userId)],
    );
    await other.rows(
      `with u as (select * from unnest($1::text[], $2::text[], $3::bytea[]) as u(key, id, hash)),
        i as (insert into identities (id, server_id, first_seen_at) select id, $4, now() from u),
        s as (insert into statements (hash, user_id, type, seq, signed_at, certificate) select hash, id, 'key', 1, now(), '{}' from u)
        insert into keys (id, user_id, armor, recovery, statement_hash, created_at) select key, id, '', '', hash, now() from u`,
      [keys.map((key) => key.id), keys.map((key) => key.user_id), keys.map((key) => key.statement_hash), side.ready.serverId],
    );
    return members;
  }

  /** A member by the SDK, as anybody's program would be: it comes back by itself. */
  async sdkMember(name: SideName): Promise<SdkMember> {
    const member = await makeMember({ url: this.side(name).ready.url });
    this.#sdkMembers.push(member);
    const events: MemberEvent[] = [];
    member.subscribe((event) => void events.push(event));
    return { member, events, user: member.account?.user as UserId };
  }

  /** Kills a server when it stands at the point, and starts it again. */
  async killAt(name: SideName, point: Point, go: () => unknown): Promise<void> {
    const side = this.side(name);
    let hold: Hold | null = null;
    void side.proxy.at(point).then((reached) => {
      hold = reached;
    });
    await go();
    const message = `${name} comes to ${point.statement}`;
    await expect.poll(() => hold !== null, { timeout: 30_000, interval: 5, message }).toBe(true);
    await side.kill(hold ?? undefined);
    await side.startServer();
  }

  /** Members of a server that was killed come back, as their software does. */
  async back(name: SideName, members: readonly Persistent[]): Promise<void> {
    const side = this.side(name);
    await side.community.signInAgain(members.map(({ account }) => account));
    for (const member of members) await member.connect(member.lives.at(-1)?.behaviour ?? {});
  }

  /** Resolves when nothing is open, owed or to be told on either side. */
  async empty(): Promise<void> {
    for (const side of this.#sides.values())
      await expect.poll(() => side.rows(LEFT), { timeout: 60_000, interval: 20, message: 'nothing is left' }).toEqual([]);
  }

  /** Who holds a reed at the asking side. */
  async holders(reed: ReedId): Promise<string[]> {
    const rows = await this.asking.rows<{ id: string }>('select holder_user_id as id from reed_allocations where reed_id = $1 order by 1', [
      reed,
    ]);
    return rows.map(({ id }) => id);
  }

  /** Whether the home knows that the asking server has a holder of it. */
  async known(reed: ReedId): Promise<boolean[]> {
    const rows = await this.home.rows<{ holding: boolean }>('select holding from reed_server_allocations where reed_id = $1', [reed]);
    return rows.map(({ holding }) => holding);
  }

  async #leave(): Promise<void> {
    await Promise.all(this.#sdkMembers.splice(0).map((member) => member.close()));
  }

  async end(): Promise<void> {
    await this.#leave();
    await Promise.all([...this.#sides.values()].map((side) => side.end()));
    await Promise.all(this.#ways.map((way) => way.close()));
  }
}

const operated = ({ database, ready }: KillStage): Operated => ({
  app: { serverId: ready.serverId as ServerId },
  database,
  settle: async () => undefined,
});
