// What the SDK makes opens and verifies in gpg and in sqop, and theirs in ours: keys, signatures, messages, backups. What the profile
// refuses is refused by name, whoever made it.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  decryptWith,
  decryptWithPassphrase,
  encryptTo,
  encryptWithPassphrase,
  generatePrivateKey,
  type PrivateKey,
  protectPrivateKey,
  readPrivateKey,
  readPublicKey,
  signDetached,
  unprotectPrivateKey,
  verifyDetached,
} from '../../src/crypto/openpgp.ts';
import { openCopy, sealCopy } from '../../src/crypto/seal.ts';
import { type ForeignKey, Gpg, Sqop } from '../support/foreign-openpgp.ts';

const TEXT = 'Reeds by the water';
const BYTES = new TextEncoder().encode(TEXT);
const OTHER_BYTES = new TextEncoder().encode('Reeds by the sea');

const gpg = new Gpg();
const sqop = new Sqop();
let ours: PrivateKey;

beforeAll(async () => {
  ours = await generatePrivateKey(Date.now());
});

afterAll(() => {
  gpg.close();
  sqop.close();
});

const opened = async (message: Uint8Array): Promise<string> => {
  const result = await decryptWith(message, [ours]);
  return result.ok ? new TextDecoder().decode(result.value) : result.reason;
};
const judged = async (signature: string, armor: string): Promise<string> => {
  const key = await readPublicKey(armor);
  if (!key.ok) throw new Error(key.reason);
  const result = await verifyDetached(BYTES, signature, key.value);
  return result.ok ? 'holds' : result.reason;
};
const reasonOf = async (armor: string): Promise<string> => {
  const key = await readPublicKey(armor);
  return key.ok ? 'accepted' : key.reason;
};

describe.each([gpg, sqop])('$name', (program) => {
  let theirs: ForeignKey;
  let theirKey: PrivateKey;

  beforeAll(async () => {
    theirs = program.makeKey();
    const read = await readPrivateKey(theirs.privateArmor);
    if (!read.ok) throw new Error(read.reason);
    theirKey = read.value;
  });

  it('verifies a signature of ours, and not one of other bytes', async () => {
    const signature = await signDetached(BYTES, ours, Date.now());
    expect(program.verifies(BYTES, signature, ours.publicKey.armor)).toBe(true);
    expect(program.verifies(OTHER_BYTES, signature, ours.publicKey.armor)).toBe(false);
  });

  it('verifies what we sign with a key of its making', async () => {
    expect(program.verifies(BYTES, await signDetached(BYTES, theirKey, Date.now() + 1_000), theirs.publicArmor)).toBe(true);
  });

  it('opens with our exported key what is sealed for it', async () => {
    const body = { text: TEXT, createdAt: '2026-01-02T03:04:05.678Z', salt: 'AAAAAAAAAAAAAAAAAAAAAA' };
    const copy = { certificate: { statement: { id: 'x' } }, body };
    expect(JSON.parse(program.decrypt(await sealCopy(copy, ours.publicKey), { key: ours.armor }))).toEqual(copy);
  });

  it('opens what we encrypt to a key of its making', async () => {
    expect(program.decrypt(await encryptTo(BYTES, theirKey.publicKey), { key: theirs.privateArmor })).toBe(TEXT);
  });

  it('opens a backup of ours with its passphrase only', async () => {
    const backup = await encryptWithPassphrase(BYTES, 'seven words');
    expect(program.decrypt(backup, { passphrase: 'seven words' })).toBe(TEXT);
    expect(() => program.decrypt(backup, { passphrase: 'other words' })).toThrow();
  });

  it('signs what we verify, and nothing else', async () => {
    const signature = program.sign(BYTES, theirs.privateArmor);
    expect(await judged(signature, theirs.publicArmor)).toBe('holds');
    expect(await judged(program.sign(OTHER_BYTES, theirs.privateArmor), theirs.publicArmor)).toBe('bad-signature');
    expect(await judged(signature, ours.publicKey.armor)).toBe('bad-signature');
  });

  it('signs with our exported key what we verify', async () => {
    expect(await judged(program.sign(BYTES, ours.armor), ours.publicKey.armor)).toBe('holds');
  });

  it('encrypts to our key what we open, signed or not', async () => {
    expect(await opened(program.encrypt(BYTES, { to: [ours.publicKey.armor] }))).toBe(TEXT);
    expect(await opened(program.encrypt(BYTES, { to: [ours.publicKey.armor], signer: theirs.privateArmor }))).toBe(TEXT);
  });

  it('encrypts what is refused: for others, for several, under a passphrase as well', async () => {
    expect(await opened(program.encrypt(BYTES, { to: [theirs.publicArmor] }))).toBe('not-for-us');
    expect(await opened(program.encrypt(BYTES, { to: [ours.publicKey.armor, theirs.publicArmor] }))).toBe('not-a-message');
    expect(await opened(program.encrypt(BYTES, { to: [ours.publicKey.armor], passphrase: 'seven words' }))).toBe('not-a-message');
    expect(await opened(program.encrypt(BYTES, { passphrase: 'seven words' }))).toBe('not-a-message');
  });

  it('encrypts under a passphrase what we open as a backup', async () => {
    const backup = new TextDecoder().decode(program.encrypt(BYTES, { passphrase: 'seven words' }));
    expect(await decryptWithPassphrase(backup, 'seven words')).toMatchObject({ ok: true, value: BYTES });
    expect(await decryptWithPassphrase(backup, 'other words')).toMatchObject({ ok: false, reason: 'undecryptable' });
  });

  it('finds a copy in a message that is one, and none in another', async () => {
    const copy = { certificate: {}, body: {} };
    const bytes = new TextEncoder().encode(`${JSON.stringify(copy)}      `);
    expect(await openCopy(program.encrypt(bytes, { to: [ours.publicKey.armor] }), [ours])).toEqual({ ok: true, value: copy });
    expect(await openCopy(program.encrypt(BYTES, { to: [ours.publicKey.armor] }), [ours])).toMatchObject({
      ok: false,
      reason: 'not-a-copy',
    });
  });
});

describe('gpg alone', () => {
  it('takes our key under a passphrase, and ours takes its', async () => {
    const locked = await protectPrivateKey(ours, 'seven words');
    const home = new Gpg();
    try {
      home.run(['--pinentry-mode', 'loopback', '--passphrase', 'seven words', '--import'], locked);
      const message = await encryptTo(BYTES, ours.publicKey);
      expect(home.decrypt(message, { passphrase: 'seven words' })).toBe(TEXT);
      const back = home
        .run(['--pinentry-mode', 'loopback', '--passphrase', 'seven words', '--armor', '--export-secret-keys', ours.fingerprint])
        .toString();
      expect(await readPrivateKey(back)).toMatchObject({ ok: false, reason: 'protected' });
      expect(await unprotectPrivateKey(back, 'seven words')).toMatchObject({ ok: true, value: { fingerprint: ours.fingerprint } });
    } finally {
      home.close();
    }
  });

  it('compresses and hides readers: opened within the limit, refused beyond it and without a name', async () => {
    const to = [ours.publicKey.armor];
    const zlib = ['--compress-algo', 'zlib'];
    expect(await opened(gpg.encrypt(BYTES, { to }, zlib))).toBe(TEXT);
    expect(await opened(gpg.encrypt(new Uint8Array(8 * 1024 * 1024), { to }, zlib))).toBe('undecryptable');
    expect(await opened(gpg.encrypt(BYTES, { to }, ['--throw-keyids']))).toBe('not-for-us');
  });

  it('signs text, with an end, with SHA-1, in the clear: each refused by name', async () => {
    const sign = (...options: string[]): string => gpg.sign(BYTES, ours.armor, options);
    expect(await judged(sign('--textmode'), ours.publicKey.armor)).toBe('not-binary');
    expect(await judged(sign('--default-sig-expire', '1d'), ours.publicKey.armor)).toBe('expires');
    expect(await judged(sign('--digest-algo', 'SHA1'), ours.publicKey.armor)).toBe('bad-signature');
    const clear = gpg.run(['--local-user', ours.fingerprint, '--clear-sign'], BYTES).toString();
    expect(await judged(clear, ours.publicKey.armor)).toBe('not-a-signature');
    const binary = gpg.run(['--local-user', ours.fingerprint, '--no-armor', '--detach-sign'], BYTES).toString('latin1');
    expect(await judged(binary, ours.publicKey.armor)).toBe('not-a-signature');
  });

  it('makes keys outside of the profile: each refused by name', async () => {
    const made = (algorithm: string, usage: string, subkeys: readonly (readonly [string, string])[] = []): string => {
      const fingerprint = gpg.generate(`reedbed ${algorithm} ${usage} ${subkeys.length}`, algorithm, usage);
      for (const [subkey, its] of subkeys) gpg.addSubkey(fingerprint, subkey, its);
      return gpg.exported(fingerprint).publicArmor;
    };
    const encryption = ['cv25519', 'encr'] as const;
    expect(await reasonOf(made('nistp256', 'cert,sign', [['nistp256', 'encr']]))).toBe('algorithm');
    expect(await reasonOf(made('brainpoolP256r1', 'cert,sign', [encryption]))).toBe('algorithm');
    expect(await reasonOf(made('ed25519', 'cert,sign'))).toBe('subkeys');
    expect(await reasonOf(made('ed25519', 'cert', [encryption]))).toBe('self-signature');
    expect(await reasonOf(made('ed25519', 'cert,sign', [encryption, encryption]))).toBe('subkeys');
    expect(await reasonOf(made('ed25519', 'cert', [['ed25519', 'sign'], encryption]))).toBe('accepted');
    expect(await reasonOf(made('ed25519', 'cert,sign', [['ed25519', 'auth'], encryption]))).toBe('self-signature');
    expect(await reasonOf(made('ed25519', 'cert,sign', [['ed25519', 'sign'], ['ed25519', 'sign'], encryption]))).toBe('subkeys');
  });
});

describe('sqop alone', () => {
  it('signs text and for two: refused by name', async () => {
    const { privateArmor, publicArmor } = sqop.makeKey();
    expect(await judged(sqop.signText(BYTES, privateArmor), publicArmor)).toBe('not-binary');
    expect(await judged(sqop.sign(BYTES, privateArmor, ours.armor), publicArmor)).toBe('not-one-signature');
  });

  it('makes keys with one name: none and two are refused', async () => {
    expect(await reasonOf(sqop.makeKey('any name at all').publicArmor)).toBe('accepted');
    expect(await reasonOf(sqop.makeNameless().publicArmor)).toBe('user-ids');
    expect(await reasonOf(sqop.makeKey('one', 'two').publicArmor)).toBe('user-ids');
  });
});
