// What we make, gpg opens: keys, signatures, messages, backups. Skipped, and said so, where there is no gpg; the other way round is frozen in vectors.
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  encryptTo,
  encryptWithPassphrase,
  generatePrivateKey,
  type PrivateKey,
  protectPrivateKey,
  signDetached,
} from '../../src/crypto/openpgp.ts';

const BYTES = new TextEncoder().encode('Reeds by the water');
const hasGpg = spawnSync('gpg', ['--version']).status === 0;

describe.skipIf(!hasGpg)('gpg', () => {
  let home: string;
  let key: PrivateKey;
  const environment = () => ({ ...process.env, GNUPGHOME: home });
  const gpg = (args: readonly string[], input: string | Uint8Array): string =>
    execFileSync('gpg', ['--batch', '--yes', '--no-auto-check-trustdb', ...args], {
      input,
      env: environment(),
      stdio: ['pipe', 'pipe', 'ignore'],
    }).toString();
  const withPassphrase = (passphrase: string): string[] => ['--pinentry-mode', 'loopback', '--passphrase', passphrase];

  beforeAll(async () => {
    home = mkdtempSync(join(tmpdir(), 'rb-gpg-'));
    key = await generatePrivateKey(Date.UTC(2026, 0, 1));
    gpg(['--import'], key.publicKey.armor);
    gpg([...withPassphrase('seven words'), '--import'], await protectPrivateKey(key, 'seven words'));
  });

  afterAll(() => {
    // Its agent lives as long as the folder says so.
    spawnSync('gpgconf', ['--kill', 'all'], { env: environment() });
    rmSync(home, { recursive: true, force: true });
  });

  it('knows our key by its fingerprint', () => {
    expect(gpg(['--with-colons', '--fingerprint'], '')).toContain(key.fingerprint.toUpperCase());
  });

  it('verifies our signature, and not one of other bytes', async () => {
    const signature = join(home, 'signature.asc');
    writeFileSync(signature, await signDetached(BYTES, key, Date.UTC(2026, 0, 2)));
    expect(gpg(['--status-fd', '1', '--verify', signature, '-'], BYTES)).toContain('GOODSIG');
    expect(() => gpg(['--verify', signature, '-'], 'other')).toThrow();
  });

  it('decrypts what is encrypted to our key', async () => {
    expect(gpg([...withPassphrase('seven words'), '--decrypt'], await encryptTo(BYTES, key.publicKey))).toBe('Reeds by the water');
  });

  it('opens our backup with its passphrase', async () => {
    expect(gpg([...withPassphrase('seven words'), '--decrypt'], await encryptWithPassphrase(BYTES, 'seven words'))).toBe(
      'Reeds by the water',
    );
    const backup = await encryptWithPassphrase(BYTES, 'other words');
    expect(() => gpg([...withPassphrase('seven words'), '--decrypt'], backup)).toThrow();
  });
});
