// A server makes its keys anew while it has a peer: announced keys count later, the peer asks for what it did not hear of, and a key that was
// compromised stops the peering until the admins of both sides have agreed again.
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { cryptoRandom } from '../../src/base/ids.ts';
import { rotateOwnKey } from '../../src/federation/own-keys.ts';
import { encodeNotice } from '../../src/wire/peering.ts';
import { advance, keyOf, makePeers, type PeerServer, settlePeers, startPeerServer, stateAt } from '../support/peer-world.ts';
import { PASSPHRASE } from '../support/people.ts';

const DAY = 86_400_000;
const HOUR = 3_600_000;
const code = (value: string) => expect.objectContaining({ code: value });

let a: PeerServer;
let b: PeerServer;
beforeEach(async () => {
  [a, b] = [await startPeerServer(), await startPeerServer()];
});
afterEach(async () => {
  await Promise.all([a.close(), b.close()]);
});

const states = async (): Promise<(string | null)[]> => [await stateAt(a, b.id), await stateAt(b, a.id)];
const operator = (server: PeerServer, moving: 'approve' | 'suspend' | 'resume' | 'revoke', target: string) =>
  server.federation.peering.move('operator', moving, target);

describe('keys made anew', () => {
  const rotate = (server: PeerServer, kind: 'identity' | 'transport', compromised = false, restored = false) => {
    const { world } = server;
    const deps = { ...world, random: cryptoRandom, acts: world.identity.adminActs, passphrase: PASSPHRASE, server: server.id };
    return rotateOwnKey(deps, kind, compromised, restored);
  };
  const reload = async (server: PeerServer): Promise<void> => {
    await server.world.identity.server.reload();
    await server.world.identity.server.document();
  };
  const ping = (from: PeerServer, to: PeerServer) => from.federation.calls.call(to.id, 'notice', encodeNotice({ kind: 'back' }));

  test('for transport are announced, then used; peers that did not hear ask, and not too often', async () => {
    await makePeers(a, b);
    const before = a.world.identity.server.transportSigner().keyId;
    const { key } = await rotate(a, 'transport');
    await reload(a);
    expect(a.world.identity.server.transportSigner().keyId).toBe(before);
    advance(a.world.limits.transportKeyAnnouncedMs, a, b);
    expect(a.world.identity.server.transportSigner().keyId).toBe(`${a.id}#${key}`);
    // b has not seen the document: it asks for it when it meets the key.
    expect(await ping(a, b)).toMatchObject({ kind: 'answer', status: 200 });
    const stolen = await rotate(a, 'transport', true);
    await reload(a);
    expect(a.world.identity.server.transportSigner().keyId).toBe(`${a.id}#${stolen.key}`);
    await b.world.db.query({ text: 'update peers set document_asked_at = $1', values: [new Date(b.clock.now())] });
    expect(await ping(a, b)).toMatchObject({ kind: 'transport' });
    advance(b.world.limits.peerDocumentEveryMs, a, b);
    expect(await ping(a, b)).toMatchObject({ kind: 'held' });
    await settlePeers(a);
    expect(await a.federation.directory.list()).toMatchObject([{ state: 'live' }]);
    expect((await a.world.identity.server.document()).statement.transportKeys.map(({ kid }) => kid)).toEqual([stolen.key]);
    const next = await rotate(a, 'transport');
    const kept = await a.world.db.query<{ id: string }>({
      text: `select id from server_keys where kind = 'transport' and wrapped_private_key is not null order by created_at`,
    });
    expect(kept).toEqual([{ id: `${a.id}#${stolen.key}` }, { id: `${a.id}#${next.key}` }]);
  });

  test('and lost with a backup that came back leave its server a stranger, until its operator says so', async () => {
    await makePeers(a, b);
    const text = (sql: string) => a.world.db.query({ text: sql });
    const own = `id = '${a.id}'`;
    await text(`create table kept_keys as select * from server_keys where server_id = '${a.id}'`);
    await text(`create table kept_server as select serial, document from servers where ${own}`);
    const heard = async (): Promise<unknown> => {
      advance(b.world.limits.peerDocumentEveryMs, a, b);
      await settlePeers(a, b);
      advance(a.world.limits.peerBackoffMaxMs, a, b);
      return ping(a, b);
    };
    for (let turn = 0; turn < 3; turn += 1) {
      await rotate(a, 'transport', true);
      await reload(a);
      await heard();
    }
    expect(await heard()).toMatchObject({ kind: 'answer', status: 200 });
    await text(`delete from server_keys where server_id = '${a.id}'`);
    await text('insert into server_keys select * from kept_keys');
    await text(`update servers set serial = k.serial, document = k.document from kept_server k where ${own}`);
    await reload(a);
    expect((await a.world.identity.server.document()).statement.serial).toBeLessThan(4);
    expect(await heard()).toMatchObject({ kind: 'transport' });
    await rotate(a, 'transport', true, true);
    await reload(a);
    expect(await heard()).toMatchObject({ kind: 'answer', status: 200 });
    expect(await states()).toEqual(['live', 'live']);
    expect(await b.federation.directory.list()).toMatchObject([{ state: 'live' }]);
  });

  test('for identity are shown in an invitation beside the one that its admin reads out until then', async () => {
    const shown = async () => b.federation.peering.read((await a.federation.peering.invite('operator', await keyOf(b))).connection);
    const before = a.world.identity.server.keyId;
    expect(await shown()).toMatchObject({ key: before, keyNow: null });
    const { key } = await rotate(a, 'identity');
    await reload(a);
    expect(await shown()).toMatchObject({ key, keyNow: before });
  });

  test('for identity count three days after they were announced, and the peering goes on all the while', async () => {
    await makePeers(a, b);
    const { key } = await rotate(a, 'identity');
    await expect(rotate(a, 'identity')).rejects.toThrow(code('CONFLICT'));
    await reload(a);
    advance(61_000, a, b);
    await settlePeers(a, b);
    await settlePeers(b);
    const counts = async () => (await b.federation.directory.serverKey(key as never)) !== null;
    expect(await counts()).toBe(false);
    expect(a.world.identity.server.keyId).not.toBe(key);
    advance(3 * DAY, a, b);
    expect(await counts()).toBe(true);
    expect(a.world.identity.server.keyId).not.toBe(key);
    advance(HOUR, a, b);
    expect(a.world.identity.server.keyId).toBe(key);
    const signed = await rotate(a, 'transport');
    await reload(a);
    advance(a.world.limits.transportKeyAnnouncedMs, a, b);
    await settlePeers(a, b);
    expect(await ping(a, b)).toMatchObject({ kind: 'answer', status: 200 });
    expect(a.world.identity.server.transportSigner().keyId).toBe(`${a.id}#${signed.key}`);
    expect(await states()).toEqual(['live', 'live']);
  });

  test('after one was compromised stop the peering, and the admins of both sides are asked again, by the name of the new key', async () => {
    await makePeers(a, b);
    const { key } = await rotate(a, 'identity', true);
    await reload(a);
    expect(await stateAt(a, b.id)).toBe('pending');
    await settlePeers(a, b);
    expect(await states()).toEqual(['pending', 'pending']);
    expect(b.changes).toContainEqual([a.id, 'ended']);
    await expect(operator(b, 'approve', a.id)).rejects.toThrow('name its new one');
    await expect(operator(b, 'approve', `${'0'.repeat(40)}@${a.id}`)).rejects.toThrow(code('CONFLICT'));
    advance(2_000, a, b);
    await operator(b, 'approve', key);
    await operator(a, 'approve', b.id);
    await settlePeers(a, b);
    expect(await states()).toEqual(['live', 'live']);
    expect(await b.federation.directory.serverKey(key as never)).not.toBeNull();
    // What the thief still signs is not believed, whatever its serial.
    const stored = (await b.federation.directory.details(a.id))[0];
    expect(stored).toMatchObject({ key, compromisedAt: null, candidateKey: null });
  });

  test('after one was compromised are asked about also if the word of it was lost', async () => {
    await makePeers(a, b);
    await rotate(a, 'identity', true);
    await reload(a);
    await a.world.db.query({ text: 'delete from owed_peer_notices' });
    await b.federation.documents.refresh(a.id, 0);
    expect(await stateAt(b, a.id)).toBe('pending');
  });
});
