// Calls to peers under their breaker: what is stored about a peer says whether it is called now, and what comes of the call is stored again.
// Only faults of transport count; a signed answer, whatever it says, proves that the peer is there. One that has enough of our calls is left
// alone for as long as it says.
import type { Clock } from '../base/clock.ts';
import type { ErrorCode } from '../base/codes.ts';
import type { Limits } from '../base/limits.ts';
import type { Database } from '../db/pool.ts';
import type { ServerDocument } from '../identity/server-identity.ts';
import type { ServerId } from '../wire/address.ts';
import { afterFault, breakerOf, type Stored } from './breaker.ts';
import type { CallResult, PeerClient } from './client.ts';
import type { Documents } from './documents.ts';
import type { OnPeerChange } from './notices.ts';
import { hastenNotices } from './peer-rows.ts';

export type PeerCallsDeps = {
  readonly db: Database;
  readonly clock: Clock;
  readonly limits: Limits;
  readonly client: Pick<PeerClient, 'call'>;
  readonly documents: Pick<Documents, 'refresh'>;
  readonly onChange: OnPeerChange;
  /** 0 ≤ x < 1, for the spread of retries. */
  readonly chance: () => number;
};

/** held: nothing was sent, since the breaker is open until then, the peer has enough until then, or it is none that may be called */
export type PeerCallResult =
  | Extract<CallResult, { kind: 'answer' }>
  /** untilMs: the breaker is open until then, for this fault. */
  | (Extract<CallResult, { kind: 'transport' }> & { readonly untilMs?: number })
  | { readonly kind: 'held'; readonly untilMs: number | null; readonly isSated?: boolean };

/** probe: lets a call through a breaker that is half-open. The caller sends one at a time, and nothing but a notice. */
export type CallOptions = { readonly isProbe?: boolean; readonly beforeLive?: boolean; readonly signal?: AbortSignal };

type Row = {
  base_url: string | null;
  state: string;
  document: ServerDocument | null;
  epoch: string | null;
  failures: number;
  retry_at: Date | null;
  sated_until: Date | null;
};

/** Refusals that say something of the peer or the way to it, not of what was asked. */
const OF_THE_PEER: ReadonlySet<ErrorCode> = new Set([
  'CLOCK_DIFFERS',
  'UNAUTHENTICATED',
  'FORBIDDEN',
  'INTERNAL',
  'UNIMPLEMENTED',
  'RATE_LIMITED',
]);

const FIND = `select p.base_url, p.state, s.document, p.epoch, p.failures, p.retry_at, p.sated_until
  from peers p join servers s on s.id = p.server_id where p.server_id = $1`;

export class PeerCalls {
  readonly #deps: PeerCallsDeps;

  constructor(deps: PeerCallsDeps) {
    this.#deps = deps;
  }

  async call(server: ServerId, leg: string, body: Uint8Array, options: CallOptions = {}): Promise<PeerCallResult> {
    const { db, clock, client } = this.#deps;
    const [row] = await db.query<Row>({ name: 'peer-call', text: FIND, values: [server] });
    if (row === undefined || row.base_url === null || row.document === null) return { kind: 'held', untilMs: null };
    if (row.state !== 'live' && options.beforeLive !== true) return { kind: 'held', untilMs: null };
    const satedUntil = row.sated_until?.getTime() ?? 0;
    if (clock.now() < satedUntil) return { kind: 'held', untilMs: satedUntil, isSated: true };
    const stored = { failures: row.failures, retryAtMs: row.retry_at?.getTime() ?? null };
    const breaker = breakerOf(stored, clock.now());
    if (breaker.state === 'open' || (breaker.state === 'half-open' && options.isProbe !== true))
      return { kind: 'held', untilMs: stored.retryAtMs };
    const keys = new Map(row.document.statement.transportKeys.map(({ kid, publicKey }) => [kid, publicKey]));
    const result = await client.call({ id: server, baseUrl: row.base_url, keys }, leg, body, options.signal);
    if (result.kind === 'transport') return this.#noteFault(server, result, { ...stored, signal: options.signal });
    if (result.refusal !== undefined && result.refusal.certificate === undefined && OF_THE_PEER.has(result.refusal.code))
      await this.#noteRefusal(server, result.refusal.code);
    if (result.refusal?.code === 'RATE_LIMITED') await this.#noteSated(server, result.refusal.retryAfterMs);
    await this.#noteAnswer(server, result.epoch, { wasOpen: stored.failures > 0, epoch: row.epoch });
    return result;
  }

  /** For whoever looks; written seldom, however often it is refused. */
  async #noteRefusal(server: ServerId, code: ErrorCode): Promise<void> {
    const { clock, db, limits } = this.#deps;
    await db.query({
      name: 'peer-refused',
      text: `update peers set last_fault = $2, last_fault_at = $3 where server_id = $1 and (last_fault is distinct from $2 or last_fault_at < $4)`,
      values: [server, code, new Date(clock.now()), new Date(clock.now() - limits.peerFaultNotedMs)],
    });
  }

  /** In the row, so that every replica leaves it alone, and an operator's word lifts it for all. */
  async #noteSated(server: ServerId, forMs: number): Promise<void> {
    const { clock, db, limits } = this.#deps;
    await db.query({
      name: 'peer-sated',
      text: 'update peers set sated_until = $2 where server_id = $1',
      values: [server, new Date(clock.now() + Math.min(forMs, limits.peerPauseMaxMs))],
    });
  }

  async #noteFault(
    server: ServerId,
    result: Extract<CallResult, { kind: 'transport' }>,
    { signal, ...stored }: Stored & { readonly signal: AbortSignal | undefined },
  ): Promise<PeerCallResult> {
    const { clock, chance, limits, documents, db } = this.#deps;
    // Ended by us, which says nothing of the peer.
    if (result.reason === 'closed' || result.reason === 'busy') return result;
    if (result.reason === 'unknown-key') await documents.refresh(server, limits.peerDocumentEveryMs, signal);
    const next = afterFault(stored, { nowMs: clock.now(), random: chance }, limits);
    // Of several calls that failed together one counts.
    await db.query({
      name: 'peer-fault',
      text: 'update peers set failures = $2, retry_at = $3, last_fault = $5, last_fault_at = $6 where server_id = $1 and failures = $4',
      values: [server, next.failures, new Date(next.retryAtMs ?? 0), stored.failures, result.reason, new Date(clock.now())],
    });
    return next.retryAtMs === null ? result : { ...result, untilMs: next.retryAtMs };
  }

  async #noteAnswer(server: ServerId, epochNow: string, before: { wasOpen: boolean; epoch: string | null }): Promise<void> {
    const isOther = epochNow !== '' && epochNow !== before.epoch;
    if (!before.wasOpen && !isOther) return;
    await this.#deps.db.query({
      name: 'peer-answered',
      text: `update peers set failures = 0, retry_at = null, away = away and $3, epoch = coalesce($2, epoch) where server_id = $1`,
      values: [server, isOther ? epochNow : null, !before.wasOpen],
    });
    if (before.wasOpen) {
      await hastenNotices(this.#deps.db.kysely, server, new Date(this.#deps.clock.now()));
      this.#deps.onChange(server, 'back');
    }
    if (isOther && before.epoch !== null) this.#deps.onChange(server, 'epoch');
  }
}
