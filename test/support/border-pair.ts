// Two whole servers that their operators made peers, which call each other over signed HTTP, each through a proxy that reads, counts and hinders what
// passes. A second replica of the asking server may stand beside the first.

import type { Limits } from '../../src/base/limits.ts';
import { MemoryBus } from '../../src/bus/memory-bus.ts';
import { CopyCount } from '../../src/ops/demo/copy-count.ts';
import { Border, BorderWay } from './border-wire.ts';
import { removeFolder } from './child.ts';
import { makeDataFolder } from './data-folder.ts';
import { LightCommunity } from './light-member.ts';
import { MovedClock } from './moved-clock.ts';
import { LIMITS_OF_SIDES, PairStage, type Side } from './pair-stage.ts';
import { becomePeers } from './peering.ts';
import { startServer, type TestServer } from './server.ts';

export class BorderPair extends PairStage {
  readonly border = new Border(new CopyCount());
  readonly #ways: BorderWay[] = [];
  readonly #bus = new MemoryBus();
  #limits: Partial<Limits> = {};

  async start(limits: Partial<Limits> = {}): Promise<void> {
    this.#limits = { ...LIMITS_OF_SIDES, ...limits };
    this.clock = new MovedClock();
    this.home = await this.#open();
    this.asking = await this.#open(this.#bus);
    this.sides = [this.home, this.asking];
    const folder = await makeDataFolder();
    await becomePeers(this.home.server, this.asking.server, folder);
    await removeFolder(folder);
    // Whoever has heard of both approvals first calls the other one a moment early, is refused, and leaves it alone for a second.
    await this.passUntil(1_000, async () => {
      const away = this.sides.map(({ community }) => community.rows('select from fold_peers where away_until is not null'));
      return (await Promise.all(away)).flat().length === 0;
    });
  }

  async #open(bus?: MemoryBus): Promise<Side> {
    const way = await BorderWay.open(this.border);
    this.#ways.push(way);
    const server = await startServer({
      config: { port: way.port, publicUrl: way.url, allowPrivatePeers: true, signup: 'open' },
      limits: this.#limits,
      overrides: { clock: this.clock, ...(bus === undefined ? {} : { bus }) },
    });
    return { server, id: server.app.serverId, url: way.direct, community: new LightCommunity(server.database.url, server.app.serverId) };
  }

  /** Another replica of the asking server, under the same address to its peers. */
  async beside(): Promise<Side> {
    const { community, id, server } = this.asking;
    const { port, url: publicUrl } = await BorderWay.open(this.border);
    const replica: TestServer = await startServer({
      config: { port, publicUrl, allowPrivatePeers: true, data: 'beside' },
      limits: this.#limits,
      overrides: { clock: this.clock, bus: this.#bus },
      database: server.database,
    });
    return { community, id, server: replica, url: `http://127.0.0.1:${port}` };
  }

  /** For the next test: the way is good, nothing was seen yet. */
  calm(): void {
    this.mend();
    this.forget();
  }

  override async close(): Promise<void> {
    await super.close();
    await Promise.all(this.#ways.splice(0).map((way) => way.close()));
  }

  protected override seen(): number {
    return this.border.calls.filter(({ leg }) => leg !== 'crossings').length;
  }

  protected override mend(): void {
    this.border.fate = () => 'pass';
    this.border.midway = () => undefined;
    this.border.release();
  }

  protected override forget(): void {
    this.border.reset();
  }
}
