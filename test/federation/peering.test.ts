// Two servers become peers and stop being ones: the whole ceremony with restarts and repeated steps, every refusal,
// what each is told and when it did not hear.
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { cryptoRandom, sha256 } from '../../src/base/ids.ts';
import { decodeConnected, encodeConnect, encodeNotice } from '../../src/wire/peering.ts';
import { startOther } from '../support/other-server.ts';
import { advance, keyOf, makeAdmin, makePeers, type PeerServer, settlePeers, startPeerServer, stateAt } from '../support/peer-world.ts';

const DAY = 86_400_000;
const code = (value: string) => expect.objectContaining({ code: value });

let a: PeerServer;
let b: PeerServer;
const others: PeerServer[] = [];
beforeAll(async () => {
  [a, b] = [await startPeerServer(), await startPeerServer()];
});
afterEach(async () => {
  await Promise.all(others.splice(0).map((server) => server.close()));
  await Promise.all([a, b].map((server) => server.forget()));
});
afterAll(async () => {
  await Promise.all([a, b].map((server) => server.close()));
});

const third = async (options = {}): Promise<PeerServer> => {
  const server = await startPeerServer(options);
  others.push(server);
  return server;
};

const states = async (): Promise<(string | null)[]> => [await stateAt(a, b.id), await stateAt(b, a.id)];
const invite = async (): Promise<string> => (await a.federation.peering.invite('operator', await keyOf(b))).connection;
const operator = (server: PeerServer, moving: 'approve' | 'suspend' | 'resume' | 'revoke', target: string) =>
  server.federation.peering.move('operator', moving, target);

/** A call of `from`'s to `connect` at `a`, as its federation would send it. */
async function connect(from: PeerServer, secret: Uint8Array) {
  const { server } = a.world.identity;
  const { statement } = await server.document();
  const keys = new Map(statement.transportKeys.map(({ kid, publicKey }) => [kid, publicKey]));
  const document = await from.world.identity.server.document();
  return from.federation.client.call({ id: a.id, baseUrl: a.url, keys }, 'connect', encodeConnect(secret, document));
}

/** An invitation whose secret the test knows, since the real one is sealed. */
async function knownSecret(): Promise<Uint8Array> {
  await invite();
  const secret = cryptoRandom(32);
  await a.world.db.query({ text: 'update peer_invitations set secret_hash = $1', values: [Buffer.from(await sha256(secret))] });
  return secret;
}

describe('two servers', () => {
  test('become peers by two approvals, whichever of them restarts between the steps and however often a step is done', async () => {
    const again = async (): Promise<void> => {
      for (const server of [a, b]) {
        await server.crash();
        await server.start();
      }
    };
    const connection = await invite();
    expect(await states()).toEqual(['invited', null]);
    await again();
    await b.federation.peering.accept('operator', connection);
    await b.federation.peering.accept('operator', connection);
    expect(await states()).toEqual(['pending', 'pending']);
    await again();
    await operator(b, 'approve', a.id);
    await operator(b, 'approve', a.id);
    expect(await states()).toEqual(['pending', 'approved-by-us']);
    await again();
    await settlePeers(a, b);
    await operator(a, 'approve', b.id);
    expect(await states()).toEqual(['live', 'approved-by-us']);
    await again();
    await settlePeers(a, b);
    expect(await states()).toEqual(['live', 'live']);
    const listed = { server: b.id, name: 'Test', webUrl: b.url, state: 'live' };
    expect(await a.federation.directory.list()).toEqual([listed]);
    const log = await b.world.identity.adminActs.list({ after: 0, limit: 10 });
    expect(log.map(({ number, by, act }) => [number, by, act])).toEqual([
      [1, 'operator', 'peer-accept'],
      [2, 'operator', 'peer-approve'],
    ]);
  });

  test('owe each other an approval until it was heard', async () => {
    await b.federation.peering.accept('operator', await invite());
    await b.crash();
    await operator(a, 'approve', b.id);
    await settlePeers(a);
    expect((await a.federation.directory.details(b.id))[0]).toMatchObject({ owed: ['approved'], failures: 1, breaker: 'open' });
    const headers = { authorization: `Bearer ${(await makeAdmin(a)).token}` };
    const { peers } = (await a.http.inject({ url: '/api/v1/admin/peers', headers })).json();
    expect(peers[0]).toMatchObject({ lastFault: 'unreachable', lastFaultAt: expect.any(String), endAsked: null });
    await b.start();
    await operator(b, 'approve', a.id);
    advance(2_000, a, b);
    await settlePeers(a, b);
    expect(await states()).toEqual(['live', 'live']);
    expect((await a.federation.directory.details(b.id))[0]).toMatchObject({ owed: [], failures: 0, breaker: 'closed' });
  });

  test('pause a peering, end it, and begin anew by another invitation', async () => {
    await makePeers(a, b);
    await operator(a, 'suspend', b.id);
    await settlePeers(a, b);
    expect(await states()).toEqual(['suspended', 'live']);
    expect(await b.federation.directory.list()).toMatchObject([{ state: 'away' }]);
    await operator(a, 'resume', b.id);
    await settlePeers(a, b);
    expect(await states()).toEqual(['live', 'live']);
    expect(await b.federation.directory.list()).toMatchObject([{ state: 'live' }]);
    await operator(b, 'revoke', a.id);
    await settlePeers(a, b);
    expect(await states()).toEqual(['revoked', 'revoked']);
    expect(a.changes.at(-1)).toEqual([b.id, 'ended']);
    await makePeers(a, b);
    expect(await states()).toEqual(['live', 'live']);
  });

  test('that are not live refuse each other everything but the word of how they are', async () => {
    await makePeers(a, b);
    const ask = (from: PeerServer, to: PeerServer) => from.federation.calls.call(to.id, 'request', new Uint8Array(), { beforeLive: true });
    expect(await ask(b, a)).toMatchObject({ kind: 'answer', status: 501 });
    await operator(a, 'suspend', b.id);
    expect(await ask(b, a)).toMatchObject({ kind: 'answer', status: 403, refusal: { code: 'FORBIDDEN' } });
    expect(await a.federation.calls.call(b.id, 'request', new Uint8Array())).toMatchObject({ kind: 'held' });
    const notice = encodeNotice({ kind: 'back' });
    expect(await b.federation.calls.call(a.id, 'notice', notice)).toMatchObject({ kind: 'answer', status: 200 });
    expect(await b.federation.calls.call(a.id, 'notice', new Uint8Array([1, 2, 3]))).toMatchObject({ status: 400 });
  });

  test('say that they go, are found out when they do not, and are there again with the first answer', async () => {
    await makePeers(a, b);
    await b.federation.sender.stop();
    expect(await a.federation.directory.list()).toMatchObject([{ state: 'away' }]);
    await b.crash();
    await b.start();
    await settlePeers(b);
    expect(await a.federation.directory.list()).toMatchObject([{ state: 'live' }]);
    await b.crash();
    expect(await a.federation.calls.call(b.id, 'request', new Uint8Array())).toMatchObject({ kind: 'transport' });
    expect(await a.federation.calls.call(b.id, 'request', new Uint8Array())).toMatchObject({ kind: 'held' });
    expect(await a.federation.directory.list()).toMatchObject([{ state: 'away' }]);
    await b.start('second');
    // Its word may be lost: then our probe finds it.
    advance(2_000, a, b);
    await settlePeers(a);
    expect(await a.federation.directory.list()).toMatchObject([{ state: 'live' }]);
    expect(a.changes).toContainEqual([b.id, 'epoch']);
  });
});

test('a peer that says nothing keeps no other one waiting', async () => {
  const c = await third();
  await makePeers(a, b);
  await makePeers(a, c);
  const silent = await startOther(() => undefined);
  try {
    const { db } = a.world;
    const owe = (server: string) =>
      db.query({ text: "insert into owed_peer_notices (server_id, kind, due_at) values ($1, 'back', '-infinity')", values: [server] });
    const owed = async (server: string): Promise<number> =>
      (await db.query({ text: 'select from owed_peer_notices where server_id = $1', values: [server] })).length;
    await db.query({ text: 'update peers set base_url = $2 where server_id = $1', values: [b.id, `http://127.0.0.1:${silent.port}`] });
    await owe(b.id);
    const came = silent.next();
    const rounds = [a.federation.sender.round()];
    await came;
    for (let turn = 0; turn < 3; turn += 1) {
      await owe(c.id);
      rounds.push(a.federation.sender.round());
      await expect.poll(() => owed(c.id)).toBe(0);
    }
    expect(await owed(b.id)).toBe(1);
    advance(a.world.limits.peerCallMs, a, b, c);
    await Promise.all(rounds);
    expect(await owed(b.id)).toBe(1);
  } finally {
    await silent.close();
  }
});

test('many peers that say nothing are told after those who answer', async () => {
  await makePeers(a, b);
  const { db, limits } = a.world;
  const dead = Array.from({ length: limits.peersPerSweep + 1 }, (_, nth) => `dead${String(nth).padStart(12, '0')}`);
  await db.query({
    text: 'insert into servers (id, name, first_seen_at) select id, id, now() from unnest($1::text[]) d(id)',
    values: [dead],
  });
  await db.query({
    text: `insert into peers (server_id, state, base_url, begun_by, begun_at, failures, retry_at)
      select id, 'live', 'http://127.0.0.1:9', 'operator', now(), 1, '-infinity' from unnest($1::text[]) d(id)`,
    values: [dead],
  });
  await db.query({
    text: `insert into owed_peer_notices (server_id, kind, due_at) select id, 'back', '-infinity' from unnest($1::text[]) d(id)`,
    values: [dead],
  });
  await db.query({
    text: `insert into owed_peer_notices (server_id, kind, due_at) values ($1, 'back', $2)`,
    values: [b.id, new Date(a.world.clock.now())],
  });
  await a.federation.sender.round();
  expect(await db.query({ text: 'select from owed_peer_notices where server_id = $1', values: [b.id] })).toEqual([]);
});

describe('an invitation', () => {
  test('opens for the server that it was made for alone, and says nothing to whoever lacks its secret', async () => {
    const secret = await knownSecret();
    const c = await third();
    expect(await connect(b, cryptoRandom(32))).toMatchObject({ kind: 'transport', reason: 'unsigned' });
    expect(await connect(c, secret)).toMatchObject({ status: 403, refusal: { code: 'FORBIDDEN' } });
    expect(await states()).toEqual(['invited', null]);
    const [first, second] = await Promise.all([connect(b, secret), connect(b, secret)]);
    for (const answer of [first, second]) {
      expect(answer).toMatchObject({ kind: 'answer', status: 200 });
      const document = answer.kind === 'answer' ? decodeConnected(answer.body) : null;
      expect(document).toMatchObject({ ok: true, value: { statement: { id: a.id } } });
    }
    expect(await connect(c, secret)).toMatchObject({ status: 409, refusal: { code: 'CONFLICT' } });
    expect(await stateAt(a, b.id)).toBe('pending');
    await operator(a, 'revoke', b.id);
    expect(await connect(b, secret)).toMatchObject({ status: 409 });
    expect(await stateAt(a, c.id)).toBeNull();
  });

  test('of the two that race for it is taken by the one that it was made for', async () => {
    const secret = await knownSecret();
    const c = await third();
    const [mine, theirs] = await Promise.all([connect(b, secret), connect(c, secret)]);
    expect(mine).toMatchObject({ status: 200 });
    expect([403, 409]).toContain(theirs.kind === 'answer' ? theirs.status : 0);
  });

  test('ends after a week, on both sides', async () => {
    const secret = await knownSecret();
    advance(7 * DAY, a, b);
    expect(await connect(b, secret)).toMatchObject({ kind: 'transport', reason: 'unsigned' });
    const connection = await invite();
    advance(7 * DAY, a, b);
    await expect(b.federation.peering.accept('operator', connection)).rejects.toThrow(code('EXPIRED'));
    expect(await stateAt(b, a.id)).toBeNull();
  });

  test('is readable by nobody else, and not if anything of it is another', async () => {
    const connection = await invite();
    const c = await third();
    await expect(c.federation.peering.read(connection)).rejects.toThrow(code('INVALID'));
    for (const broken of ['', 'reedbed-peering:', connection.slice(0, -8), connection.replace(/.{4}$/, 'AAAA'), `x${connection}`])
      await expect(b.federation.peering.read(broken)).rejects.toThrow(code('INVALID'));
    const wrapped = connection.replace(/(.{64})/g, '$1\n');
    expect(await b.federation.peering.read(wrapped)).toMatchObject({ server: a.id, baseUrl: a.url, name: 'Test' });
  });

  test('of a server that may not be called is refused before anything is made', async () => {
    const c = await third({ allowPrivate: false });
    await expect(c.federation.peering.invite('operator', await keyOf(b))).rejects.toThrow('not https');
    await expect(a.federation.peering.invite('operator', await keyOf(a))).rejects.toThrow('this server itself');
    await expect(a.federation.peering.invite('operator', 'no key')).rejects.toThrow(code('INVALID'));
    expect(await c.federation.directory.details()).toEqual([]);
  });

  test('that is made again voids the one before', async () => {
    const first = await invite();
    const second = await invite();
    await expect(b.federation.peering.accept('operator', first)).rejects.toThrow(code('CONFLICT'));
    await b.federation.peering.accept('operator', second);
    expect(await states()).toEqual(['pending', 'pending']);
  });
});
