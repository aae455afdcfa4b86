// A peer that was made one by the whole ceremony and lies in its answers to us. What it is owed stays owed, nothing that it says is kept, and however
// it goes on, it costs a call now and then.
import { randomBytes } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Member } from '../../src/client/member.ts';
import { configWith } from '../../src/config/config.ts';
import { runStreamsRetry } from '../../src/ops/streams.ts';
import type { ReedId } from '../../src/wire/address.ts';
import { removeFolder } from '../support/child.ts';
import { makeDataFolder } from '../support/data-folder.ts';
import { BACK, MaliciousStage } from '../support/malicious-stage.ts';
import { makeMember } from '../support/members.ts';
import { MovedClock } from '../support/moved-clock.ts';
import { silent } from '../support/people.ts';
import { type Answering, type AnswerLie, envelopeOf, type RawPeer } from '../support/raw-peer.ts';
import { uuid } from '../support/raw-person.ts';
import { bytes, uint } from '../support/raw-wire.ts';

const MIB = 1024 * 1024;
const RATE_LIMITED = 14;

let folder: string;
let stage: MaliciousStage;
let liar: RawPeer;
let other: RawPeer;
let truly: Answering;
/** What the other one was told before anything sent us to it. */
let noticed: RawPeer['calls'];
const clock = new MovedClock();
beforeAll(async () => {
  folder = await makeDataFolder();
  stage = await MaliciousStage.open(folder, { limits: { sweepEveryMs: 3_600_000 }, overrides: { clock } });
  [liar, other] = [await stage.peer(), await stage.peer()];
  truly = liar.answering;
  await stage.server.settle();
  noticed = other.calls.filter(({ leg }) => leg === 'notice');
});
afterAll(async () => {
  await stage.close();
  await removeFolder(folder);
});
beforeEach(() => {
  liar.answering = truly;
  liar.calls.length = 0;
});

/** Owes the liar a notice, as if nothing had ever failed. @returns whether it is still owed after the call */
async function isOwed(): Promise<boolean> {
  await stage.rows(`update peers set failures = 0, retry_at = null where server_id = '${liar.id}'`);
  await stage.rows(
    `insert into owed_peer_notices (server_id, kind, due_at) values ('${liar.id}', 'back', '-infinity')
      on conflict (server_id, kind) do update set due_at = '-infinity'`,
  );
  await stage.server.settle();
  return (await stage.rows(`select from owed_peer_notices where server_id = '${liar.id}'`)).length > 0;
}
const epochOf = async (): Promise<string | undefined> =>
  (await stage.rows<{ epoch: string }>(`select epoch from peers where server_id = '${liar.id}'`))[0]?.epoch;

const lying =
  (lie: AnswerLie): Answering =>
  ({ request, response }) =>
    liar.answer(request, response, { envelope: { epoch: 'of-a-lie' }, ...lie });
/** Bytes in place of an answer; then the connection ends. */
const saying =
  (...parts: (string | Uint8Array)[]): Answering =>
  ({ request: { socket } }) => {
    for (const part of parts) socket.write(part);
    socket.destroySoon();
  };
const HEAD = 'HTTP/1.1 200 OK\r\n';

test('what it is owed is owed no more once it has said so', async () => {
  expect(await isOwed()).toBe(false);
  expect(liar.calls.map(({ leg }) => leg)).toContain('notice');
});

describe('an answer that', () => {
  const packed = (fields: Record<string, string | string[]>) => ({ ...fields, 'content-encoding': 'gzip' });
  test.each<[string, () => Answering]>([
    [
      'nobody signed',
      () =>
        ({ response }) =>
          void response.end(envelopeOf({})),
    ],
    [
      'is a page',
      () =>
        ({ response }) =>
          void response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>hello</h1>'),
    ],
    ['another peer signed in its name', () => lying({ by: other })],
    ['another peer signed', () => lying({ by: other, keyId: `${other.id}#${other.kid}` })],
    ['names us', () => lying({ keyId: `${stage.id}#${liar.kid}` })],
    ['is by a key that nobody knows', () => lying({ by: other, keyId: `${liar.id}#${other.kid}` })],
    ['is to another request', () => lying({ to: `reedbed=:${randomBytes(64).toString('base64')}:` })],
    ['has another status than it signed', () => lying({ status: 200, signedStatus: 404 })],
    ['has another body than it signed', () => lying({ signedBody: envelopeOf({}) })],
    ['has two signatures', () => lying({ fields: (fields) => ({ ...fields, signature: [String(fields['signature']), 'x=:AAAA:'] }) })],
    [
      'has two labels',
      () => lying({ fields: (fields) => ({ ...fields, 'signature-input': `${String(fields['signature-input'])}, x=()` }) }),
    ],
    [
      'has a digest of another one',
      () => lying({ fields: (fields) => ({ ...fields, 'content-digest': `sha-256=:${randomBytes(32).toString('base64')}:` }) }),
    ],
    ['is packed', () => lying({ body: gzipSync(Buffer.alloc(64 * MIB)), fields: packed })],
    [
      'is sent elsewhere',
      () => lying({ status: 307, fields: (fields) => ({ ...fields, location: `${other.origin}/federation/v1/notice` }) }),
    ],
    ['is too long', () => lying({ body: Buffer.alloc(2 * MIB) })],
    [
      'has no end',
      () =>
        ({ response }) => {
          const more = (): void => void (response.destroyed || response.write(Buffer.alloc(65_536), more));
          more();
        },
    ],
    ['is no envelope', () => lying({ body: Buffer.from([255, 255, 255]) })],
    ['has an epoch of 65 signs', () => lying({ envelope: { epoch: 'e'.repeat(65) } })],
    [
      'explains itself by 5,000 levels',
      () => lying({ body: Buffer.concat([uint(3, 9), bytes(6, '['.repeat(5_000) + ']'.repeat(5_000))]) }),
    ],
    ['ends before its length', () => saying(`${HEAD}content-length: 1000\r\n\r\n`, 'short')],
    ['has two lengths', () => saying(`${HEAD}content-length: 1\r\ncontent-length: 2\r\n\r\n`, 'ab')],
    ['has chunks that are none', () => saying(`${HEAD}transfer-encoding: chunked\r\n\r\nzz\r\n`)],
    ['comes after ten thousand that are none', () => saying('HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(10_000))],
    ['changes the protocol', () => saying('HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n')],
    ['has a head of a mebibyte', () => saying(`${HEAD}x: `, Buffer.alloc(MIB, 'x'))],
    ['is another protocol', () => saying('SSH-2.0-OpenSSH\r\n')],
    ['is nothing', () => saying()],
  ])('%s is none', async (_what, lie) => {
    const before = await epochOf();
    liar.answering = lie();
    expect(await isOwed()).toBe(true);
    expect(await epochOf()).toBe(before);
    expect(other.calls.filter(({ leg }) => leg === 'notice')).toEqual(noticed);
    // A fault is counted, whatever it was.
    const [peer] = await stage.rows<{ failures: number }>(`select failures from peers where server_id = '${liar.id}'`);
    expect(peer?.failures).toBeGreaterThan(0);
    liar.answering = truly;
    expect(await isOwed()).toBe(false);
  });

  test('refuses is believed, and what it is owed stays owed', async () => {
    liar.answering = lying({ status: 404, envelope: { code: 6 } });
    expect(await isOwed()).toBe(true);
    const [peer] = await stage.rows<{ failures: number }>(`select failures from peers where server_id = '${liar.id}'`);
    expect(peer?.failures).toBe(0);
  });
});

describe('a peer that', () => {
  const legs = (name: string): number => liar.calls.filter(({ leg }) => leg === name).length;

  test('has another ledger with each answer is asked about it a few times, not without an end', async () => {
    // What it said before has been counted against it; by now that is made up for, and what waited for it has been done.
    clock.move(60_000);
    await stage.server.settle();
    liar.calls.length = 0;
    liar.answering = ({ request, response }) => liar.answer(request, response, { envelope: { epoch: uuid() } });
    for (let turn = 0; turn < 6; turn += 1) {
      await isOwed();
      for (let round = 0; round < 5; round += 1) await stage.server.settle();
    }
    expect(legs('crossings')).toBeGreaterThan(0);
    expect(legs('crossings')).toBeLessThanOrEqual(12);
  });

  test('says a hundred times that it is back is visited a few times', async () => {
    for (let turn = 0; turn < 100; turn += 1) expect((await liar.call(stage.origin, 'notice', BACK))?.status).toBeLessThan(500);
    await stage.server.settle();
    expect(liar.calls.length).toBeLessThanOrEqual(20);
  });
});

describe('what a peer is asked for', () => {
  let reader: Member;
  beforeAll(async () => {
    reader = await makeMember(stage.server);
  });
  afterAll(() => reader.close());

  /** Asks the liar for a reed of its own. @returns the name of the crossing */
  async function crossing(): Promise<string> {
    liar.answering = ({ leg, request, response }) =>
      liar.answer(request, response, leg === 'request' ? { envelope: { body: uint(1, 3) } } : {});
    const author = await liar.inhabitant();
    void reader.request(`${author.user}/${uuid()}` as ReedId).catch(() => undefined);
    await expect.poll(() => liar.calls.find(({ leg }) => leg === 'request')).toBeDefined();
    await stage.server.settle();
    return String(liar.calls.find(({ leg }) => leg === 'request')?.body.subarray(2, 38));
  }
  const unchanged = async (from: RawPeer, leg: string, body: Uint8Array): Promise<number | undefined> => {
    const before = await stage.dump();
    const answer = await from.call(stage.origin, leg, body);
    expect(await stage.dump()).toEqual(before);
    return answer?.status;
  };

  test('is brought, refused and ended by nobody else', async () => {
    const id = await crossing();
    const copy = Buffer.concat([bytes(1, id), bytes(2, randomBytes(500))]);
    expect(await unchanged(other, 'deliver', copy)).toBe(404);
    expect(await unchanged(other, 'not-held', bytes(1, id))).toBe(200);
    for (const from of [liar, other]) for (const leg of ['ack', 'cancel']) expect(await unchanged(from, leg, bytes(1, id))).toBe(404);
    expect(await unchanged(liar, 'deliver', Buffer.concat([bytes(1, id), bytes(2, randomBytes(MIB + 1))]))).toBe(413);
    expect(
      await unchanged(liar, 'deliver', Buffer.concat([bytes(1, id), bytes(2, 'x'), bytes(3, '{"statement":{}}')]).subarray(0, 45)),
    ).toBe(400);
    expect((await liar.call(stage.origin, 'not-held', bytes(1, id)))?.status).toBe(200);
  });
});

test('a peer that has enough for ever is left alone for a quarter of an hour, and is no failure', async () => {
  liar.answering = lying({ status: 429, envelope: { code: RATE_LIMITED, retryAfterMs: 4_294_967_295 } });
  expect(await isOwed()).toBe(true);
  liar.answering = truly;
  liar.calls.length = 0;
  expect(await isOwed()).toBe(true);
  expect(liar.calls).toEqual([]);
  const [peer] = await stage.rows<{ failures: number }>(`select failures from peers where server_id = '${liar.id}'`);
  expect(peer?.failures).toBe(0);
  clock.move(15 * 60_000);
  expect(await isOwed()).toBe(false);
});

test('one that has enough is called at once when an operator says so, beside the server', async () => {
  liar.answering = lying({ status: 429, envelope: { code: RATE_LIMITED, retryAfterMs: 600_000 } });
  expect(await isOwed()).toBe(true);
  liar.answering = truly;
  await stage.rows(`update fold_peers set away_until = now() + interval '10 minutes' where server_id = '${liar.id}'`);
  const printed: string[] = [];
  const terminal = { isTerminal: true, print: (_: object, shown: string) => void printed.push(shown), note: () => undefined };
  const config = configWith({ databaseUrl: stage.server.database.url });
  const of = { peer: liar.id };
  await runStreamsRetry({ terminal: { ...terminal, isGone: () => false, fault: () => undefined }, config, log: silent, of });
  expect(printed).toEqual([expect.stringContaining('1 peer that did not answer or had enough')]);
  expect(await isOwed()).toBe(false);
  const away = `select from fold_peers where server_id = '${liar.id}' and away_until > now() + interval '1 minute'`;
  expect(await stage.rows(away)).toEqual([]);
});
