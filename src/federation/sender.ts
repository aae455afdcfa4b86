// Tells peers what they are owed until they have answered, tries those that were away, and asks for documents that have grown old. All of it is
// rows with a date: any replica takes up what is due, and a crash costs time only. No peer waits for another one's answer.
import { sql } from 'kysely';
import type { Logger } from 'pino';
import { doubling, jittered } from '../base/backoff.ts';
import type { Clock, Timer } from '../base/clock.ts';
import type { Limits } from '../base/limits.ts';
import type { Database } from '../db/pool.ts';
import type { ServerId } from '../wire/address.ts';
import { encodeNotice, type NoticeKind } from '../wire/peering.ts';
import type { PeerCallResult, PeerCalls } from './calls.ts';
import type { Documents } from './documents.ts';
import type { Nonces } from './nonces.ts';
import { oweNotices } from './peer-rows.ts';

export type SenderDeps = {
  readonly db: Database;
  readonly clock: Clock;
  readonly limits: Limits;
  readonly log: Logger;
  readonly calls: Pick<PeerCalls, 'call'>;
  readonly documents: Pick<Documents, 'refresh'>;
  readonly nonces: Pick<Nonces, 'sweep'>;
  /** What we say of ourselves now. */
  readonly document: () => Promise<object>;
  readonly chance: () => number;
  /** Whether no other replica of this server runs. */
  readonly isAlone: () => Promise<boolean>;
};

type Owed = {
  readonly server: ServerId;
  readonly kind: NoticeKind;
  readonly version: number;
  readonly failures: number;
  readonly revocation: object | null;
};

/** A sending that another replica has not finished within this many calls' time is done again. */
const LEASE_CALLS = 2;

/** An approval that is given anew comes after the word of what took the first one away. */
const ORDER: readonly NoticeKind[] = ['compromised', 'disconnected', 'going-away', 'back', 'approved'];

/** Those who answered last come before probes: however many peers are silent, nobody else's notice waits behind them. */
const CLAIM = `
  update owed_peer_notices o set due_at = $2
  from (select n.server_id, n.kind from owed_peer_notices n join peers p on p.server_id = n.server_id
    where n.due_at <= $1 and p.base_url is not null and (p.failures = 0 or p.retry_at <= $1)
    order by p.failures > 0, n.due_at limit $3 for update of n skip locked) due
  where o.server_id = due.server_id and o.kind = due.kind
  returning o.server_id as server, o.kind, o.version, o.failures, o.revocation`;

/** A breaker that is half-open lets one notice through. */
const PROBE = `
  insert into owed_peer_notices (server_id, kind, due_at)
  select p.server_id, 'back', $1 from peers p
  where p.state = 'live' and p.failures > 0 and p.retry_at <= $1
    and not exists (select from owed_peer_notices n where n.server_id = p.server_id)
  order by p.retry_at limit $2
  on conflict do nothing`;

const AGED = `
  select server_id as server from peers
  where state in ('pending', 'approved-by-us', 'live') and base_url is not null and failures = 0
    and (document_asked_at is null or document_asked_at <= $1) and not server_id = any($3::text[])
  order by document_asked_at nulls first limit $2`;

export class PeerSender {
  readonly #deps: SenderDeps;
  readonly #ending = new AbortController();
  #timer: Timer | null = null;
  /** Looks at what is due, one at a time. */
  #looking: Promise<void> = Promise.resolve();
  /** What is under way with each peer. */
  readonly #busy = new Map<ServerId, Promise<void>>();

  constructor(deps: SenderDeps) {
    this.#deps = deps;
  }

  /** Owes every peer the word that we are back, and begins to send. */
  async start(): Promise<void> {
    const { db, clock } = this.#deps;
    const at = new Date(clock.now());
    await db.transaction(async (tx) => {
      const { rows } = await sql<{ server: ServerId; approved: boolean }>`
        select server_id as server, approved_at is not null as approved from peers where state in ('pending', 'approved-by-us', 'live')
        order by server_id`.execute(tx);
      await oweNotices(
        tx,
        rows.map(({ server }) => server),
        { kinds: ['back'], at },
      );
      await oweNotices(
        tx,
        rows.filter(({ approved }) => approved).map(({ server }) => server),
        { kinds: ['approved'], at },
      );
    });
    this.#schedule();
  }

  #schedule(): void {
    if (this.#ending.signal.aborted) return;
    this.#timer = this.#deps.clock.after(this.#deps.limits.peerSweepEveryMs, () => {
      void this.#look()
        .catch((err: unknown) => this.#deps.log.warn({ err }, 'what peers are owed could not be looked at'))
        .finally(() => this.#schedule());
    });
  }

  /** Does everything that is due now, and waits for what comes of it. */
  async round(): Promise<void> {
    await this.#look();
    await Promise.all(this.#busy.values());
  }

  #look(): Promise<void> {
    const next = this.#looking.catch(() => undefined).then(() => this.#begin());
    this.#looking = next;
    return next;
  }

  async #begin(): Promise<void> {
    const { db, clock, limits, documents, nonces } = this.#deps;
    if (this.#ending.signal.aborted) return;
    const any = await db.query({ name: 'peer-any', text: 'select from peers limit 1' });
    if (any.length === 0) return;
    await nonces.sweep();
    const now = clock.now();
    await db.query({ name: 'peer-probe', text: PROBE, values: [new Date(now), limits.peersPerSweep] });
    const lease = new Date(now + LEASE_CALLS * limits.peerCallMs);
    const owed = await db.query<Owed>({ name: 'peer-owed', text: CLAIM, values: [new Date(now), lease, limits.peersPerSweep] });
    for (const [server, of] of Map.groupBy(owed, ({ server }) => server)) this.#after(server, () => this.#tell(of));
    const aged = await db.query<{ server: ServerId }>({
      name: 'peer-aged',
      text: AGED,
      values: [new Date(now - limits.peerDocumentAgeMs), limits.peersPerSweep, [...this.#busy.keys()]],
    });
    const { signal } = this.#ending;
    for (const { server } of aged)
      this.#after(server, async () => void (await documents.refresh(server, limits.peerDocumentAgeMs, signal)));
  }

  /** One thing at a time with each peer, whatever the others do. */
  #after(server: ServerId, task: () => Promise<void>): void {
    const before = this.#busy.get(server) ?? Promise.resolve();
    const next = before
      .then(task)
      .catch((err: unknown) => this.#deps.log.warn({ err, server }, 'what a peer is owed could not be sent'))
      .finally(() => {
        if (this.#busy.get(server) === next) this.#busy.delete(server);
      });
    this.#busy.set(server, next);
  }

  /** One after the other: after the first that finds nobody the breaker holds the others back. */
  async #tell(owed: readonly Owed[]): Promise<void> {
    for (const one of owed.toSorted((a, b) => ORDER.indexOf(a.kind) - ORDER.indexOf(b.kind))) {
      const { kind, revocation } = one;
      const shown = kind === 'back' ? { document: await this.#deps.document() } : {};
      const body = encodeNotice({ kind, ...shown, ...(revocation === null ? {} : { revocation }) });
      const options = { isProbe: true, beforeLive: true, signal: this.#ending.signal };
      await this.#settle(one, await this.#deps.calls.call(one.server, 'notice', body, options));
    }
  }

  async #settle(owed: Owed, result: PeerCallResult): Promise<void> {
    const { db, clock, limits, chance } = this.#deps;
    const { server, kind, version, failures } = owed;
    if (isAnswered(kind, result)) {
      const text = 'delete from owed_peer_notices where server_id = $1 and kind = $2 and version = $3';
      await db.query({ name: 'peer-told', text, values: [server, kind, version] });
      return;
    }
    const wait = jittered(doubling(failures + 1, limits.peerBackoffFirstMs, limits.peerBackoffMaxMs), chance);
    await db.query({
      name: 'peer-not-told',
      text: 'update owed_peer_notices set failures = failures + 1, due_at = $4 where server_id = $1 and kind = $2 and version = $3',
      values: [server, kind, version, new Date(clock.now() + wait)],
    });
  }

  /** Ends the rounds and, if nobody else is this server any more, says so to its live peers: once, and without waiting for long. */
  async stop(): Promise<void> {
    this.#timer?.cancel();
    this.#ending.abort();
    await this.#looking.catch(() => undefined);
    await Promise.all(this.#busy.values());
    if (!(await this.#deps.isAlone())) return;
    const { db, clock, limits } = this.#deps;
    const late = new AbortController();
    const timer = clock.after(limits.goodbyeMs, () => late.abort());
    try {
      const live = await db.query<{ server: ServerId }>({
        name: 'peers-goodbye',
        text: `select server_id as server from peers where state = 'live' and failures = 0 and not away order by server_id`,
      });
      const body = encodeNotice({ kind: 'going-away' });
      await Promise.all(live.map(({ server }) => this.#deps.calls.call(server, 'notice', body, { signal: late.signal })));
    } finally {
      timer.cancel();
    }
  }
}

/** A signed 2xx. Of an end also that the peer knows of no peering. */
function isAnswered(kind: NoticeKind, result: PeerCallResult): boolean {
  if (result.kind !== 'answer') return false;
  if (result.refusal === undefined) return true;
  return kind === 'disconnected' && (result.refusal.code === 'NOT_FOUND' || result.refusal.code === 'FORBIDDEN');
}
