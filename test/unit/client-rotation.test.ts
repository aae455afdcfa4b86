// Keys that change, on the devices of both sides: the ring of who rotates, and what others have pinned of the chain.
import { beforeAll, describe, expect, test } from 'vitest';
import { base64url } from '../../src/base/ids.ts';
import { DEFAULT_LIMITS } from '../../src/base/limits.ts';
import { Api } from '../../src/client/api.ts';
import { KeyDirectory } from '../../src/client/keys.ts';
import { memoryKeySafe, openKeyRing } from '../../src/client/memory-key-ring.ts';
import { MemoryStore } from '../../src/client/memory-store.ts';
import type { PinnedServer } from '../../src/client/server.ts';
import { ServerTime } from '../../src/client/server-time.ts';
import { readPublicKey } from '../../src/crypto/openpgp.ts';
import { sealCopy } from '../../src/crypto/seal.ts';
import { type Fingerprint, userIdFromFingerprint, userKeyId } from '../../src/wire/address.ts';
import { heading } from '../../src/wire/statements.ts';
import { ChainMaker, type Entry, type Link } from '../support/chains.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { turns } from '../support/sdk-parts.ts';

const NOW = 1_800_000_000_000;
const DAY = 86_400_000;

describe('a key ring', () => {
  const server = 's'.repeat(16) as never;
  const made = async () => {
    const safe = memoryKeySafe();
    const ring = await openKeyRing(safe);
    const keys = await ring.make(NOW);
    const user = await userIdFromFingerprint(keys.fingerprint, server);
    return { safe, ring, keys, user, id: userKeyId(user, keys.fingerprint) };
  };
  const sealedTo = async (armor: string) => {
    const key = await readPublicKey(armor);
    if (!key.ok) throw new Error(key.reason);
    return sealCopy({ certificate: { a: 1 }, body: { text: 'x' } } as never, key.value);
  };

  test('makes one next key, which waits over a restart and signs nothing but its own start', async () => {
    const { ring, safe, user, keys, id } = await made();
    const next = await ring.makeNext(NOW);
    expect(await (await openKeyRing(safe)).makeNext(NOW)).toEqual(next);
    expect((await ring.keys())?.fingerprint).toBe(keys.fingerprint);
    const reason = { ...heading('key-revocation'), user, key: userKeyId(user, next.fingerprint), reason: '' };
    await expect(ring.sign(reason, NOW)).rejects.toThrow('names another key');
    const own = { ...heading('key'), user, key: id, armor: keys.armor, recovery: next.recovery as Fingerprint, predecessor: id };
    await expect(ring.signNext(own as never, NOW)).rejects.toThrow('names another key');
    const statement = { ...own, key: userKeyId(user, next.fingerprint), armor: next.armor };
    expect((await ring.signNext(statement, NOW)).signatures.map(({ key }) => key)).toEqual([statement.key, id]);
    await expect(ring.signNext({ ...statement, recoveryArmor: next.armor }, NOW)).rejects.toThrow('no backup is open');
  });

  test('makes another next key once the one that waits was let go, and other keys once it was emptied', async () => {
    const { ring, safe, keys } = await made();
    const next = await ring.makeNext(NOW);
    await ring.dropNext();
    expect((await (await openKeyRing(safe)).makeNext(NOW)).fingerprint).not.toBe(next.fingerprint);
    await ring.empty();
    expect([await ring.keys(), await safe.load()]).toEqual([null, null]);
    expect((await ring.make(NOW)).fingerprint).not.toBe(keys.fingerprint);
  });

  test('loses none of two changes that are made at once', async () => {
    const { ring, safe, keys } = await made();
    const [next, same] = await Promise.all([ring.makeNext(NOW), ring.makeNext(NOW)]);
    expect(same).toEqual(next);
    await ring.takeNext(NOW + DAY);
    const third = await ring.makeNext(NOW);
    const save = safe.save.bind(safe);
    // What is saved first takes longest.
    let waits = 3;
    safe.save = async (secrets) => {
      await turns(10 * waits--);
      await save(secrets);
    };
    await Promise.all([ring.takeNext(NOW + 2 * DAY), ring.forgetReplaced(NOW + DAY), ring.forgetRecovery()]);
    const again = await openKeyRing(safe);
    expect((await again.keys())?.fingerprint).toBe(third.fingerprint);
    expect((await again.keys())?.recovery).toBe(undefined);
    expect((await again.open(await sealedTo(next.armor))).ok).toBe(true);
    expect((await again.open(await sealedTo(keys.armor))).ok).toBe(false);
  });

  test('opens with the replaced key what was sealed to it, for as long as it is kept', async () => {
    const { ring, safe, keys } = await made();
    const old = await sealedTo(keys.armor);
    await ring.makeNext(NOW);
    await ring.takeNext(NOW + 7 * DAY);
    const again = await openKeyRing(safe);
    const fresh = await sealedTo((await again.keys())?.armor ?? '');
    for (const each of [old, fresh]) expect((await again.open(each)).ok).toBe(true);
    await again.forgetReplaced(NOW + 7 * DAY - 1);
    expect((await again.open(old)).ok).toBe(true);
    await again.forgetReplaced(NOW + 7 * DAY);
    expect([(await again.open(old)).ok, (await again.open(fresh)).ok]).toEqual([false, true]);
    expect(JSON.stringify(await safe.load())).not.toContain('replaced');
  });

  test('has the recovery key of a backup only while it is open, and never in its safe', async () => {
    const { ring, safe, user, id } = await made();
    const backup = await ring.backup({ server, serverKeys: [`${'0'.repeat(40)}@${server}`], user, key: id, follows: [] }, 'words', NOW);
    await ring.forgetRecovery();
    const before = JSON.stringify(await safe.load());
    const withdrawal = { ...heading('account-removal-withdrawal'), user, key: id, note: '', recoveryArmor: 'armor' };
    await expect(ring.signRecovery(withdrawal, NOW)).rejects.toThrow('no backup is open');
    expect(await ring.openRecovery(backup, 'other words')).toMatchObject({ ok: false, reason: 'passphrase' });
    const opened = await ring.openRecovery(backup, 'words');
    if (!opened.ok) throw new Error(opened.reason);
    expect(opened.value).toMatchObject({ user, key: id, revocation: { statement: { key: id } } });
    const signed = await ring.signRecovery(withdrawal, NOW);
    expect(signed.signatures.map(({ key }) => key)).toEqual([userKeyId(user, opened.value.recovery)]);
    expect(JSON.stringify(await safe.load())).toBe(before);
    ring.closeRecovery();
    await expect(ring.signRecovery(withdrawal, NOW)).rejects.toThrow('no backup is open');
  });
});

describe('what is pinned of somebody’s keys', () => {
  let maker: ChainMaker;
  let [key, thief, owner]: Link[] = [];
  let old: Entry[];
  let ended: Entry[];
  let recovered: Entry[];

  beforeAll(async () => {
    maker = await ChainMaker.make(NOW);
    key = maker.first;
    [thief, owner] = [await maker.link(), await maker.link()];
    const first = await maker.key(key);
    const revocation = await maker.revocation(key, thief);
    const stolen = await maker.key(thief, { before: key, by: 'key' });
    const back = await maker.key(owner, { before: key, by: 'recovery', atMs: NOW + DAY });
    old = [{ certificate: first }];
    ended = [{ certificate: first, revocation }, { certificate: stolen }];
    recovered = [{ certificate: first, revocation }, { certificate: back }];
  });

  const found = (link: Link | undefined): Link => {
    if (!link) throw new Error('not made');
    return link;
  };
  const setUp = () => {
    const store = new MemoryStore();
    const time = new ServerTime(new ManualClock(NOW + 2 * DAY));
    const shown = new Map<string, Entry[] | { readonly gone: unknown }>();
    const api = new Api(
      'http://reeds.example',
      async (input) => {
        const id = decodeURIComponent(/keys\/([^?]*)/.exec(String(input))?.[1] ?? '');
        const entry = shown.get(id);
        if (!entry) return Response.json({ code: 'NOT_FOUND' }, { status: 404 });
        if ('gone' in entry) return Response.json({ code: 'REMOVED', certificate: entry.gone }, { status: 410 });
        return Response.json({ ...entry.at(-1), chain: entry });
      },
      time,
    );
    const session = { token: async () => base64url(new Uint8Array(32)), refused: () => undefined };
    const server = { id: maker.server, key: (id: never) => maker.lookup.serverKey(id) } as unknown as PinnedServer;
    return { store, shown, keys: new KeyDirectory({ api, session, store, time, limits: DEFAULT_LIMITS, server }) };
  };

  test('goes on with the chain, and an answer about an older key makes none of it forgotten', async () => {
    const { keys, shown, store } = setUp();
    shown.set(found(key).id, old).set(found(thief).id, ended);
    expect(await keys.forRelay(found(thief).id)).not.toBeNull();
    shown.set(found(key).id, ended.slice(0, 1));
    expect(await keys.lookup.userKey(found(key).id)).toMatchObject({ revokedSeq: expect.any(Number) });
    expect((await store.get('keys', maker.user))?.chain).toHaveLength(2);
    expect(await keys.forRelay(found(key).id)).toBeNull();
  });

  test('is left for the chain of the recovery key, told or found out; the other one never comes back', async () => {
    for (const how of ['told', 'found out']) {
      const { keys, shown } = setUp();
      shown.set(found(thief).id, ended);
      expect(await keys.lookup.userKey(found(thief).id)).not.toBeNull();
      expect(await keys.isVoid(found(thief).id)).toBe(false);
      const certificate = recovered[1]?.certificate;
      shown.set(found(owner).id, recovered).set(found(thief).id, { gone: certificate });
      if (how === 'told') expect(await keys.replaced(certificate)).toBe(true);
      else expect(await keys.forRelay(found(owner).id)).not.toBeNull();
      expect([how, await keys.isVoid(found(thief).id), await keys.lookup.userKey(found(thief).id)]).toEqual([how, true, null]);
      shown.set(found(thief).id, ended);
      expect(await keys.lookup.userKey(found(thief).id)).toBeNull();
      expect(await keys.lookup.userKey(found(owner).id)).not.toBeNull();
    }
  });

  test('is not left for a certificate that is of no chain the server can show, or by no recovery key', async () => {
    const { keys, shown } = setUp();
    shown.set(found(thief).id, ended);
    await keys.lookup.userKey(found(thief).id);
    expect(await keys.replaced(recovered[1]?.certificate)).toBe(false);
    expect(await keys.replaced(ended[1]?.certificate)).toBe(false);
    expect(await keys.replaced({ statement: { key: found(thief).id } })).toBe(false);
    expect(await keys.replaced(null)).toBe(false);
    expect(await keys.isVoid(found(thief).id)).toBe(false);
  });
});
