// HTTP itself abused over raw connections: framing that two readers would understand differently, heads and bodies without end, connections that
// never end. Each gets a problem document or is cut; nothing is lost for anybody else.
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { CONTENT_SECURITY_POLICY } from '../../src/http/headers.ts';
import { watchBuffers } from '../support/held-memory.ts';
import { besiege, isRefusal, type Siege } from '../support/http-siege.ts';
import { exchange, RawConnection } from '../support/raw-http.ts';

// Hundreds of calls in a test: a loaded machine needs its time for them.
vi.setConfig({ testTimeout: 90_000 });

const KIB = 1_024;
const MIB = KIB * KIB;
const HOST = 'host: reeds.example\r\n';
const GET = `GET /api/v1/server HTTP/1.1\r\n${HOST}\r\n`;
const JSON_TYPE = 'content-type: application/json\r\n';
const post = (fields: string, rest = '', path = '/api/v1/users'): string =>
  `POST ${path} HTTP/1.1\r\n${HOST}${JSON_TYPE}${fields}\r\n${rest}`;
const CHUNKED = 'transfer-encoding: chunked\r\n';

let siege: Siege;
const open: RawConnection[] = [];
const raw = async (): Promise<RawConnection> => {
  const connection = await RawConnection.open(siege.port);
  open.push(connection);
  return connection;
};

beforeAll(async () => {
  siege = await besiege();
});
afterEach(async () => {
  for (const connection of open.splice(0)) connection.destroy();
  await siege.stillServes();
});
afterAll(() => siege.end());

/** Refused as a whole: one answer with all headers, and no connection that a second request could hide in. */
const isCutOff = async (bytes: string, place: string): Promise<string> => {
  const connection = await raw();
  await connection.write(Buffer.from(bytes, 'latin1'));
  const answer = await connection.answer();
  const code = isRefusal(answer, place);
  expect([place, answer?.headers.get('connection')]).toEqual([place, 'close']);
  expect([place, answer?.headers.get('content-security-policy')]).toEqual([place, CONTENT_SECURITY_POLICY]);
  expect([place, await connection.answer(), connection.rest]).toEqual([place, null, '']);
  return code;
};

describe('request smuggling', () => {
  const SMUGGLED = `GET /api/v1/smuggled HTTP/1.1\r\n${HOST}\r\n`;
  test.each([
    ['a length and chunks', post(`content-length: 4\r\n${CHUNKED}`, `0\r\n\r\n${SMUGGLED}`)],
    ['chunks and a length', post(`${CHUNKED}content-length: ${SMUGGLED.length}\r\n`, `0\r\n\r\n${SMUGGLED}`)],
    ['two lengths', post('content-length: 2\r\ncontent-length: 60\r\n', `{}${SMUGGLED}`)],
    ['the same length twice', post('content-length: 2\r\ncontent-length: 2\r\n', `{}${SMUGGLED}`)],
    ['a list of lengths', post('content-length: 2, 2\r\n', `{}${SMUGGLED}`)],
    ['a length with a sign', post('content-length: +2\r\n', `{}${SMUGGLED}`)],
    ['a negative length', post('content-length: -2\r\n', `{}${SMUGGLED}`)],
    ['a length in hexadecimal', post('content-length: 0x2\r\n', `{}${SMUGGLED}`)],
    ['a length beyond all numbers', post(`content-length: ${'9'.repeat(40)}\r\n`, `{}${SMUGGLED}`)],
    ['an empty length', post('content-length:\r\n', `{}${SMUGGLED}`)],
    ['a coding that is none', post('transfer-encoding: xchunked\r\n', `0\r\n\r\n${SMUGGLED}`)],
    ['chunks that are not the last coding', post('transfer-encoding: chunked, identity\r\n', `0\r\n\r\n${SMUGGLED}`)],
    ['chunks twice', post(`${CHUNKED}${CHUNKED}`, `0\r\n\r\n${SMUGGLED}`)],
    ['a coding on a folded line', post('transfer-encoding:\r\n chunked\r\n', `0\r\n\r\n${SMUGGLED}`)],
    ['a vertical tab before the coding', post('transfer-encoding: \x0bchunked\r\n', `0\r\n\r\n${SMUGGLED}`)],
    ['a folded header', `GET /api/v1/server HTTP/1.1\r\n${HOST}x: a\r\n b\r\n\r\n`],
    ['a space before the colon', `GET /api/v1/server HTTP/1.1\r\n${HOST}content-length : 0\r\n\r\n`],
    ['a space before the first header', `GET /api/v1/server HTTP/1.1\r\n ${HOST}\r\n`],
    ['bare line feeds', 'GET /api/v1/server HTTP/1.1\nhost: x\n\n'],
    ['one bare line feed', 'GET /api/v1/server HTTP/1.1\r\nhost: x\nx: y\r\n\r\n'],
    ['a bare carriage return', 'GET /api/v1/server HTTP/1.1\r\nhost: x\rx: y\r\n\r\n'],
    ['a NUL in a header', `GET /api/v1/server HTTP/1.1\r\n${HOST}x: a\0b\r\n\r\n`],
    ['a chunk size beyond all numbers', post(CHUNKED, `fffffffffffffffff\r\n{}`)],
    ['a negative chunk size', post(CHUNKED, '-1\r\n{}')],
    ['a chunk size with 0x', post(CHUNKED, '0x2\r\n{}\r\n0\r\n\r\n')],
    ['chunks that end in line feeds', post(CHUNKED, '2\n{}\n0\n\n')],
    ['a chunk longer than it says', post(CHUNKED, '2\r\n{}}\r\n0\r\n\r\n')],
    ['trailers with a length', post(CHUNKED, `2\r\n{}\r\n0\r\ncontent-length: 50\r\n\r\n${SMUGGLED}`)],
    ['a body where there can be none', `GET /api/v1/server HTTP/1.1\r\n${HOST}content-length: ${SMUGGLED.length}\r\n\r\n${SMUGGLED}`],
    ['chunks where there can be no body', `HEAD /api/v1/server HTTP/1.1\r\n${HOST}${CHUNKED}\r\n0\r\n\r\n`],
    ['no host', 'GET /api/v1/server HTTP/1.1\r\n\r\n'],
    ['two hosts', 'GET /api/v1/server HTTP/1.1\r\nhost: a\r\nhost: b\r\n\r\n'],
    ['an empty host', 'GET /api/v1/server HTTP/1.1\r\nhost:\r\n\r\n'],
    ['a host with a path', 'GET /api/v1/server HTTP/1.1\r\nhost: a/b\r\n\r\n'],
    ['a host with a user', 'GET /api/v1/server HTTP/1.1\r\nhost: a@b\r\n\r\n'],
  ])('by %s is refused, and the connection with it', async (place, bytes) => {
    if (bytes.startsWith('HEAD')) {
      const answer = await exchange(siege.port, bytes);
      expect([answer?.status, answer?.headers.get('connection')]).toEqual([400, 'close']);
    } else expect(['BAD_REQUEST', 'INVALID']).toContain(await isCutOff(bytes, place));
  });

  test('by a length on HTTP/1.0 with chunks is refused', async () => {
    await isCutOff(`POST /api/v1/users HTTP/1.0\r\n${CHUNKED}content-length: 2\r\n\r\n0\r\n\r\n`, 'HTTP/1.0');
  });
});

describe('a request line', () => {
  test.each([
    ['of no HTTP at all', 'nonsense\r\n\r\n'],
    ['of TLS', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n'],
    ['of HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
    ['of HTTP/1.2', `GET /api/v1/server HTTP/1.2\r\n${HOST}\r\n`],
    ['of HTTP/9.9', `GET /api/v1/server HTTP/9.9\r\n${HOST}\r\n`],
    ['with a method of 5,000 letters', `${'A'.repeat(5_000)} / HTTP/1.1\r\n${HOST}\r\n`],
    ['with a method in small letters', `get /api/v1/server HTTP/1.1\r\n${HOST}\r\n`],
    ['with a method of signs', `G\u00ebT / HTTP/1.1\r\n${HOST}\r\n`],
    ['with a tab in the address', `GET /api/v1/ser\tver HTTP/1.1\r\n${HOST}\r\n`],
    ['with an address that is not ASCII', `GET /api/v1/s\xff HTTP/1.1\r\n${HOST}\r\n`],
    ['with no address', `GET HTTP/1.1\r\n${HOST}\r\n`],
  ])('%s is refused', async (place, bytes) => {
    expect(await isCutOff(bytes, place)).toBe('BAD_REQUEST');
  });

  test.each([
    ['CONNECT', 'CONNECT 127.0.0.1:22', 'METHOD_NOT_ALLOWED'],
    ['TRACE', 'TRACE /api/v1/server', 'METHOD_NOT_ALLOWED'],
    ['PROPFIND', 'PROPFIND /api/v1/server', 'METHOD_NOT_ALLOWED'],
    ['PURGE', 'PURGE /api/v1/server', 'METHOD_NOT_ALLOWED'],
    ['OPTIONS of everything', 'OPTIONS *', 'NOT_FOUND'],
    ['GET of everything', 'GET *', 'NOT_FOUND'],
  ])('with %s is refused by name', async (place, line, code) => {
    expect(isRefusal(await exchange(siege.port, `${line} HTTP/1.1\r\n${HOST}\r\n`), place)).toBe(code);
  });

  test('with the address of another server is taken for this one, which names itself', async () => {
    const answer = await exchange(siege.port, 'GET http://evil.example/api/v1/server HTTP/1.1\r\nhost: evil.example\r\n\r\n');
    expect([answer?.status, answer?.body.includes('evil')]).toEqual([200, false]);
  });
});

describe('a head', () => {
  test.each([
    ['with an address of 100,000 signs', `GET /api/v1/users/${'a'.repeat(100_000)} HTTP/1.1\r\n${HOST}\r\n`],
    ['with a header of 100,000 signs', `GET /api/v1/server HTTP/1.1\r\n${HOST}x: ${'y'.repeat(100_000)}\r\n\r\n`],
    ['with a header name of 100,000 signs', `GET /api/v1/server HTTP/1.1\r\n${HOST}${'y'.repeat(100_000)}: x\r\n\r\n`],
    ['with 20,000 headers', `GET /api/v1/server HTTP/1.1\r\n${HOST}${'a:b\r\n'.repeat(20_000)}\r\n`],
  ])('%s is too large', async (place, bytes) => {
    expect(await isCutOff(bytes, place)).toBe('TOO_LARGE');
  });

  test('with an address of 8,000 signs is refused', async () => {
    isRefusal(await exchange(siege.port, `GET /api/v1/users/${'a'.repeat(8_000)} HTTP/1.1\r\n${HOST}\r\n`), 'long address');
    isRefusal(await exchange(siege.port, `GET /api/v1/users?query=${'a'.repeat(8_000)} HTTP/1.1\r\n${HOST}\r\n`), 'long query');
  });

  test('with a chunk extension or trailers of 100,000 signs is refused', async () => {
    await isCutOff(post(CHUNKED, `2;${'a'.repeat(100_000)}\r\n{}\r\n0\r\n\r\n`), 'chunk extension');
    await isCutOff(post(CHUNKED, `2\r\n{}\r\n0\r\nx: ${'a'.repeat(100_000)}\r\n\r\n`), 'trailers');
  });
});

describe('a body of 100 MB', () => {
  // What was written before the refusal arrived, kernel buffers on both sides included. Far below the body, far above the limit.
  const MOST_BYTES = 32 * MIB;
  const PIECES = 1_600;
  const plain = 'x'.repeat(64 * KIB);
  const chunk = `10000\r\n${plain}\r\n`;
  test.each([
    ['that says its length', post(`content-length: ${100 * MIB}\r\n`), plain, 413],
    ['in chunks', post(CHUNKED), chunk, 413],
    ['in chunks of one byte', post(CHUNKED), '1\r\nx\r\n'.repeat(10_000), 413],
    ['for an address that is none', post(`content-length: ${100 * MIB}\r\n`, '', '/api/v1/nothing'), plain, 413],
    ['of text', `POST /api/v1/users HTTP/1.1\r\n${HOST}content-type: text/plain\r\ncontent-length: ${100 * MIB}\r\n\r\n`, plain, 415],
    ['on a route without one', post(`content-length: ${100 * MIB}\r\n`, '', '/api/v1/auth/challenge'), plain, 413],
    ['with GET', `GET /api/v1/server HTTP/1.1\r\n${HOST}content-length: ${100 * MIB}\r\n\r\n`, plain, 400],
    ['with GET in chunks', `GET /api/v1/server HTTP/1.1\r\n${HOST}${CHUNKED}\r\n`, chunk, 400],
    ['with DELETE', `DELETE /api/v1/auth/token HTTP/1.1\r\n${HOST}${JSON_TYPE}content-length: ${100 * MIB}\r\n\r\n`, plain, 413],
    ['behind an Expect', post(`content-length: ${100 * MIB}\r\nexpect: 100-continue\r\n`), plain, 413],
  ])('%s is refused early, and not kept', async (place, head, piece, status) => {
    const connection = await raw();
    const bytes = Buffer.from(piece);
    const held = watchBuffers();
    await connection.write(head);
    for (let sent = 0; sent < PIECES && (await connection.write(bytes)); sent++) held();
    let answer = await connection.answer();
    if (answer?.status === 100) answer = await connection.answer();
    isRefusal(answer, place);
    expect(answer?.status).toBe(status);
    expect(connection.sentBytes).toBeLessThan(MOST_BYTES);
    expect(held()).toBeLessThan(MOST_BYTES);
  });
});

describe('pipelining', () => {
  test('of 200 requests is answered in their order', async () => {
    const connection = await raw();
    const paths = Array.from({ length: 200 }, (_, at) => (at % 2 === 0 ? '/api/v1/server' : '/api/v1/nothing'));
    await connection.write(paths.map((path) => `GET ${path} HTTP/1.1\r\n${HOST}\r\n`).join(''));
    for (const path of paths) expect([path, (await connection.answer())?.status]).toEqual([path, path.endsWith('server') ? 200 : 404]);
  });

  test('of nonsense behind requests leaves their answers as they are', async () => {
    const connection = await raw();
    await connection.write(`${GET}${GET}nonsense\r\n\r\n`);
    const statuses = (await connection.answers()).map(({ status }) => status);
    expect(statuses).toEqual([200, 200, 400]);
    expect(connection.rest).toBe('');
  });
});
