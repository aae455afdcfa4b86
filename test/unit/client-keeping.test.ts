// What a member keeps on paper and in files: invite links, passphrases, backups, key rings.
import { describe, expect, test } from 'vitest';
import { base64url, cryptoRandom } from '../../src/base/ids.ts';
import { DEFAULT_LIMITS } from '../../src/base/limits.ts';
import { openBackup } from '../../src/client/backup.ts';
import { makeInviteLink, parseInviteLink } from '../../src/client/invite-link.ts';
import { memoryKeySafe, openKeyRing } from '../../src/client/memory-key-ring.ts';
import { makePassphrase, normalPassphrase } from '../../src/client/passphrase.ts';
import { WORDS } from '../../src/client/words.ts';
import { encryptWithPassphrase } from '../../src/crypto/openpgp.ts';
import { makeInviteId, parseServerId, ROOT_INVITE, serverKeyId, userIdFromFingerprint, userKeyId } from '../../src/wire/address.ts';
import { heading } from '../../src/wire/statements.ts';
import { userNamed } from '../support/sdk-parts.ts';

const server = parseServerId('s'.repeat(16));
if (!server) throw new Error('no server id');
const secret = base64url(new Uint8Array(32).fill(7));
const NOW = Date.UTC(2026, 0, 1);

describe('an invite link', () => {
  test('is read as it was made, whole or as its fragment', () => {
    const invite = makeInviteId(userNamed('a'), '01890000-0000-7000-8000-000000000001');
    const link = makeInviteLink('https://reeds.example/anything', { server, invite, secret });
    expect(link).toBe(`https://reeds.example/join#${server}.${invite}.${secret}`);
    expect(parseInviteLink(` ${link}\n`)).toEqual({ origin: 'https://reeds.example', server, invite, secret });
    expect(parseInviteLink(link.slice(link.indexOf('#')))).toEqual({ server, invite, secret });
    expect(parseInviteLink(link.replaceAll('@', '%40').replaceAll('/0189', '%2F0189'))).toMatchObject({ invite });
    expect(parseInviteLink(makeInviteLink('http://localhost:8080', { server, invite: ROOT_INVITE, secret }))).toMatchObject({
      invite: 'root',
    });
  });

  test.each([
    ['nothing', ''],
    ['words', 'come and join us'],
    ['a short secret', `#${server}.root.${secret.slice(1)}`],
    ['no server', `#.root.${secret}`],
    ['an invite of another server', `#${server}.${'a'.repeat(16)}@${'t'.repeat(16)}/01890000-0000-7000-8000-000000000001.${secret}`],
    ['a fourth part', `#${server}.root.${secret}.x`],
  ])('with %s is none', (_name, text) => {
    expect(parseInviteLink(text)).toBe(null);
  });

  test('of another scheme gives no origin', () => {
    expect(parseInviteLink(`javascript:alert(1)//join#${server}.root.${secret}`)?.origin).toBeUndefined();
  });
});

describe('a passphrase', () => {
  test('is seven words, each of 2,048 equally likely', () => {
    expect(new Set(WORDS).size).toBe(2_048);
    expect(WORDS.every((word) => /^[a-z]{3,8}$/.test(word))).toBe(true);
    const words = makePassphrase(cryptoRandom).split(' ');
    expect(words).toHaveLength(7);
    expect(words.every((word) => WORDS.includes(word))).toBe(true);
    const bytes = new Uint8Array(14);
    bytes.set([0x07, 0xff, 0x08, 0x00], 0);
    expect(
      makePassphrase(() => bytes)
        .split(' ')
        .slice(0, 2),
    ).toEqual([WORDS[2_047], WORDS[0]]);
  });

  test('is the same however it was typed', () => {
    expect(normalPassphrase('  Able  about-Above\n')).toBe('able about above');
  });
});

const made = async () => {
  const safe = memoryKeySafe();
  const ring = await openKeyRing(safe);
  const keys = await ring.make(NOW);
  const user = await userIdFromFingerprint(keys.fingerprint, server);
  const key = userKeyId(user, keys.fingerprint);
  return { safe, ring, keys, contents: { server, serverKeys: [serverKeyId('0'.repeat(40), server)], user, key, follows: [] } };
};

describe('a backup', () => {
  test('holds everything a new device needs, and opens by its passphrase alone', async () => {
    const { ring, contents, keys } = await made();
    const backup = await ring.backup(contents, 'one two three', NOW);
    expect(backup).toContain('BEGIN PGP MESSAGE');
    const opened = await openBackup(backup, 'one two three');
    expect(opened).toMatchObject({ ok: true, value: { ...contents, keys: [{ id: contents.key }] } });
    expect(opened.ok && opened.value.recoveryKey).toContain('PRIVATE KEY');
    expect(opened.ok && opened.value.revocation.statement).toMatchObject({ type: 'key-revocation', key: contents.key });
    expect(await openBackup(backup, 'one two four')).toMatchObject({ ok: false, reason: 'passphrase' });
    const next = await openKeyRing(memoryKeySafe());
    expect(await next.restore(backup, 'one two three')).toEqual({ ok: true, value: contents });
    expect(await next.keys(), 'it may not be let in').toBeNull();
    await next.keepRestored();
    expect((await next.keys())?.fingerprint).toBe(keys.fingerprint);
    expect((await next.keys())?.recovery).toBeUndefined();
  });

  test('can not be made once the recovery key was deleted, in this life and the next', async () => {
    const { ring, safe, contents } = await made();
    await ring.forgetRecovery();
    await expect(ring.backup(contents, 'x', NOW)).rejects.toMatchObject({ code: 'FORBIDDEN' });
    const again = await openKeyRing(safe);
    expect((await again.keys())?.recovery).toBeUndefined();
    expect(JSON.stringify(await safe.load())).not.toContain('recovery');
  });

  test.each([
    ['of another version', { v: 2 }],
    ['of another server’s member', { user: `${'a'.repeat(16)}@${'t'.repeat(16)}` }],
    ['without keys', { keys: [] }],
    ['with somebody else’s key', { keys: [{ id: userKeyId(userNamed('b'), '0'.repeat(40)), armor: '' }] }],
    ['whose follows are no ids', { follows: ['everybody'] }],
  ])('%s is none', async (_name, change) => {
    const { ring, contents } = await made();
    const opened = await openBackup(await ring.backup(contents, 'x', NOW), 'x');
    if (!opened.ok) throw new Error('the backup did not open');
    const { key: _key, ...content } = opened.value;
    const altered = await encryptWithPassphrase(new TextEncoder().encode(JSON.stringify({ v: 1, ...content, ...change })), 'x');
    expect(await openBackup(altered, 'x')).toMatchObject({ ok: false, reason: 'not-a-backup' });
  });

  test.each([
    ['empty', (): string => ''],
    ['some other text', () => 'my shopping list'],
    ['half of one', (backup: string) => backup.slice(0, backup.length / 2)],
    ['too large for one', (backup: string) => `${backup}${' '.repeat(DEFAULT_LIMITS.backupBytes)}`],
  ])('that is %s is none, whatever the passphrase', async (_name, of) => {
    const { ring, contents } = await made();
    const file = of(await ring.backup(contents, 'x', NOW));
    expect(await openBackup(file, 'x')).toMatchObject({ ok: false, reason: 'not-a-backup' });
    const next = await openKeyRing(memoryKeySafe());
    expect(await next.restore(file, 'x')).toMatchObject({ ok: false, reason: 'not-a-backup' });
    expect(await next.openRecovery(file, 'x')).toMatchObject({ ok: false, reason: 'not-a-backup' });
  });
});

describe('a key ring', () => {
  test('keeps what it has while a backup is only open, and the key that waits once its key is taken', async () => {
    const [before, other] = [await made(), await made()];
    const backup = await other.ring.backup(other.contents, 'words', NOW);
    const waiting = await before.ring.makeNext(NOW);
    const kept = JSON.stringify(await before.safe.load());
    await before.ring.restore(backup, 'words');
    expect(JSON.stringify(await before.safe.load())).toBe(kept);
    before.ring.dropRestored();
    expect(await before.ring.keys()).toEqual(before.keys);
    await before.ring.restore(backup, 'words');
    await before.ring.keepRestored();
    const again = await openKeyRing(before.safe);
    expect((await again.keys())?.fingerprint).toBe(other.keys.fingerprint);
    expect(await again.makeNext(NOW)).toEqual(waiting);
    expect((await before.safe.load())?.recovery).toBeUndefined();
  });

  test('makes its keys once', async () => {
    const { ring, keys, safe } = await made();
    expect(await ring.make(NOW + 1)).toEqual(keys);
    expect(await (await openKeyRing(safe)).keys()).toEqual(keys);
  });

  test('signs statements with its own key, and nothing else', async () => {
    const { ring, contents } = await made();
    const statement = { ...heading('like'), user: contents.user, key: contents.key, target: 'no reed', createdAt: 'now' };
    await expect(ring.sign(statement as never, NOW)).rejects.toMatchObject({ code: 'INVALID' });
    const other = userNamed('b');
    const revocation = { ...heading('key-revocation'), user: other, key: userKeyId(other, '0'.repeat(40)), reason: '' };
    await expect(ring.sign(revocation, NOW)).rejects.toMatchObject({ code: 'INVALID' });
    await expect(ring.sign({ bytes: 'anything' } as never, NOW)).rejects.toMatchObject({ code: 'INVALID' });
  });

  test('without keys does nothing', async () => {
    const ring = await openKeyRing(memoryKeySafe());
    expect(await ring.keys()).toBe(null);
    await expect(ring.open(new Uint8Array())).rejects.toMatchObject({ code: 'UNAUTHENTICATED' });
  });
});
