// A peer that lies about what it is: its address, its keys, that it is a peer at all. Whom nobody approved, who was paused or ended, or lost a key is
// refused on every leg; documents that do not hold change nothing, and one that does is followed to another address.
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { removeFolder } from '../support/child.ts';
import { makeDataFolder } from '../support/data-folder.ts';
import { APPROVED, BACK, MaliciousStage } from '../support/malicious-stage.ts';
import { makeMember } from '../support/members.ts';
import type { RawPeer } from '../support/raw-peer.ts';
import { bytes, uint } from '../support/raw-wire.ts';

const EMPTY = Buffer.alloc(0);
const json = (value: unknown): Buffer => Buffer.from(JSON.stringify(value));

let folder: string;
let stage: MaliciousStage;
let liar: RawPeer;
/** A peer that does nothing. */
let other: RawPeer;
beforeAll(async () => {
  folder = await makeDataFolder();
  stage = await MaliciousStage.open(folder, { limits: { sweepEveryMs: 3_600_000 } });
  [liar, other] = [await stage.peer(), await stage.peer()];
});
afterAll(async () => {
  await stage.close();
  await removeFolder(folder);
});

describe('its document', () => {
  const shown = async (document: object, from = liar): Promise<void> => {
    stage.moved();
    expect((await from.call(stage.origin, 'notice', Buffer.concat([BACK, bytes(3, json(document))])))?.status).toBe(200);
    await stage.server.settle();
  };
  const known = async (peer: RawPeer) =>
    (
      await stage.rows<{ serial: number; base_url: string }>(
        `select s.serial::float8 as serial, p.base_url from servers s join peers p on p.server_id = s.id where s.id = '${peer.id}'`,
      )
    )[0];

  test('with another address is followed there, and an older one changes nothing', async () => {
    const old = await liar.document();
    const moved = liar.origin.replace('127.0.0.1', '127.0.0.2');
    await shown(await liar.document({ baseUrl: moved }));
    expect(await known(liar)).toEqual({ serial: 2, base_url: moved });
    await shown(old);
    expect(await known(liar)).toEqual({ serial: 2, base_url: moved });
    await shown(await liar.document({}));
    expect(await known(liar)).toEqual({ serial: 3, base_url: liar.origin });
  });

  test('with the address of another peer, or of the server itself, does not have it called there, whatever becomes of the peering', async () => {
    const peer = await stage.peer();
    for (const baseUrl of [other.origin, stage.origin]) {
      await shown(await peer.document({ baseUrl }), peer);
      expect((await known(peer))?.base_url).toBe(peer.origin);
    }
    const told = other.calls.length;
    await stage.move('suspend', peer);
    await stage.server.settle();
    await stage.move('revoke', peer);
    await stage.server.settle();
    expect(other.calls.slice(told).map(({ leg }) => leg)).not.toContain('notice');
  });

  test('with the web address of another peer, or of the server itself, is not shown with it', async () => {
    const [peer, member] = [await stage.peer(), await makeMember(stage.server)];
    const shownAs = async (of: RawPeer) => (await member.lists.peers()).find(({ server }) => server === of.id)?.webUrl;
    for (const webUrl of [other.origin, stage.origin]) {
      await shown(await peer.document({ webUrl }), peer);
      expect([await shownAs(peer), await shownAs(other)]).toEqual([peer.origin, other.origin]);
    }
    await shown(await peer.document({ webUrl: 'https://reeds.example' }), peer);
    expect(await shownAs(peer)).toBe('https://reeds.example');
    await member.close();
  });

  test('that is another server’s, a peer or not, is refused, and nothing changes', async () => {
    const known = () =>
      stage.rows<object>(
        `select p.*, s.name, s.serial, s.document, (select array_agg(k.id order by k.id) from server_keys k where k.server_id = s.id) as keys
          from servers s left join peers p on p.server_id = s.id order by s.id`,
      );
    stage.moved();
    const stranger = await stage.stranger();
    const ofOthers = [await other.document(), await other.document({ baseUrl: liar.origin }), await stranger.document({})];
    const documents = [...ofOthers, await liar.document({ id: other.id }), {}, null];
    await Promise.all([liar, other].map((peer) => peer.document({})));
    await stage.server.settle();
    const before = await known();
    const asked = liar.calls.length + other.calls.length;
    for (const document of documents)
      expect((await liar.call(stage.origin, 'notice', Buffer.concat([BACK, bytes(3, json(document))])))?.status).toBe(403);
    await stage.server.settle();
    expect(await known()).toEqual(before);
    expect(liar.calls.length + other.calls.length).toBe(asked);
  });

  test('with the address of another peer begins no peering', async () => {
    const stranger = await stage.stranger();
    await stranger.document({ baseUrl: other.origin });
    const body = await stage.invite(stranger);
    expect((await stranger.call(stage.origin, 'connect', body))?.status).toBe(409);
  });

  test.each<[string, () => Promise<object>]>([
    ['that it did not sign', async () => ({ ...(await liar.document()), signatures: (await other.document()).signatures })],
    ['with another chain', async () => liar.document({ keys: (await other.document()).statement['keys'] as never })],
    ['whose name forges lines of a terminal', () => liar.document({ name: 'Heron\n  fingerprint  0000' })],
    ['whose name turns what stands behind it', () => liar.document({ name: 'Heron \u202e' })],
    ['that has ended', () => liar.document({ expiresAt: new Date(Date.now() - 1_000).toISOString() })],
    ['of next year', () => liar.document({ issuedAt: new Date(Date.now() + 3e10).toISOString() })],
  ])('%s is not taken', async (_what, document) => {
    const [mine, others] = [await known(liar), await known(other)];
    const given = await document();
    // What it shows to those who ask is true again.
    await shown(given, liar);
    expect([(await known(liar))?.base_url, await known(other)]).toEqual([mine?.base_url, others]);
    expect(
      (await stage.rows(`select from servers where id in ('${liar.id}', '${other.id}') and document->'statement'->>'id' <> id`)).length,
    ).toBe(0);
    await liar.document({});
  });
});

describe('a peer that is not live', () => {
  beforeEach(() => {
    stage.moved();
  });

  const LEGS = [
    'request',
    'fallback',
    'deliver',
    'not-held',
    'cancel',
    'ack',
    'crossings',
    'holder-notify',
    'stream',
    'positions',
    'profile',
    'key',
    'certificate',
    'follow',
    'block',
  ];

  test.each<[string, (peer: RawPeer) => Promise<void>, number]>([
    ['is paused', (peer) => stage.move('suspend', peer), 403],
    ['was ended', (peer) => stage.move('revoke', peer), 403],
    [
      'lost a key',
      async (peer) => {
        const statement = {
          app: 'reedbed',
          type: 'server-key-revocation',
          v: 1,
          server: peer.id,
          key: peer.keyId,
          reason: '',
          compromised: true,
        };
        const told = await peer.call(stage.origin, 'notice', Buffer.concat([uint(1, 5), bytes(2, json(await peer.signed(statement)))]));
        expect(told?.status).toBe(200);
      },
      403,
    ],
  ])('since it %s is refused on every leg', async (_what, end, status) => {
    const peer = await stage.peer();
    await end(peer);
    await stage.server.settle();
    for (const leg of LEGS) expect([leg, await stage.statusOf(peer, leg, EMPTY)]).toEqual([leg, status]);
  });

  test('since nobody has approved it here is refused, and does not approve itself', async () => {
    const peer = await stage.stranger();
    expect((await peer.call(stage.origin, 'connect', await stage.invite(peer)))?.status).toBe(200);
    expect((await peer.call(stage.origin, 'notice', APPROVED))?.status).toBe(200);
    expect(await stage.statusOf(peer, 'crossings', EMPTY)).toBe(403);
  });

  test('with the invitation of another one gets nothing', async () => {
    const [invited, thief] = [await stage.stranger(), await stage.stranger()];
    const body = await stage.invite(invited);
    const secret = body.subarray(0, 34);
    const stolen = Buffer.concat([secret, bytes(2, json(await thief.document()))]);
    expect(await stage.statusOf(thief, 'connect', stolen)).toBe(403);
    expect(await stage.statusOf(thief, 'connect', body)).toBe(400);
    const guessed = Buffer.concat([bytes(1, randomBytes(32)), bytes(2, json(await thief.document()))]);
    expect(await stage.statusOf(thief, 'connect', guessed)).toBe(404);
    expect((await invited.call(stage.origin, 'connect', body))?.status).toBe(200);
    stage.moved();
    expect(await stage.statusOf(thief, 'connect', stolen)).toBe(409);
  });
});
