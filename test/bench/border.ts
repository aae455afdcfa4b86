// Two servers that are peers, each a process with a Postgres of its own: how fast facts of one's authors come to the other and are confirmed, and what a
// thousand readers of the one cost the other, whose copies are counted by proxies on the wire.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { OffsetClock, pause } from '../../src/base/clock.ts';
import { BorderCrowd } from '../../src/ops/demo/border-crowd.ts';
import { CopyCount } from '../../src/ops/demo/copy-count.ts';
import { choosePort } from '../../src/ops/demo/served.ts';
import { Way } from '../../src/ops/demo/way.ts';
import type { ServerId } from '../../src/wire/address.ts';
import { makeMember } from '../support/members.ts';
import { becomePeers } from '../support/peering.ts';
import type { ServerUsage } from './server-child.ts';
import type { Server, Stage } from './stage.ts';

export type StreamSizes = { readonly authors: number; readonly items: number };
export type StreamResult = {
  readonly items: number;
  /** Taken by the other server, proven and stored, and confirmed to the first. */
  readonly perSecond: number;
  /** Statements of the application, of who sends and of who takes, for each item. */
  readonly statementsHome: number;
  readonly statementsThere: number;
  /** CPU for each item, of both servers with their Postgres. */
  readonly cpuUs: number;
};

export type FoldSizes = { readonly readers: number };
export type FoldResult = {
  readonly readers: number;
  readonly tookMs: number;
  /** Copies that crossed, and the most at once, on the wire. */
  readonly crossings: number;
  readonly mostAtOnce: number;
  /** On the ledgers' connections. */
  readonly ledgerHome: number;
  readonly ledgerThere: number;
};

export type Pair = { readonly home: Server; readonly there: Server; readonly copies: CopyCount };

const clock = new OffsetClock();
const LOOK_EVERY_MS = 20;
const LONGEST_MS = 120_000;
/** The bench may do as much at once as the machine can. */
const UNPACED = { peerRequestsPerSecond: 1e6, peerCallsPerSecond: 1e6, peerRequestsAtOnce: 64, peerBytesPerMinute: 1e12 };

const used = ({ child }: Server): Promise<ServerUsage> => child.call('used', undefined as never);
const cpuOf = (before: ServerUsage, after: ServerUsage): number => after.cpuMs + after.postgresCpuMs - before.cpuMs - before.postgresCpuMs;

export const openPair = async (stage: Stage): Promise<Pair> => {
  const copies = new CopyCount();
  const open = async (): Promise<Server> => {
    const port = await choosePort();
    const way = stage.owns(await Way.open(port, copies));
    return stage.server({ limits: UNPACED, config: { port, publicUrl: way.url, allowPrivatePeers: true, signup: 'open' } });
  };
  const [home, there] = await Promise.all([open(), open()]);
  const folder = await mkdtemp(join(tmpdir(), 'reedbed-bench-'));
  const operated = ({ child, databaseUrl, serverId }: Server) => ({
    database: { url: databaseUrl },
    app: { serverId: serverId as ServerId },
    settle: (): Promise<void> => child.call('settle', undefined as never),
  });
  await becomePeers(operated(home), operated(there), folder);
  await rm(folder, { recursive: true });
  return { home, there, copies };
};

/** Past the proxy. */
const direct = ({ port }: Server): string => `http://127.0.0.1:${port}`;

const until = async (isSo: () => Promise<boolean>, what: string): Promise<void> => {
  for (const end = performance.now() + LONGEST_MS; !(await isSo()); await pause(clock, LOOK_EVERY_MS))
    if (performance.now() > end) throw new Error(`it did not come to this: ${what}`);
};

/** What authors wrote while the other server was away. */
export const measureStream = async ({ home, there }: Pair, { authors, items }: StreamSizes): Promise<StreamResult> => {
  const setAway = (failures: number, retryAt: string): Promise<object[]> =>
    home.community.rows(`update peers set failures = $2, retry_at = ${retryAt} where server_id = $1`, [there.serverId, failures]);
  await setAway(9, `now() + interval '1 hour'`);
  const members = await Promise.all(Array.from({ length: authors }, () => makeMember({ url: direct(home) })));
  await Promise.all(
    members.map(async (member) => {
      for (let at = 0; at < items / authors; at += 1)
        await (await member.publish({ text: `Written while nobody looks, ${at}.` })).published;
    }),
  );
  const sum = async ({ community }: Server, text: string): Promise<number> => (await community.rows<{ sum: number }>(text))[0]?.sum ?? 0;
  const taken = (): Promise<number> => sum(there, 'select coalesce(sum(number), 0)::int as sum from received_streams');
  const acked = (): Promise<number> => sum(home, 'select coalesce(sum(acked), 0)::int as sum from peer_cursors');
  const [had, from, ofHome, ofThere] = [await taken(), await acked(), await used(home), await used(there)];
  await setAway(0, 'null');
  await until(async () => (await taken()) > had, 'the first item was taken');
  const [startedAt, first] = [performance.now(), (await taken()) - had];
  await until(async () => (await acked()) >= from + items, 'all items were confirmed');
  const tookMs = performance.now() - startedAt;
  const [homeAfter, thereAfter] = [await used(home), await used(there)];
  await Promise.all(members.map((member) => member.close()));
  const total = (await acked()) - from;
  return {
    ...{ items: total, perSecond: ((total - first) / tookMs) * 1_000 },
    statementsHome: (homeAfter.applicationStatements - ofHome.applicationStatements) / total,
    statementsThere: (thereAfter.applicationStatements - ofThere.applicationStatements) / total,
    cpuUs: ((cpuOf(ofHome, homeAfter) + cpuOf(ofThere, thereAfter)) * 1_000) / total,
  };
};

/** Everybody on one server asks for the same reed of the other at once. */
export const measureFold = async ({ home, there, copies }: Pair, { readers }: FoldSizes): Promise<FoldResult> => {
  const side = (server: Server) => ({
    ...{ id: server.serverId, url: direct(server) },
    withDatabase: <T>(work: (url: string) => Promise<T>): Promise<T> => work(server.databaseUrl),
  });
  using crowd = await BorderCrowd.gather(side(home), side(there), { readers, reeds: 1 });
  await crowd.connect();
  copies.reset();
  const [ofHome, ofThere] = [await used(home), await used(there)];
  const startedAt = performance.now();
  crowd.ask();
  await until(async () => crowd.got >= crowd.wanted, 'every reader got it');
  const tookMs = performance.now() - startedAt;
  const [homeAfter, thereAfter] = [await used(home), await used(there)];
  return {
    ...{ readers, tookMs, crossings: copies.total, mostAtOnce: copies.most },
    ledgerHome: homeAfter.ledgerStatements - ofHome.ledgerStatements,
    ledgerThere: thereAfter.ledgerStatements - ofThere.ledgerStatements,
  };
};
