// What the soak does to a server: members who connect and vanish at every point of a connection's life, and relayed events by the thousand.
// Both come to an end by count, and leave nobody connected.
import { connect } from 'node:net';
import { OffsetClock } from '../../src/base/clock.ts';
import { type ReedId, userOf } from '../../src/wire/address.ts';
import type { Frame, FrameType } from '../../src/wire/frames.ts';
import type { LightAccount, LightCommunity } from '../support/light-member.ts';
import { SoakClient } from './soak-client.ts';

const AT_ONCE = 24;
const EVENTS_AT_ONCE = 4;
const VANISHING = 48;
const STEADY = 24;
const REEDS_EACH = 16;
/** Longer than anything takes that ends by itself, on a busy machine too. */
const STUCK_MS = 120_000;
const CLOCK = new OffsetClock();

/** How a request ends. */
const ENDS: ReadonlySet<FrameType> = new Set<FrameType>(['dataResponse', 'reedNotHeld', 'reedNotFound', 'error']);

/** Who takes part: the same accounts from the warm-up to the end, so that nothing may be left of any of them. */
export type Cast = {
  readonly url: string;
  /** Each is the author and, until others fetched it, the only holder of one reed. */
  readonly vanishing: readonly { readonly account: LightAccount; readonly reed: ReedId }[];
  readonly steady: readonly LightAccount[];
  readonly reeds: readonly ReedId[];
};

export async function makeCast(url: string, community: LightCommunity): Promise<Cast> {
  const accounts = await community.accounts(VANISHING);
  const steady = await community.accounts(STEADY);
  const vanishing: { account: LightAccount; reed: ReedId }[] = [];
  for (const account of accounts) vanishing.push({ account, reed: (await community.reeds(account.userId, 1))[0] as ReedId });
  const reeds: ReedId[] = [];
  for (const { userId } of steady) reeds.push(...(await community.reeds(userId, REEDS_EACH)));
  return { url, vanishing, steady, reeds };
}

/** One cycle of a worker: its vanishing member, its steady companion, and the number of the cycle. */
type Cycle = {
  readonly cast: Cast;
  readonly who: Cast['vanishing'][number];
  readonly companion: SoakClient;
  readonly turn: number;
};

const join = ({ cast, who, turn }: Cycle): Promise<SoakClient> => SoakClient.join(cast.url, who.account, turn);
const someReed = ({ cast, turn }: Cycle): ReedId => cast.reeds[turn % cast.reeds.length] as ReedId;

/** An HTTP connection that ends in the middle of what it sends. */
function halfRequest(url: string, text: string): Promise<void> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve) => {
    const socket = connect({ host: hostname, port: Number(port) }, () => socket.write(text, () => socket.resetAndDestroy()));
    socket.on('error', () => undefined);
    socket.once('close', () => resolve());
  });
}

/** Every way to vanish, by name. */
export const WAYS: Readonly<Record<string, (cycle: Cycle) => Promise<unknown>>> = {
  'before a word': ({ cast }) => halfRequest(cast.url, ''),
  'in the middle of an HTTP request': ({ cast }) =>
    halfRequest(cast.url, 'POST /api/v1/users HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 99\r\n\r\n{"a'),
  'after HELLO': async ({ cast, who, turn }) => (await SoakClient.open(cast.url, who.account, turn)).leave('cut'),
  'during sign-in': async ({ cast, who, turn }) => {
    const client = await SoakClient.open(cast.url, who.account, turn);
    client.authenticate();
    await client.leave(turn % 2 === 0 ? 'cut' : 'reset');
  },
  'after a refused sign-in': async ({ cast, who, turn }) => {
    const client = await SoakClient.open(cast.url, who.account, turn);
    const refused = client.next('error');
    client.authenticate(`${who.account.token.slice(1)}x`);
    await refused;
    await client.leave('cut');
  },
  'after sign-in': async (cycle) => (await join(cycle)).leave('cut'),
  'with a goodbye': async (cycle) => (await join(cycle)).leave('close'),
  'by a reset': async (cycle) => (await join(cycle)).leave('reset'),
  'in the middle of a frame': async (cycle) => {
    const client = await join(cycle);
    client.halfMessage();
    await client.leave('cut');
  },
  'after a text frame': async (cycle) => {
    const client = await join(cycle);
    client.text();
    await client.leave('close');
  },
  'in the middle of a request': async (cycle) => {
    const client = await join(cycle);
    client.request(someReed(cycle));
    await client.leave(cycle.turn % 2 === 0 ? 'cut' : 'reset');
  },
  'with open requests': async (cycle) => {
    const client = await join(cycle);
    client.serves = false;
    // Open, or refused: by nobody's copy, or because the end of this member's last life is being written just now.
    const answered = client.first(({ type }) => type === 'requestAck' || ENDS.has(type));
    // Of somebody who is not there, most likely: the request stays open.
    const others = cycle.cast.vanishing.filter(({ account }) => account !== cycle.who.account);
    client.request(others[(cycle.turn * 7 + 3) % others.length]?.reed ?? someReed(cycle));
    client.request(someReed(cycle));
    await answered;
    await client.leave('cut');
  },
  'as a holder who is asked': async (cycle) => {
    const client = await join(cycle);
    client.serves = false;
    const asked = client.next('relayRequest');
    const { companion, who } = cycle;
    // By then somebody else holds it too, or the companion asked for it already.
    const isOver = companion.first((frame) => ENDS.has(frame.type) || (frame.type === 'requestAck' && frame.body.state !== 'ASKING'));
    const requestId = companion.request(who.reed);
    await Promise.race([asked, isOver]);
    await client.leave('cut');
    companion.send({ id: '', type: 'cancelRequest', body: { requestId } });
  },
  'after a sync': async (cycle) => {
    const client = await join(cycle);
    client.send({ id: '', type: 'syncRequest', body: { requestId: client.request(someReed(cycle)) } });
    await client.leave('cut');
  },
};

/** Rejects with `what` if it takes so long that it will never end. */
async function ending<T>(what: string, work: Promise<T> | undefined): Promise<T | undefined> {
  const stuck = Promise.withResolvers<never>();
  const timer = CLOCK.after(STUCK_MS, () => stuck.reject(new Error(`never ended: ${what}`)));
  try {
    return await Promise.race([work, stuck.promise]);
  } finally {
    timer.cancel();
  }
}

/** Runs `cycles` of them, every way in turn. @param progress told after each one */
export async function vanish(cast: Cast, cycles: number, progress: () => void): Promise<void> {
  const ways = Object.entries(WAYS);
  let turn = 0;
  const worker = async (index: number): Promise<void> => {
    const companion = await SoakClient.join(cast.url, cast.steady[index] as LightAccount, index);
    companion.serves = false;
    // Each worker has its own members, so that no two lives of one member are mixed up.
    const own = cast.vanishing.filter((_, at) => at % AT_ONCE === index);
    for (let round = 0; turn < cycles; round += 1) {
      const now = turn++;
      const who = own[round % own.length] as Cast['vanishing'][number];
      const [name, way] = ways[now % ways.length] ?? [];
      await ending(`a member who vanishes ${name}`, way?.({ cast, who, companion, turn: now }));
      progress();
    }
    await companion.leave('close');
  };
  await Promise.all(Array.from({ length: AT_ONCE }, (_, index) => worker(index)));
}

/** Relays `events`: requested, answered, delivered and acknowledged. Copies spread among the members as they do. */
export async function relay(cast: Cast, events: number, progress: () => void): Promise<void> {
  const clients = await Promise.all(cast.steady.map((account, index) => SoakClient.join(cast.url, account, index)));
  let [turn, started] = [0, 0];
  const asker = async (client: SoakClient, asked: Set<ReedId>): Promise<void> => {
    while (started < events) {
      const reed = cast.reeds[turn++ % cast.reeds.length] as ReedId;
      // Its author keeps the copy that all others come from, and asking twice at once is asking once.
      if (userOf(reed) === client.account.userId || asked.has(reed)) continue;
      asked.add(reed);
      started += 1;
      const requestId = client.request(reed);
      const isEnd = (frame: Frame): boolean => ENDS.has(frame.type) && 'requestId' in frame.body && frame.body.requestId === requestId;
      const end = await ending(`the request ${requestId}`, client.first(isEnd));
      if (end?.type !== 'dataResponse') throw new Error(`a request was not served: ${JSON.stringify(end)}`);
      asked.delete(reed);
      progress();
    }
  };
  const askers = clients.flatMap((client) => {
    const asked = new Set<ReedId>();
    return Array.from({ length: EVENTS_AT_ONCE }, () => asker(client, asked));
  });
  await Promise.all(askers);
  await Promise.all(clients.map((client) => client.leave('close')));
}
