// Pinned keys against a server that shows less than it has shown before. Real keys, certificates and document; only HTTP is scripted.
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { base64url } from '../../src/base/ids.ts';
import { DEFAULT_LIMITS } from '../../src/base/limits.ts';
import { Api } from '../../src/client/api.ts';
import { KeyDirectory } from '../../src/client/keys.ts';
import { MemoryStore } from '../../src/client/memory-store.ts';
import { PinnedServer } from '../../src/client/server.ts';
import { ServerTime } from '../../src/client/server-time.ts';
import { countersign, signStatement } from '../../src/crypto/statement.ts';
import { printTime } from '../../src/wire/kinds.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { turns } from '../support/sdk-parts.ts';
import { examples, makeKeys, makeWorld, type World } from '../support/statements.ts';

const NOW = 1_800_000_000_000;

let world: World;
let document: unknown;
let certificate: unknown;
/** Two revocations of the same key, each true by itself. */
let revocations: unknown[];

beforeAll(async () => {
  world = await makeWorld(await makeKeys(NOW), NOW);
  const { keys, server, serverKey: serverKeyId } = world;
  const all = examples(world);
  const byServer = [{ key: keys.server, keyId: serverKeyId }];
  const byMember = [{ key: keys.member, keyId: world.key }];
  const transport = (await crypto.subtle.generateKey('Ed25519', true, ['sign', 'verify'])) as CryptoKeyPair;
  const raw = base64url(new Uint8Array(await crypto.subtle.exportKey('raw', transport.publicKey)));
  const own = await signStatement(all['server-key'], byServer, NOW);
  const signature = own.signatures[0]?.signature ?? '';
  document = await signStatement(examples(world, { signature, transport: raw })['server-document'], byServer, NOW);
  const as = (seq: number) => ({ serverKey: keys.server, serverKeyId, server, seq, signedAt: printTime(NOW) });
  certificate = await countersign(await signStatement(all.key, byMember, NOW), as(1));
  const revocation = await signStatement(all['key-revocation'], byMember, NOW);
  revocations = [await countersign(revocation, as(5)), await countersign(revocation, as(6))];
});

const setUp = () => {
  const store = new MemoryStore();
  const time = new ServerTime(new ManualClock(NOW));
  let chain: unknown[] = [{ certificate }];
  let beforeAnswer: () => Promise<unknown> = () => Promise.resolve();
  const api = new Api(
    'http://reeds.example',
    async (input) => {
      if (!String(input).includes('/keys/')) return Response.json({ id: world.server, document, time: printTime(NOW), signup: 'open' });
      const answer = { chain };
      await beforeAnswer();
      return Response.json(answer);
    },
    time,
  );
  const session = { token: async () => 'token', refused: () => undefined };
  const open = () =>
    new KeyDirectory({ api, session, store, time, limits: DEFAULT_LIMITS, server: new PinnedServer(world.server, { api, store, time }) });
  return {
    ...{ store, open, keys: open() },
    shows: (next: unknown[]) => {
      chain = next;
    },
    beforeAnswer: (next: typeof beforeAnswer) => {
      beforeAnswer = next;
    },
  };
};

let on: ReturnType<typeof setUp>;
beforeEach(() => {
  on = setUp();
});

const toVerify = (keys: KeyDirectory) => keys.lookup.userKey(world.key);

describe('a revocation that was seen', () => {
  test.each(['here', 'after a restart'])('is not undone by a server that no longer shows it, %s', async (when) => {
    expect(await on.keys.forRelay(world.key)).not.toBe(null);
    expect(await on.keys.revoked(world.key, revocations[0])).toBe(true);
    const keys = when === 'here' ? on.keys : on.open();
    // To verify with, it is fetched once more, because that is recorded.
    expect(await toVerify(keys)).toBe(null);
    expect(await keys.forRelay(world.key)).toBe(null);
    expect(await on.store.get('keys', world.user)).toMatchObject({ chain: [{ revocation: revocations[0] }] });
    on.shows([{ certificate, revocation: revocations[0] }]);
    expect(await toVerify(keys)).toMatchObject({ id: world.key, revokedSeq: 5 });
  });

  test('is not moved by another one, shown or told', async () => {
    await on.keys.forRelay(world.key);
    await on.keys.revoked(world.key, revocations[0]);
    expect(await on.keys.revoked(world.key, revocations[1])).toBe(false);
    expect(await on.keys.revoked(world.key, revocations[0])).toBe(true);
    on.shows([{ certificate, revocation: revocations[1] }]);
    expect(await toVerify(on.keys)).toBe(null);
    expect(await on.store.get('keys', world.user)).toMatchObject({ chain: [{ revocation: revocations[0] }] });
  });

  test('while the key is fetched is not overwritten by the older answer, which accuses nobody', async () => {
    await on.keys.forRelay(world.key);
    on.beforeAnswer(() => on.keys.revoked(world.key, revocations[0]));
    await expect(toVerify(on.keys)).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    await turns();
    expect(await on.keys.forRelay(world.key)).toBe(null);
  });

  test('later is taken from a server that shows it', async () => {
    expect(await on.keys.forRelay(world.key)).not.toBe(null);
    on.shows([{ certificate, revocation: revocations[0] }]);
    expect(await toVerify(on.keys)).toMatchObject({ revokedSeq: 5 });
    expect(await on.keys.forRelay(world.key)).toBe(null);
  });
});
