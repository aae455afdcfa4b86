// Outgoing calls: where they connect and under which name, what ends them, and that nothing of one peer is left or shared.
import { execFile } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { DEFAULT_LIMITS } from '../../src/base/limits.ts';
import { Outbound } from '../../src/net/outbound.ts';
import type { Call, PoolDeps } from '../../src/net/peer-pool.ts';
import { nameServers, resolverFor } from '../../src/net/resolve.ts';
import { makeAuthority } from '../support/certificates.ts';
import { removeFolder } from '../support/child.ts';
import { makeDataFolder } from '../support/data-folder.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { type Answering, type OtherServer, startOther } from '../support/other-server.ts';

const NAME = 'peer.example';
const GET: Call = { method: 'GET', path: '/x', headers: {} };
const { peerAnswerBytes, peerCallMs, peerCallsAtOnce, peerCallsPerSecond, peerCallsWaiting, peerPoolIdleMs } = DEFAULT_LIMITS;
const authority = makeAuthority();
const own = authority.issue(NAME);

const trusted = getCACertificates('default');
beforeAll(() => setDefaultCACertificates([...trusted, authority.certificate]));
afterAll(() => setDefaultCACertificates(trusted));

const owned: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of owned.splice(0).reverse()) await close();
});

async function start(answer: Answering, tls: { cert: string; key: string } | undefined = own): Promise<OtherServer> {
  const server = await startOther(answer, tls);
  owned.push(() => server.close());
  return server;
}

/** Outgoing calls on a clock that stands still, to names that lead to this machine. */
function open(changes: Partial<PoolDeps> & { allowPrivate?: boolean } = {}) {
  const { allowPrivate = true, ...deps } = changes;
  const clock = new ManualClock();
  const asked: string[] = [];
  const resolve = async (name: string) => {
    asked.push(name);
    return ['127.0.0.1'];
  };
  const outbound = new Outbound({
    ...{ clock, limits: DEFAULT_LIMITS, rules: { allowPrivate }, resolve },
    ...deps,
  });
  owned.push(async () => outbound[Symbol.asyncDispose]());
  return { outbound, clock, asked };
}

const say: Answering = (_request, response) => void response.end('yes');
const never: Answering = () => undefined;
const originOf = ({ port }: OtherServer): string => `https://${NAME}:${port}`;

describe('a connection', () => {
  test('is to the vetted address, under the name', async () => {
    const server = await start(say);
    const { outbound, asked } = open();
    for (let turn = 0; turn < 3; turn += 1) {
      const answer = await outbound.call(originOf(server), GET);
      expect(answer).toMatchObject({ ok: true, value: { status: 200 } });
      expect(answer.ok && Buffer.from(answer.value.body).toString()).toBe('yes');
    }
    expect(server.seen).toEqual(Array.from({ length: 3 }, () => ({ host: `${NAME}:${server.port}`, serverName: NAME, url: '/x' })));
    // A look-up for each connection, and none for a call on one that is open.
    expect(asked).toEqual(Array.from({ length: server.connections.made }, () => NAME));
  });

  test('needs the certificate of its name, from an authority that is trusted', async () => {
    const [stranger, other] = [await start(say, makeAuthority().issue(NAME)), await start(say, authority.issue('other.example'))];
    const { outbound } = open();
    for (const server of [stranger, other]) {
      expect(await outbound.call(originOf(server), GET)).toMatchObject({ ok: false, reason: 'untrusted' });
      expect(server.seen).toEqual([]);
    }
  });

  test('trusts an authority that the operator adds by NODE_EXTRA_CA_CERTS, and without it does not', async () => {
    const folder = await makeDataFolder();
    owned.push(() => removeFolder(folder));
    const [server, file] = [await start(say), join(folder, 'authority.pem')];
    await writeFile(file, authority.certificate);
    const child = join(import.meta.dirname, '../support/outbound-child.ts');
    const call = (env: Record<string, string>): Promise<string> =>
      new Promise((resolve, reject) => {
        execFile(process.execPath, [child, originOf(server)], { env: { PATH: process.env['PATH'], ...env } }, (error, printed) =>
          error ? reject(error) : resolve(printed),
        );
      });
    expect(await Promise.all([call({ NODE_EXTRA_CA_CERTS: file }), call({})])).toEqual(['200', 'untrusted']);
  });

  test('is not made to a name that leads into a private network', async () => {
    const server = await start(say);
    const inside = ['127.0.0.1', '::1', '::ffff:127.0.0.1', '::ffff:0:127.0.0.1', '64:ff9b::7f00:1', '2002:7f00:1::', '10.0.0.1'];
    const nowhere = ['169.254.169.254', '64:ff9b::a9fe:a9fe', 'fd00:ec2::254', 'fe80::1', '0.0.0.0', '::'];
    for (const addresses of [...[...inside, ...nowhere].map((one) => [one]), ['93.184.216.34', '127.0.0.1']]) {
      const { outbound } = open({ allowPrivate: false, resolve: async () => addresses });
      expect(await outbound.call(originOf(server), GET)).toMatchObject({ ok: false, reason: 'refused-address' });
    }
    expect(server.connections.made).toBe(0);
  });

  test('is vetted anew when a name begins to lead elsewhere', async () => {
    const server = await start(say);
    const answers = [['127.0.0.1'], ['169.254.169.254']];
    const { outbound } = open({ resolve: async () => answers.shift() ?? [] });
    expect((await outbound.call(originOf(server), GET)).ok).toBe(true);
    await outbound.end(originOf(server));
    expect(await outbound.call(originOf(server), GET)).toMatchObject({ ok: false, reason: 'refused-address' });
    expect(await outbound.call(originOf(server), GET)).toMatchObject({ ok: false, reason: 'unreachable' });
    expect(server.connections.made).toBe(1);
  });

  test.each(['https://127.0.0.1', 'https://2130706433', 'http://peer.example', 'https://u@peer.example', 'https://localhost'])(
    'is never tried for %s',
    async (origin) => {
      const { outbound, asked } = open({ allowPrivate: false });
      expect(await outbound.call(origin, GET)).toMatchObject({ ok: false, reason: 'refused-address' });
      expect(asked).toEqual([]);
    },
  );

  test('may be plain and to an address in one house', async () => {
    const server = await startOther(say);
    owned.push(() => server.close());
    const { outbound } = open({ resolve: resolverFor({ allowPrivate: true }) });
    expect((await outbound.call(`http://127.0.0.1:${server.port}`, GET)).ok).toBe(true);
    expect((await outbound.call(`http://localhost:${server.port}`, GET)).ok).toBe(true);
  });

  test('that nobody takes, or that breaks, is unreachable', async () => {
    const server = await start((_request, response) => {
      response.write('half');
      response.destroy();
    });
    const gone = await startOther(say);
    await gone.close();
    const { outbound } = open();
    expect(await outbound.call(originOf(server), GET)).toMatchObject({ ok: false, reason: 'unreachable' });
    expect(await outbound.call(originOf(gone), GET)).toMatchObject({ ok: false, reason: 'unreachable' });
  });
});

describe('an answer', () => {
  test('that sends elsewhere is not followed, by whichever status', async () => {
    const target = await start(say);
    const statuses = [300, 301, 302, 303, 305, 307, 308, 399];
    let status = 0;
    const server = await start(
      (_request, response) =>
        void response.writeHead(status, { location: originOf(target), refresh: `0;url=${originOf(target)}` }).end('go'),
    );
    const { outbound } = open();
    for (status of statuses) expect(await outbound.call(originOf(server), GET)).toMatchObject({ ok: false, reason: 'redirect' });
    expect(target.connections.made).toBe(0);
  });

  test('of the longest length is read, one byte more is not', async () => {
    let length = peerAnswerBytes;
    const server = await start((_request, response) => void response.end(Buffer.alloc(length)));
    const { outbound } = open();
    expect(await outbound.call(originOf(server), GET)).toMatchObject({ ok: true, value: { body: { length } } });
    length += 1;
    expect(await outbound.call(originOf(server), GET)).toMatchObject({ ok: false, reason: 'too-large' });
  });

  test('without an end is cut off', async () => {
    let sent = 0;
    const server = await start((_request, response) => {
      const more = (): void => {
        sent += 65_536;
        if (!response.destroyed) response.write(Buffer.alloc(65_536), more);
      };
      more();
    });
    const { outbound } = open();
    expect(await outbound.call(originOf(server), GET)).toMatchObject({ ok: false, reason: 'too-large' });
    await server.quiet();
    expect(sent).toBeLessThan(16 * peerAnswerBytes);
  });

  test.each<[string, Answering]>([
    ['does not begin', never],
    ['does not end', (_request, response) => void response.write('half')],
  ])('that %s in time is a timeout, and its connection is cut', async (_name, answer) => {
    const server = await start(answer);
    const { outbound, clock } = open();
    const came = server.next();
    const called = outbound.call(originOf(server), GET);
    await came;
    clock.advance(peerCallMs);
    expect(await called).toMatchObject({ ok: false, reason: 'timeout' });
    await server.quiet();
    expect(clock.timers).toBe(0);
  });

  test('of a server that takes connections and says nothing is a timeout', async () => {
    const silent = createServer();
    const taken = new Promise<void>((resolve) => silent.on('connection', (socket) => resolve(void socket.on('error', () => undefined))));
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    const { outbound, clock } = open();
    owned.push(() => new Promise((resolve) => void silent.close(() => resolve())));
    const called = outbound.call(`https://${NAME}:${(silent.address() as AddressInfo).port}`, GET);
    await taken;
    clock.advance(peerCallMs);
    expect(await called).toMatchObject({ ok: false, reason: 'timeout' });
    await outbound[Symbol.asyncDispose]();
  });
});

describe('calls to one peer', () => {
  test('are so many at once, the others wait in line, and over that they fail at once', async () => {
    const held: (() => void)[] = [];
    const server = await start((_request, response) => void held.push(() => response.end('yes')));
    const { outbound, clock } = open();
    const calls = Array.from({ length: peerCallsAtOnce + peerCallsWaiting }, () => outbound.call(originOf(server), GET));
    expect(await outbound.call(originOf(server), GET)).toMatchObject({ ok: false, reason: 'busy' });
    while (held.length < peerCallsAtOnce) await server.next();
    expect(held).toHaveLength(peerCallsAtOnce);
    const ninth = server.next();
    held.shift()?.();
    await ninth;
    expect(held).toHaveLength(peerCallsAtOnce);
    clock.advance(peerCallMs);
    const outcomes = await Promise.all(calls);
    expect(outcomes.filter(({ ok }) => ok)).toHaveLength(1);
    // Those that never had their turn say nothing of it.
    expect(outcomes.filter((outcome) => !outcome.ok && outcome.reason === 'timeout')).toHaveLength(peerCallsAtOnce);
    expect(outcomes.filter((outcome) => !outcome.ok && outcome.reason === 'busy')).toHaveLength(peerCallsWaiting - 1);
    expect(server.connections.made).toBeLessThanOrEqual(peerCallsAtOnce + 1);
  });

  test('end when their caller, their peer or this server ends, and leave nothing', async () => {
    const server = await start(never);
    const { outbound, clock } = open();
    const stop = new AbortController();
    const begin = async (signal?: AbortSignal) => {
      const came = server.next();
      const called = outbound.call(originOf(server), { ...GET, ...(signal === undefined ? {} : { signal }) });
      await came;
      return () => called;
    };
    const byCaller = await begin(stop.signal);
    stop.abort();
    expect(await byCaller()).toMatchObject({ ok: false, reason: 'closed' });
    const byPeer = await begin();
    await outbound.end(originOf(server));
    expect(await byPeer()).toMatchObject({ ok: false, reason: 'closed' });
    const byServer = await begin();
    await outbound[Symbol.asyncDispose]();
    expect(await byServer()).toMatchObject({ ok: false, reason: 'closed' });
    expect(await outbound.call(originOf(server), GET)).toMatchObject({ ok: false, reason: 'closed' });
    expect(await outbound.call(originOf(server), { ...GET, signal: stop.signal })).toMatchObject({ ok: false, reason: 'closed' });
    await server.quiet();
    expect(clock.timers).toBe(0);
  });

  test('are so many in a second, and those to another are not held up by it', async () => {
    const [server, second] = [await start(say), await start(say)];
    const { outbound, clock } = open();
    for (let turn = 0; turn < peerCallsPerSecond; turn += 1) expect((await outbound.call(originOf(server), GET)).ok).toBe(true);
    let isDone = false;
    const next = outbound.call(originOf(server), GET).then((answer) => {
      isDone = true;
      return answer;
    });
    expect((await outbound.call(originOf(second), GET)).ok).toBe(true);
    expect([isDone, server.seen.length]).toEqual([false, peerCallsPerSecond]);
    clock.advance(1_000 / peerCallsPerSecond);
    expect((await next).ok).toBe(true);
    const late = outbound.call(originOf(server), GET);
    await outbound[Symbol.asyncDispose]();
    expect(await late).toMatchObject({ ok: false, reason: 'closed' });
    expect(clock.timers).toBe(0);
  });

  test('under an address that it had before leave no connections', async () => {
    const [before, running, after] = [await start(say), await start(never), await start(say)];
    const { outbound, clock } = open({ limits: { ...DEFAULT_LIMITS, peerCallMs: 10 * peerPoolIdleMs } });
    expect((await outbound.call(originOf(before), GET)).ok).toBe(true);
    const came = running.next();
    void outbound.call(originOf(running), GET);
    await came;
    clock.advance(peerPoolIdleMs);
    expect((await outbound.call(originOf(after), GET)).ok).toBe(true);
    await before.quiet();
    expect(running.connections.open).toBe(1);
  });

  test('do not wait for those to another', async () => {
    const [dead, live] = [await start(never), await start(say)];
    const { outbound, clock } = open();
    const calls = Array.from({ length: peerCallsAtOnce + 1 }, () => outbound.call(originOf(dead), GET));
    expect((await outbound.call(originOf(live), GET)).ok).toBe(true);
    clock.advance(peerCallMs);
    expect((await Promise.all(calls)).map((call) => !call.ok && call.reason)).toEqual(
      calls.map((_call, at) => (at < peerCallsAtOnce ? 'timeout' : 'busy')),
    );
  });
});

test('public names are asked of name servers', async () => {
  const server = createSocket('udp4');
  server.on('message', (question, { port, address }) => {
    const type = question.readUInt16BE(question.length - (question.includes(Buffer.from([0, 0, 41])) ? 15 : 4));
    const name = question.subarray(12, question.indexOf(0, 12) + 5);
    const header = Buffer.from([question[0] ?? 0, question[1] ?? 0, 0x81, 0x80, 0, 1, 0, type === 1 ? 1 : 0, 0, 0, 0, 0]);
    const record = Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 9, 0, 4, 93, 184, 216, 34]);
    server.send(type === 1 ? Buffer.concat([header, name, record]) : Buffer.concat([header, name]), port, address);
  });
  await new Promise<void>((resolve) => server.bind(0, '127.0.0.1', resolve));
  owned.push(() => new Promise((resolve) => void server.close(() => resolve())));
  expect(await nameServers([`127.0.0.1:${server.address().port}`])(NAME)).toEqual(['93.184.216.34']);
});
