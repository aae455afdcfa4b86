// Takes what the rows say of peers to the parts that work with them: who has become one, is one no more, does not answer, is there again. The rows are
// read every second, since commands beside the server and other replicas change them; what a peer says only hastens that, and not without an end.
import type { Logger } from 'pino';
import type { Clock, Timer } from '../base/clock.ts';
import type { Limits } from '../base/limits.ts';
import type { Database } from '../db/pool.ts';
import type { ServerId } from '../wire/address.ts';
import type { Fold } from './fold.ts';
import type { OnPeerChange } from './notices.ts';
import { PeerReturns } from './peer-returns.ts';

export type PeerWatchDeps = {
  readonly db: Database;
  readonly clock: Clock;
  readonly limits: Limits;
  readonly log: Pick<Logger, 'warn'>;
  readonly fold: Pick<Fold, 'away' | 'back' | 'ended' | 'known' | 'live' | 'renewed' | 'wentAway'>;
  /** A peer can be reached: for the first time, or again. */
  readonly onNear: (server: ServerId) => void;
  /** A peer goes away, or does not answer. */
  readonly onFar: (server: ServerId) => void;
};

/** gone: it said that it goes · silent: it does not answer */
type Standing = 'near' | 'gone' | 'silent';
type Row = { readonly server: ServerId; readonly standing: Standing; readonly retry_at: Date | null };

const LIVE = `
  select server_id as server, retry_at, case when away then 'gone' when failures > 0 then 'silent' else 'near' end as standing
  from peers where state = 'live' order by server_id`;

export class PeerWatch {
  readonly #deps: PeerWatchDeps;
  /** What was told of each; null: nothing yet. */
  #told: Map<ServerId, Standing> | null = null;
  /** Peers that said or showed that they are there since the last look. */
  readonly #heard = new Set<ServerId>();
  readonly #renewed = new Set<ServerId>();
  readonly #returns: PeerReturns;
  #timer: Timer | null = null;
  #running: Promise<void> = Promise.resolve();
  /** The look that follows the one under way, whoever asks for it and however often. */
  #following: Promise<void> | null = null;
  #isStopped = false;

  constructor(deps: PeerWatchDeps) {
    this.#deps = deps;
    this.#returns = new PeerReturns(deps);
  }

  /** Something about a peer is another way than it was, committed. */
  readonly changed: OnPeerChange = (server, change) => {
    if (change === 'back' || change === 'live') this.#heard.add(server);
    if (change === 'epoch') this.#renewed.add(server);
    if (this.#told !== null) void this.#quietly();
  };

  /** Resolves when everybody knows who the peers are. */
  async start(): Promise<void> {
    await this.look();
    this.#schedule();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#timer?.cancel();
    await this.#running.catch(() => undefined);
  }

  #schedule(): void {
    if (this.#isStopped) return;
    this.#timer = this.#deps.clock.after(this.#deps.limits.peerSweepEveryMs, () => void this.#quietly().finally(() => this.#schedule()));
  }

  async #quietly(): Promise<void> {
    await this.look().catch((error) => this.#deps.log.warn({ err: error }, 'who the peers are could not be looked at'));
  }

  /** One look at a time. Resolves after one that began later than this. */
  look(): Promise<void> {
    this.#following ??= this.#running
      .catch(() => undefined)
      .then(() => {
        this.#following = null;
        return this.#look();
      });
    this.#running = this.#following;
    return this.#running;
  }

  async #look(): Promise<void> {
    if (this.#isStopped) return;
    const { db, fold } = this.#deps;
    const rows = await db.query<Row>({ name: 'peers_live', text: LIVE });
    // What the ledger kept of peers over our absence.
    const told = this.#told ?? new Map((await fold.known()).map((server) => [server, 'silent']));
    const isFirst = this.#told === null;
    this.#told = told;
    for (const server of told.keys()) {
      if (rows.some((row) => row.server === server)) continue;
      await fold.ended(server);
      told.delete(server);
    }
    const anew = rows.flatMap(({ server }) => (isFirst || !told.has(server) ? [server] : []));
    if (anew.length > 0) await fold.live(anew);
    for (const row of rows) await this.#tell(row, told);
  }

  async #tell({ retry_at, server, standing }: Row, told: Map<ServerId, Standing>): Promise<void> {
    const { clock, fold, limits, onFar, onNear } = this.#deps;
    const wasHeard = this.#heard.delete(server);
    if (this.#renewed.delete(server)) fold.renewed(server);
    if (told.get(server) === standing && !(wasHeard && standing === 'near')) return;
    if (standing === 'gone') await fold.wentAway(server, clock.now() + limits.peerAwayMaxMs);
    if (standing === 'silent') await fold.away(server, retry_at?.getTime() ?? clock.now());
    if (standing !== 'near') onFar(server);
    if (standing === 'near') {
      // Too often: it stays as it was told, and is looked at again by and by.
      if (!this.#returns.take(server)) return void (wasHeard && this.#heard.add(server));
      await fold.back(server);
      onNear(server);
    }
    told.set(server, standing);
  }
}
