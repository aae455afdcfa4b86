// Keys, signatures, backups and sealed copies. What gpg made stands in the files already and is only kept.
import { hex } from '../../src/base/ids.ts';
import { encryptWithPassphrase, readPublicKey, verifyDetached } from '../../src/crypto/openpgp.ts';
import { bodyHash, openCopy, padmeSize, sealCopy, sealThread } from '../../src/crypto/seal.ts';
import type { Body } from '../../src/wire/body.ts';
import { mentionsOf, tagsOf } from '../../src/wire/claims.ts';
import { printTime } from '../../src/wire/kinds.ts';
import { checkUsername } from '../../src/wire/username.ts';
import { armored, changedKey, concat, keyPair, packet, revokedArmor, unarmored, withPoint } from '../../test/support/openpgp-parts.ts';
import { examples, type World } from '../../test/support/statements.ts';
import type { CopyVectors, OpenpgpVectors } from '../../test/support/vectors.ts';
import { Maker } from './certificates.ts';
import type { Memory } from './memory.ts';

const onlyKept = (name: string) => async (): Promise<string> => {
  throw new Error(`"${name}" was made by another program and is gone from the vectors`);
};

async function keyVectors(world: World, memory: Memory): Promise<OpenpgpVectors['keys']> {
  const own = world.keys.member.publicKey.armor;
  const zero = new Uint8Array(32);
  const made = async (options: Parameters<typeof keyPair>[0]): Promise<string> => (await keyPair(options)).publicArmor;
  const cases: [string, () => Promise<string>][] = [
    ['ours', async () => own],
    ['gpg', onlyKept('gpg')],
    ['gpg with an end', onlyKept('gpg with an end')],
    ['the newer encoding', () => made({ type: 'curve25519' })],
    ['a signing subkey', () => made({ subkeys: [{ sign: true }, {}] })],
    ['RSA', () => made({ type: 'rsa', rsaBits: 2048 })],
    ['NIST P-256', () => made({ curve: 'nistP256' })],
    ['Curve448', () => made({ type: 'curve448' })],
    ['version 6', () => made({ type: 'curve25519', config: { v6Keys: true } })],
    ['an RSA subkey', () => made({ subkeys: [{ type: 'rsa', rsaBits: 2048 }] })],
    ['two encryption subkeys', () => made({ subkeys: [{}, {}] })],
    ['no encryption subkey', () => made({ subkeys: [{ sign: true }] })],
    ['two user ids', () => made({ userIDs: [{ name: 'one' }, { name: 'two' }] })],
    ['a private block', async () => world.keys.member.armor],
    ['a revocation', async () => revokedArmor((await keyPair()).privateKey)],
    ['a key ring', async () => armored('PUBLIC KEY BLOCK', concat(unarmored(own), unarmored(world.keys.other.publicKey.armor)))],
    ['a signing point of small order', () => withPoint(own, 6, zero)],
    ['an encryption point of small order', () => withPoint(own, 14, zero)],
    ['three bindings', () => changedKey(own, ({ tag, body }, at) => new Array(at === 4 ? 3 : 1).fill(packet(tag, body)) as Uint8Array[])],
    ['something before the armor', async () => `x\n${own}`],
    ['nothing', async () => ''],
  ];
  const entries = [];
  for (const [name, make] of cases) {
    const armor = await memory.keep({ file: 'openpgp', list: 'keys', name, field: 'armor' }, make);
    const key = await readPublicKey(armor);
    entries.push(key.ok ? { name, armor, fingerprint: key.value.fingerprint as string } : { name, armor, reason: key.reason });
  }
  return entries;
}

const octets = (length: number, size: number): number[] =>
  Array.from({ length: size }, (_, at) => (length >>> (8 * (size - 1 - at))) & 255);

/** The same signature in other spellings, and things that are none. */
function spellings(signature: string): [string, string][] {
  const bytes = unarmored(signature);
  const body = bytes.subarray((bytes[1] as number) < 192 ? 2 : 3);
  const at = 6 + (body[4] as number) * 256 + (body[5] as number);
  const unhashed = concat(body.subarray(0, at), Uint8Array.of(0, 4, 3, 100, 1, 2), body.subarray(at + 2));
  const typed = body.slice();
  typed[1] = 1;
  const wrap = (...parts: Uint8Array[]): string => armored('SIGNATURE', concat(...parts));
  return [
    ['as we write it', signature],
    ['with an old header', wrap(Uint8Array.of(0x89, ...octets(body.length, 2)), body)],
    ['with a length of five octets', wrap(Uint8Array.of(0xc2, 255, ...octets(body.length, 4)), body)],
    ['with an unhashed subpacket', wrap(packet(2, unhashed))],
    ['with a comment', signature.replace('SIGNATURE-----\n', 'SIGNATURE-----\nComment: hello\n')],
    ['with a wrong checksum', signature.replace(/\n=.{4}\n/, '\n=AAAA\n')],
    ['in text mode', wrap(packet(2, typed))],
    ['twice', wrap(packet(2, body), packet(2, body))],
    ['with a marker behind it', wrap(packet(2, body), packet(10, new TextEncoder().encode('PGP')))],
    ['of none', armored('SIGNATURE', packet(60, Uint8Array.of(1)))],
    ['cut short', armored('SIGNATURE', bytes.subarray(0, bytes.length - 1))],
    ['with something behind its armor', `${signature}x`],
  ];
}

async function signatureVectors(world: World, memory: Memory, keys: OpenpgpVectors['keys']): Promise<OpenpgpVectors['signatures']> {
  const bytes = new TextEncoder().encode('hello');
  const own = await memory.sign(bytes, world.keys.member, world.nowMs);
  const gpg = await memory.keep({ file: 'openpgp', list: 'signatures', name: 'by gpg', field: 'armor' }, onlyKept('by gpg'));
  const gpgText = await memory.keep(
    { file: 'openpgp', list: 'signatures', name: 'by gpg in text mode', field: 'armor' },
    onlyKept('by gpg in text mode'),
  );
  const cases = [
    ...spellings(own).map(([name, armor]) => ({ name, armor, key: 'ours' })),
    { name: 'by gpg', armor: gpg, key: 'gpg' },
    { name: 'by gpg in text mode', armor: gpgText, key: 'gpg' },
    { name: 'by another key', armor: gpg, key: 'ours' },
  ];
  const entries = [];
  for (const { name, armor, key } of cases) {
    const publicKey = await readPublicKey(keys.find((entry) => entry.name === key)?.armor ?? '');
    if (!publicKey.ok) throw new Error(`no key ${key}`);
    const verified = await verifyDetached(bytes, armor, publicKey.value);
    const rest = verified.ok ? { normal: verified.value } : { reason: verified.reason };
    entries.push({ name, bytes: hex(bytes), key, armor, ...rest });
  }
  return entries;
}

export async function openpgpVectors(world: World, memory: Memory): Promise<OpenpgpVectors> {
  const keys = await keyVectors(world, memory);
  const [passphrase, text] = ['seven words make a long enough passphrase', 'backup'];
  const place = { file: 'openpgp', list: 'backups', field: 'armor' };
  const ours = await memory.keep({ ...place, name: 'ours' }, () => encryptWithPassphrase(new TextEncoder().encode(text), passphrase));
  const gpg = await memory.keep({ ...place, name: 'by gpg' }, onlyKept('by gpg'));
  const backups = [
    { name: 'ours', armor: ours, passphrase, text },
    { name: 'by gpg', armor: gpg, passphrase, text },
  ];
  return { keys, signatures: await signatureVectors(world, memory, keys), backups };
}

const TEXTS = [
  '',
  'Reeds by the water',
  '#Reeds and #größe, for @aaaaaaaaaaaaaaaa@bbbbbbbbbbbbbbbb 🌾',
  '\u0001'.repeat(40),
  'x'.repeat(5_000),
];
const CLAIMS = [
  '',
  '#Reeds #reeds #WATER',
  'a#no &#no /#no ##no #12 #1a #größe_2 #日本',
  'cafe\u0301 #CAFE\u0301',
  '@aaaaaaaaaaaaaaaa@bbbbbbbbbbbbbbbb, x@aaaaaaaaaaaaaaaa@bbbbbbbbbbbbbbbb @ada @peer@bbbbbbbbbbbbbbbb',
];
const NAMES = [
  'Ada',
  'a',
  'Ａｄａ',
  'ｱｲ',
  'straße',
  'Мария',
  'p\u0430ypal',
  'раураӏ',
  'paypa1',
  'modern',
  'modem',
  'ad\u200ba',
  'a b',
  '.ada',
  '1234',
  '小林さくら',
];

async function copyCases(world: World, memory: Memory) {
  const maker = new Maker(world, memory);
  const body: Body = { text: 'Reeds by the water', createdAt: printTime(world.nowMs), salt: 'AAECAwQFBgcICQoLDA0ODw' };
  const certificate = await maker.certificate<'reed'>({ ...examples(world).reed, bodyHash: await bodyHash(body), tags: [], mentions: [] });
  const record = await maker.certificate<'thread'>(examples(world).thread);
  return { copy: { certificate, body }, thread: { record, parts: [{ certificate, body }] } };
}

export async function copyVectors(world: World, memory: Memory): Promise<CopyVectors> {
  const key = world.keys.member;
  const { copy, thread } = await copyCases(world, memory);
  const kept = async (list: string, name: string, make: () => Promise<Uint8Array>): Promise<string> =>
    memory.keep({ file: 'copies', list, name, field: 'ciphertext' }, async () => new TextDecoder().decode(await make()));
  const sealed: [string, string][] = [
    ['ours', await kept('copies', 'ours', () => sealCopy(copy, key.publicKey))],
    ['by gpg', await kept('copies', 'by gpg', onlyKept('by gpg') as () => Promise<never>)],
    ['for somebody else', await kept('copies', 'for somebody else', () => sealCopy(copy, world.keys.other.publicKey))],
    ['of a thread', await kept('copies', 'of a thread', () => sealThread(thread, key.publicKey))],
    ['not encrypted', 'hello'],
  ];
  const copies = [];
  for (const [name, ciphertext] of sealed) {
    const opened = await openCopy(new TextEncoder().encode(ciphertext), [key]);
    copies.push(opened.ok ? { name, ciphertext, opened: opened.value } : { name, ciphertext, reason: opened.reason });
  }
  const bodies = [];
  for (const text of TEXTS) {
    const body = { text, createdAt: printTime(world.nowMs), salt: 'AAECAwQFBgcICQoLDA0ODw' };
    bodies.push({ body, hash: await bodyHash(body) });
  }
  return {
    privateKey: key.armor,
    copies,
    threads: [{ name: 'ours', ciphertext: await kept('threads', 'ours', () => sealThread(thread, key.publicKey)), opened: thread }],
    bodies,
    claims: CLAIMS.map((text) => ({ text, tags: tagsOf(text), mentions: mentionsOf(text) })),
    padme: [0, 1, 2, 9, 100, 1_000, 1_023, 1_025, 20_000, 1_000_000].map((bytes) => [bytes, padmeSize(bytes)] as const),
    usernames: NAMES.map((typed) => {
      const checked = checkUsername(typed);
      return checked.ok ? { typed, forms: checked.value } : { typed, reason: checked.reason };
    }),
  };
}
