// Two servers that are peers, with light members on both and a wire between them that a test can make go wrong. Cleared away after each test: that
// proves that no event, crossing or word that is owed is left on either side.
import { afterAll, afterEach, beforeEach } from 'vitest';
import type { Limits } from '../../src/base/limits.ts';
import type { ServerId } from '../../src/wire/address.ts';
import { Wire } from './fold-wire.ts';
import { LightCommunity } from './light-member.ts';
import { MovedClock } from './moved-clock.ts';
import { LIMITS_OF_SIDES, PairStage, type Side } from './pair-stage.ts';
import { approve } from './peer-wire.ts';
import { startServer, type TestServerOptions } from './server.ts';

export const openSide = async (
  wire: Wire,
  clock: MovedClock,
  limits: Partial<Limits>,
  config: TestServerOptions['config'] = {},
): Promise<Side> => {
  let id = '' as ServerId;
  const server = await startServer({
    config,
    limits: { ...LIMITS_OF_SIDES, ...limits },
    overrides: { clock, peerCalls: wire.callsOf(() => id) },
  });
  id = server.app.serverId;
  wire.attach(id, server.app.legs);
  return { server, id, url: server.url, community: new LightCommunity(server.database.url, id) };
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

/** Of a side's ledger. */
export const epochOf = async ({ community }: Side): Promise<string> => {
  const [row] = await community.rows<{ epoch: string }>('select epoch from ledger_epoch');
  return row?.epoch ?? '';
};

export class FoldPair extends PairStage {
  wire!: Wire;

  /** One pair for every test of the file. */
  static forEachTest(limits: Partial<Limits> = {}): FoldPair {
    const pair = new FoldPair();
    beforeEach(() => pair.start(limits));
    afterEach(() => pair.end());
    afterAll(() => pair.close());
    return pair;
  }

  async start(limits: Partial<Limits>, config: TestServerOptions['config'] = {}, clock = new MovedClock()): Promise<void> {
    if (this.sides.length > 0) return;
    this.wire = new Wire();
    this.clock = clock;
    this.home = await openSide(this.wire, this.clock, limits, config);
    this.asking = await openSide(this.wire, this.clock, limits, config);
    this.sides = [this.home, this.asking];
    await peer(this.home, this.asking);
  }

  /** The home server ends and starts again, its ledger empty. */
  async restartHome(): Promise<void> {
    this.home = await this.#restarted(this.home);
    this.sides[0] = this.home;
  }

  /** The same of the asking server: it knows nothing any more of what it has asked for. */
  async restartAsking(): Promise<void> {
    this.asking = await this.#restarted(this.asking, true);
    this.sides[1] = this.asking;
  }

  async #restarted(side: Side, forgets = false): Promise<Side> {
    this.wire.detach(side.id);
    this.wire.cutOff(side.id, forgets);
    const server = await side.server.restart();
    this.wire.attach(side.id, server.app.legs, await epochOf(side));
    return { ...side, server, url: server.url };
  }

  /** A third server that is the peer of both. */
  async third(): Promise<Side> {
    const side = await openSide(this.wire, this.clock, {});
    for (const known of this.sides) await peer(side, known);
    this.sides.push(side);
    return side;
  }

  protected override seen(): number {
    return this.wire.legs.length;
  }

  protected override mend(): void {
    this.wire.mend();
  }

  protected override forget(): void {
    this.wire.calls.length = 0;
    this.wire.copies.reset();
    this.wire.mostToOne = 0;
  }
}
