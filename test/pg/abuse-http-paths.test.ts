// Addresses that reach for what they may not, and requests that try to write into the log: every spelling of a way out of the web app's folder,
// and every place of a request in which a line of one's own might stand.
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { besiege, isRefusal, type Siege } from '../support/http-siege.ts';
import { exchange } from '../support/raw-http.ts';

const HOST = 'host: reeds.example\r\n';
const PAGE = '<!doctype html><title>page</title>';
const OUTSIDE = 'what no address leads to';

let siege: Siege;
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'reedbed-web-'));
  for (const path of ['dist/assets', 'dist-old', 'dist/.well', 'secret']) await mkdir(join(folder, path), { recursive: true });
  await writeFile(join(folder, 'dist/index.html'), PAGE);
  await writeFile(join(folder, 'dist/assets/app-1a2b.js'), '//app');
  for (const path of ['secret.txt', 'secret/file.txt', 'dist-old/file.txt', 'dist/.hidden', 'dist/.well/file.txt', 'dist/assets/.env'])
    await writeFile(join(folder, path), OUTSIDE);
  siege = await besiege({}, { webFolder: join(folder, 'dist') });
});
afterEach(() => siege.stillServes());
afterAll(async () => {
  await siege.end();
  await rm(folder, { recursive: true });
});

const UPS = [
  '..',
  '%2e%2e',
  '%2E%2E',
  '.%2e',
  '%2e.',
  '%252e%252e',
  '%25252e%25252e',
  '..%00',
  '..%3b',
  '..;',
  '....',
  '%c0%ae%c0%ae',
  '%e0%80%ae%e0%80%ae',
  '%uff0e%uff0e',
  '%ef%bc%8e%ef%bc%8e',
  '..%20',
  '..%09',
  '..%0d%0a',
];
const SLASHES = ['/', '//', '%2f', '%2F', '%252f', '%5c', '\\', '%255c', '%c0%af', '%ef%bc%8f', '/./', '/;/', '%00/'];
const TARGETS = ['secret.txt', 'secret/file.txt', 'dist-old/file.txt', 'secret.txt%00.js', 'secret.txt%00.html', 'etc/passwd'];
const STARTS = ['/assets/', '//', '/assets//', '/./'];

describe('the web app', () => {
  test('lets no spelling of a way up lead out of its folder', async () => {
    for (const [row, up] of UPS.entries())
      for (const [column, slash] of SLASHES.entries())
        for (const start of ['/', STARTS[(row + column) % STARTS.length]]) {
          const target = TARGETS[(row * SLASHES.length + column) % TARGETS.length];
          const path = `${start}${up}${slash}${start === '/' ? '' : `${up}${slash}`}${target}`;
          const answer = await exchange(siege.port, Buffer.from(`GET ${path} HTTP/1.1\r\n${HOST}connection: close\r\n\r\n`, 'latin1'));
          expect([path, answer?.body.includes(OUTSIDE), answer?.body.includes('root:')]).toEqual([path, false, false]);
          // An address without a file's ending is one of the app's pages, whatever else it is.
          if (answer?.status === 200) expect([path, answer.body]).toEqual([path, PAGE]);
          else isRefusal(answer, path);
        }
  });

  test.each([
    '/.hidden',
    '/.well/file.txt',
    '/%2ewell/file.txt',
    '/assets/.env',
    '/assets/%2eenv',
    '/assets/..%2f.hidden',
    '/index.html%00',
    '/index.html%00.js',
    '/assets/app-1a2b.js%00.txt',
    '/assets/app-1a2b.js%2f..%2f..%2f..%2fsecret.txt',
    '/assets/',
    '/assets',
    '/assets/%2e',
    '/%2fetc%2fpasswd.txt',
    '/C:%5cwindows%5cwin.ini',
    '/file:%2f%2f%2fetc%2fpasswd.txt',
    '/%5c%5chost%5cshare.txt',
    '/con.txt',
    '/index.html::$DATA.txt',
    '/%',
    '/%zz.txt',
    '/%ff.txt',
  ])('has nothing at %s', async (path) => {
    isRefusal(await exchange(siege.port, `GET ${path} HTTP/1.1\r\n${HOST}\r\n`), path);
  });

  test.each(['/%2ehidden', '/%2Ehidden'])('shows its page for %s, and no hidden file', async (path) => {
    expect((await exchange(siege.port, `GET ${path} HTTP/1.1\r\n${HOST}\r\n`))?.body).toBe(PAGE);
  });

  test('has its own files and its page, so that the rest is not refused for want of any', async () => {
    expect((await exchange(siege.port, `GET /assets/app-1a2b.js HTTP/1.1\r\n${HOST}\r\n`))?.body).toBe('//app');
    expect((await exchange(siege.port, `GET /somewhere HTTP/1.1\r\n${HOST}\r\n`))?.body).toBe(PAGE);
  });
});

describe('the log', () => {
  const FORGED = 'forged-line';
  const LINES = [
    `\n{"level":"fatal","msg":"${FORGED}"}`,
    `\r\n${FORGED}`,
    `\u2028${FORGED}`,
    `\x1b[2J\x1b[31m${FORGED}`,
    `\x08\x08\x08${FORGED}`,
    `"},"level":"fatal","msg":"${FORGED}`,
    `%s %o %j ${FORGED}`,
    `\${jndi:ldap://${FORGED}}`,
  ];
  const FIELDS = ['user-agent', 'referer', 'x-forwarded-for', 'x-request-id', 'request-id', 'authorization', 'cookie', 'accept', 'origin'];

  test('gets no line, field or sign from a request, wherever it stands', async () => {
    siege.logged();
    const { ann } = siege;
    for (const line of LINES) {
      const encoded = encodeURIComponent(line);
      const inHeader = line.replace(/[^\x20-\x7e]/g, ' ');
      for (const url of [`/api/v1/${encoded}`, `/api/v1/users/${encoded}`, `/api/v1/users?query=${encoded}`, `/${encoded}.txt`])
        await exchange(siege.port, `GET ${url} HTTP/1.1\r\n${HOST}authorization: Bearer ${ann.token}\r\nconnection: close\r\n\r\n`);
      for (const field of FIELDS)
        await exchange(siege.port, `GET /api/v1/devices HTTP/1.1\r\n${HOST}${field}: ${inHeader}\r\nconnection: close\r\n\r\n`);
      await exchange(siege.port, Buffer.from(`GET / HTTP/1.1\r\n${HOST}x: ${line}\r\n\r\n`, 'latin1'));
      await exchange(siege.port, Buffer.from(`${line} / HTTP/1.1\r\n${HOST}\r\n`, 'latin1'));
      isRefusal(await siege.post('/api/v1/auth/token', { statement: { [line]: line }, signature: line }), 'statement');
      isRefusal(await siege.post('/api/v1/invites/check', { secret: line.slice(0, 64) }), 'secret');
      isRefusal(await siege.post('/api/v1/reeds', { statement: { app: line }, signatures: [{ key: line, signature: line }] }, ann), 'reed');
    }
    const lines = siege.logged();
    expect(lines.length).toBeGreaterThan(LINES.length * FIELDS.length);
    for (const line of lines) {
      expect(line.indexOf('\n')).toBe(line.length - 1);
      expect(line).toMatch(/^[\x20-\x7e]*\n$/);
      expect(line).not.toContain(FORGED);
      expect(Object.keys(JSON.parse(line)).sort()).toEqual(['level', 'method', 'ms', 'msg', 'reqId', 'route', 'status', 'time']);
    }
  });
});
