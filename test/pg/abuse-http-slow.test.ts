// Connections that take their time: heads and bodies by the byte, bodies that never come, answers that are never read, ends that are never
// answered. All are cut, and those who are quick notice nothing. Pages of other origins and hosts of other names get nothing out of it either.
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { Api } from '../../src/http/api.ts';
import { makeHttp } from '../support/http.ts';
import { besiege, isRefusal, type Siege } from '../support/http-siege.ts';
import { exchange, type RawAnswer, RawConnection } from '../support/raw-http.ts';

const HOST = 'host: reeds.example\r\n';
const POST = `POST /api/v1/users HTTP/1.1\r\n${HOST}content-type: application/json\r\n`;
const REQUEST_MS = 400;
const BYTE_EVERY_MS = 20;

let siege: Siege;
/** The same server with little patience. */
let hasty: Api;
let port: number;
const open: RawConnection[] = [];
const dripping: NodeJS.Timeout[] = [];
const raw = async (to = port): Promise<RawConnection> => {
  const connection = await RawConnection.open(to);
  open.push(connection);
  return connection;
};
const connectionsOf = ({ server }: Api): Promise<number> =>
  new Promise((resolve, reject) => server.getConnections((error, count) => (error === null ? resolve(count) : reject(error))));

beforeAll(async () => {
  siege = await besiege();
  hasty = await makeHttp({ ...siege.world, limits: { ...siege.world.limits, httpRequestMs: REQUEST_MS } });
  await hasty.listen({ port: 0, host: '127.0.0.1' });
  port = (hasty.server.address() as AddressInfo).port;
});
afterEach(async () => {
  for (const timer of dripping.splice(0)) clearInterval(timer);
  for (const connection of open.splice(0)) connection.destroy();
  await expect.poll(() => connectionsOf(hasty)).toBe(0);
  await siege.stillServes();
});
afterAll(async () => {
  await hasty.close();
  await siege.end();
});

/** Sends `head` at once and then a byte at a time, for ever. */
const drip = async (head: string, bytes: string): Promise<RawConnection> => {
  const connection = await raw();
  await connection.write(head);
  let at = 0;
  dripping.push(setInterval(() => void connection.write(bytes[at++ % bytes.length] ?? ''), BYTE_EVERY_MS));
  return connection;
};
const isCut = async (connection: RawConnection, place: string): Promise<void> => {
  const answers = await connection.answers();
  expect([place, answers.map(({ status }) => status)]).toEqual([place, [408]]);
  isRefusal(answers[0] as RawAnswer, place);
};

describe('who sends slowly', () => {
  test.each([
    ['a request line', 'GET /', 'a'],
    ['a header', `GET /api/v1/server HTTP/1.1\r\n${HOST}x: `, 'y'],
    ['headers', `GET /api/v1/server HTTP/1.1\r\n${HOST}`, 'a:b\r\n'],
    ['a body', `${POST}content-length: 60000\r\n\r\n`, ' '],
    ['chunks', `${POST}transfer-encoding: chunked\r\n\r\n`, '1\r\n \r\n'],
    ['a chunk size', `${POST}transfer-encoding: chunked\r\n\r\n`, '0'],
  ])('%s is cut off with an answer', async (place, head, bytes) => {
    await isCut(await drip(head, bytes), place);
  });

  test.each([
    ['nothing at all', ''],
    ['half a head', 'GET /api/v1/server HT'],
    ['a head without its body', `${POST}content-length: 50\r\n\r\n`],
    ['a second request without its body', `GET /api/v1/nothing HTTP/1.1\r\n${HOST}\r\n`],
  ])('%s is cut off', async (place, bytes) => {
    const connection = await raw();
    await connection.write(bytes);
    if (place.startsWith('a second')) {
      isRefusal(await connection.answer(), place);
      await connection.write(`${POST}content-length: 50\r\n\r\n`);
    }
    const answers = await connection.answers();
    expect([place, answers.length <= 1 && answers.every(({ status }) => status === 408)]).toEqual([place, true]);
  });

  test('in a hundred connections at once keeps nobody else waiting', async () => {
    const slow = await Promise.all(Array.from({ length: 100 }, () => raw()));
    await Promise.all(slow.map((connection) => connection.write(`${POST}content-length: 50\r\n\r\n{`)));
    expect((await exchange(port, `GET /api/v1/server HTTP/1.1\r\n${HOST}\r\n`))?.status).toBe(200);
    for (const connection of slow) await isCut(connection, 'one of a hundred');
  });
});

describe('who reads slowly', () => {
  test('is cut off', async () => {
    const connection = await raw();
    connection.pause();
    // Seen before it can be over.
    await expect.poll(() => connectionsOf(hasty)).toBe(1);
    // Far more than all buffers between here and there hold; the server reads no further requests meanwhile.
    const asked = `GET /openapi.json HTTP/1.1\r\n${HOST}\r\n`.repeat(400);
    await connection.write(asked);
    await expect.poll(() => connectionsOf(hasty)).toBe(0);
  });
});

describe('who does not end', () => {
  test.each([
    ['after nonsense', 'nonsense\r\n\r\n'],
    ['after CONNECT', `CONNECT a:1 HTTP/1.1\r\n${HOST}\r\n`],
    ['after a broken body', `${POST}transfer-encoding: chunked\r\n\r\nnonsense\r\n`],
  ])('%s is cut off a little later, whatever is still sent', async (place, bytes) => {
    const connection = await raw(siege.port);
    await connection.write(bytes);
    isRefusal(await connection.answer(), place);
    const before = await siege.connections();
    await connection.write('more '.repeat(1_000));
    siege.world.clock.advance(siege.world.limits.closeWaitMs);
    await expect.poll(() => siege.connections()).toBe(before - 1);
  });
});

describe('a page of another origin', () => {
  const ASKS = [
    ['OPTIONS', 'access-control-request-method: POST\r\naccess-control-request-headers: authorization\r\n'],
    ['GET', ''],
  ] as const;
  test.each(['https://evil.example', 'null', 'http://127.0.0.1:1'])('%s is allowed nothing', async (origin) => {
    for (const [method, fields] of ASKS) {
      const answer = await exchange(siege.port, `${method} /api/v1/server HTTP/1.1\r\n${HOST}origin: ${origin}\r\n${fields}\r\n`);
      expect([...(answer?.headers.keys() ?? [])].filter((name) => name.startsWith('access-control') || name === 'set-cookie')).toEqual([]);
      expect(answer?.headers.get('cross-origin-resource-policy')).toBe('same-origin');
    }
  });

  test('can post no form', async () => {
    for (const type of ['application/x-www-form-urlencoded', 'multipart/form-data; boundary=x', 'text/plain'])
      expect(
        isRefusal(await exchange(siege.port, `${POST.replace('application/json', type)}origin: null\r\ncontent-length: 2\r\n\r\n{}`), type),
      ).toBe('UNSUPPORTED_MEDIA_TYPE');
  });
});

describe('a host of another name', () => {
  test('changes nothing of what the server says about itself', async () => {
    const [own, other] = await Promise.all(
      ['reeds.example', 'evil.example:99'].map((host) =>
        exchange(
          siege.port,
          `GET /.well-known/reedbed HTTP/1.1\r\nhost: ${host}\r\nx-forwarded-host: ${host}\r\nforwarded: host=${host}\r\n\r\n`,
        ),
      ),
    );
    expect(other?.body).toBe(own?.body);
    expect(other?.body).not.toContain('evil');
    expect(JSON.stringify([...(other?.headers ?? [])])).not.toContain('evil');
  });
});
