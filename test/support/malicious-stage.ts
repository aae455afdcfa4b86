// A whole server, and peers of it that lie: made its peers by the whole ceremony, with keys and calls of their own. Whatever they do, what the server
// has in its tables is compared with what it had before.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import { runPeersInvite, runPeersMove } from '../../src/ops/peers.ts';
import { run } from './database.ts';
import { beside } from './peering.ts';
import { type Lie, RawPeer } from './raw-peer.ts';
import { bytes, uint } from './raw-wire.ts';
import { startServer, type TestServer, type TestServerOptions } from './server.ts';

const SURE = { dryRun: false, isSure: true, confirm: null } as const;
export const APPROVED = uint(1, 1);
export const BACK = uint(1, 3);

/** Rows that come and go with every call or by themselves, each bounded by itself: nonces, leases, counts, how far our own streams have come. */
const PASSING = new Set(['peer_nonces', 'replicas', 'online_users', 'cancelled_crossings', 'sessions', 'peer_cursors']);

export class MaliciousStage {
  readonly server: TestServer;
  readonly #folder: string;
  readonly #peers: RawPeer[] = [];
  /** As the tables are, while nothing may change them. */
  #dumped: Record<string, unknown> | null = null;

  private constructor(server: TestServer, folder: string) {
    this.server = server;
    this.#folder = folder;
  }

  static async open(folder: string, options: Pick<TestServerOptions, 'limits' | 'overrides'> = {}): Promise<MaliciousStage> {
    const server = await startServer({ config: { allowPrivatePeers: true, signup: 'open' }, ...options });
    return new MaliciousStage(server, folder);
  }

  get origin(): string {
    return this.server.url;
  }

  get id(): string {
    return this.server.app.serverId;
  }

  async close(): Promise<void> {
    await this.server.close();
    await Promise.all(this.#peers.map((peer) => peer.close()));
  }

  /** A server that nobody knows. */
  async stranger(): Promise<RawPeer> {
    const peer = await RawPeer.start();
    this.#peers.push(peer);
    return peer;
  }

  /** Invites it. @returns the body of its `connect` */
  async invite(peer: RawPeer): Promise<Buffer> {
    const inviting = beside(this.server);
    const file = join(this.#folder, `${peer.id}.asc`);
    await writeFile(file, peer.armor);
    await runPeersInvite({ ...inviting.base, key: file });
    const { secret } = await peer.open(String(inviting.printed[0]?.value['connection']));
    return Buffer.concat([bytes(1, Buffer.from(secret, 'base64url')), bytes(2, Buffer.from(JSON.stringify(await peer.document())))]);
  }

  /** A peer that both sides approved. */
  async peer(): Promise<RawPeer> {
    const peer = await this.stranger();
    const connected = await peer.call(this.origin, 'connect', await this.invite(peer));
    if (connected?.status !== 200) throw new Error(`connect: ${connected?.status}`);
    await this.move('approve', peer);
    const told = await peer.call(this.origin, 'notice', APPROVED);
    if (told?.status !== 200) throw new Error(`notice: ${told?.status}`);
    await this.server.settle();
    return peer;
  }

  async move(moving: 'approve' | 'resume' | 'revoke' | 'suspend', peer: RawPeer): Promise<void> {
    await runPeersMove({ ...beside(this.server).base, ...SURE, moving, target: peer.id });
  }

  /** Something else than what is watched may have changed the tables. */
  moved(): void {
    this.#dumped = null;
  }

  /** Does something, and proves that nothing came of it. */
  async unchanged<T>(work: () => Promise<T>): Promise<T> {
    const before = this.#dumped ?? (await this.dump());
    const outcome = await work();
    this.#dumped = await this.dump();
    expect(this.#dumped).toEqual(before);
    return outcome;
  }

  /** The status of a call that nothing comes of. */
  async statusOf(from: RawPeer, leg: string, body: Uint8Array, lie: Lie = {}): Promise<number | undefined> {
    return (await this.unchanged(() => from.call(this.origin, leg, body, lie)))?.status;
  }

  /** The rows of a query. */
  async rows<Row extends object>(text: string): Promise<Row[]> {
    const [result] = await run(this.server.database.url, text);
    return (result?.rows ?? []) as Row[];
  }

  /** Every row of every table, but for those that come and go with every call. */
  async dump(): Promise<Record<string, unknown>> {
    const tables = await this.rows<{ name: string }>("select tablename as name from pg_tables where schemaname = 'public' order by 1");
    const names = tables.map(({ name }) => name).filter((name) => !PASSING.has(name));
    // When a document was asked for is nobody's doing but the clock's.
    const rows = (name: string): string => `select left(x, 200) || md5(x) as y from ${name} t cross join lateral (
      select (to_jsonb(t) - 'document_asked_at')::text as x) as each order by 1`;
    const parts = names.map((name) => `'${name}', (select coalesce(jsonb_agg(y), '[]') from (${rows(name)}) as all_rows)`);
    const [row] = await this.rows<{ all: Record<string, unknown> }>(
      `select ${parts.map((part) => `jsonb_build_object(${part})`).join(' || ')} as "all"`,
    );
    return row?.all ?? {};
  }
}
