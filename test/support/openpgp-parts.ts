// Hostile and foreign OpenPGP material, made with the library itself or put together byte by byte. For tests and frozen vectors only.
import { inflateSync } from 'node:zlib';
import * as openpgp from 'openpgp';

const DATE = new Date(1_700_000_000_000);
const USER = { name: 'reedbed' };
/** The frozen rules of src/crypto hold for the whole library; what they refuse must still be made here. */
const LAX = { rejectPublicKeyAlgorithms: new Set<never>(), rejectCurves: new Set<never>(), rejectHashAlgorithms: new Set<never>() };
type Options = Partial<Parameters<typeof openpgp.generateKey>[0]>;

/** Bytes of one packet with a new header. */
export function packet(tag: number, body: Uint8Array): Uint8Array {
  const length = body.length;
  const size = length < 192 ? [length] : [255, (length >>> 24) & 255, (length >>> 16) & 255, (length >>> 8) & 255, length & 255];
  return concat(Uint8Array.of(0xc0 | tag, ...size), body);
}

export function concat(...parts: readonly Uint8Array[]): Uint8Array {
  const bytes = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}

const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64').replace(/.{64}/g, '$&\n').trimEnd();

/** An armored block without a checksum. */
export const armored = (label: string, bytes: Uint8Array): string =>
  `-----BEGIN PGP ${label}-----\n\n${base64(bytes)}\n-----END PGP ${label}-----\n`;

/** The bytes of an armored block of our own making. */
export function unarmored(armor: string): Uint8Array {
  const lines = armor.trimEnd().split('\n').slice(0, -1);
  const data = lines.slice(lines.indexOf('') + 1).filter((line) => !line.startsWith('='));
  return new Uint8Array(Buffer.from(data.join(''), 'base64'));
}

/** A key pair of the library's making with whatever options. */
export async function keyPair(
  options: Options = {},
): Promise<{ publicArmor: string; privateArmor: string; privateKey: openpgp.PrivateKey }> {
  const { privateKey } = await openpgp.generateKey({
    type: 'ecc',
    curve: 'curve25519Legacy',
    userIDs: [USER],
    date: DATE,
    ...options,
    config: { ...LAX, ...options.config },
    format: 'object',
  });
  return { publicArmor: privateKey.toPublic().armor(), privateArmor: privateKey.armor(), privateKey };
}

export async function packetsOf(armor: string): Promise<{ tag: number; body: Uint8Array }[]> {
  const key = await openpgp.readKey({ armoredKey: armor });
  return key
    .toPacketList()
    .map((part) => ({ tag: (part.constructor as unknown as { tag: number }).tag, body: part.write() as Uint8Array }));
}

/** The key with each packet replaced by what `change` makes of it. */
export async function changedKey(
  armor: string,
  change: (part: { tag: number; body: Uint8Array }, at: number) => readonly Uint8Array[],
): Promise<string> {
  const parts = await packetsOf(armor);
  return armored('PUBLIC KEY BLOCK', concat(...parts.flatMap((part, at) => change(part, at))));
}

/** The key with the point of its primary key (`tag` 6) or subkey (14) replaced. Both in the legacy encoding. */
export const withPoint = (armor: string, tag: 6 | 14, point: Uint8Array): Promise<string> =>
  changedKey(armor, (part) => {
    if (part.tag !== tag) return [packet(part.tag, part.body)];
    const body = part.body.slice();
    const start = tag === 6 ? body.length - 32 : body.length - 36;
    body.set(point, start);
    return [packet(part.tag, body)];
  });

/** A detached signature of any type and date by the library, with its own config if need be. */
export async function librarySignature(
  input: { text: string } | { binary: Uint8Array },
  key: openpgp.PrivateKey,
  options: Pick<openpgp.SignOptions, 'signatureNotations' | 'config'> = {},
): Promise<string> {
  const message =
    'text' in input ? await openpgp.createMessage({ text: input.text }) : await openpgp.createMessage({ binary: input.binary });
  return openpgp.sign({ message, signingKeys: key, detached: true, date: DATE, ...options });
}

/** A message of a compressed packet that unpacks to `bytes` zeros, encrypted to `armor`. */
export async function bomb(armor: string, bytes: number): Promise<Uint8Array> {
  const key = await openpgp.readKey({ armoredKey: armor });
  const message = await openpgp.createMessage({ binary: new Uint8Array(bytes) });
  const config = { preferredCompressionAlgorithm: openpgp.enums.compression.zlib };
  const encryptionKeys = compressing(key);
  return Buffer.from(await openpgp.encrypt({ message, encryptionKeys, date: DATE, config }));
}

/** Makes the library believe that the key's owner likes compressed messages. */
function compressing(key: openpgp.Key): openpgp.PublicKey {
  for (const signature of key.users[0]?.selfCertifications ?? []) {
    signature.preferredCompressionAlgorithms = [openpgp.enums.compression.zlib];
  }
  return key as openpgp.PublicKey;
}

export async function encrypted(
  options: Pick<openpgp.EncryptOptions, 'wildcard' | 'passwords' | 'config'> & { bytes: Uint8Array; to: readonly string[] },
): Promise<Uint8Array> {
  const { bytes, to, ...rest } = options;
  const encryptionKeys = await Promise.all(to.map((armoredKey) => openpgp.readKey({ armoredKey })));
  const message = await openpgp.createMessage({ binary: bytes });
  return Buffer.from(await openpgp.encrypt({ date: DATE, ...rest, message, encryptionKeys }));
}

/** The same message with its session key packet repeated `times` times. */
export function repeatedSessionKey(message: Uint8Array, times: number): Uint8Array {
  const bytes = unarmored(Buffer.from(message).toString('latin1'));
  const length = 2 + (bytes[1] as number);
  const repeated = concat(...Array.from({ length: times }, () => bytes.subarray(0, length)), bytes.subarray(length));
  return Buffer.from(armored('MESSAGE', repeated));
}

export async function revokedArmor(privateKey: openpgp.PrivateKey): Promise<string> {
  const revoked = await openpgp.revokeKey({ key: privateKey, date: new Date(DATE.getTime() + 1_000), format: 'object' });
  return revoked.publicKey.armor();
}

/** 713 bytes of bzip2 that unpack to a literal packet of 900 MiB, themselves deflated. */
const BZIP2_BOMB =
  'eNpzisqwNHSMVAuO5H2s9Ju1zuIsy0EGBgcHBgEGBg4GjgUMAW0snKsWS5lP0mKKPxLCsvMrV8P0YstNWkyxH7u4ThrNOlHgL/aD608RAxsDA4MjA2MLU5aRKKOuB1DpqPyoPMXyp7TOTlnBpnGLBSjPCFbBqrngTKqGR7Sohkec3pOugoUKXyY86AMAA9rSMQ==';

/** A literal packet of 64 KiB of zeros as bzip2, deflated like the bomb. */
const BZIP2_HARMLESS = 'eNoBOQDG/0JaaDkxQVkmU1m1Yk7uAAIHQQTxABAAAAgACKAAMQwICpEMmQB6yAbXaIDMuAN+LuSKcKEhasSd3NWPEzM=';

/** A message of under 1 KiB to `armor` whose content unpacks to 900 MiB. */
export const smallBomb = (armor: string): Promise<Uint8Array> => bzipped(armor, BZIP2_BOMB);

/** The same with content that unpacks to 64 KiB. */
export const smallNoBomb = (armor: string): Promise<Uint8Array> => bzipped(armor, BZIP2_HARMLESS);

async function bzipped(armor: string, content: string): Promise<Uint8Array> {
  const packets = new openpgp.PacketList<openpgp.CompressedDataPacket>();
  const compressed = new openpgp.CompressedDataPacket();
  Object.assign(compressed, { algorithm: openpgp.enums.compression.bzip2, compressed: inflateSync(Buffer.from(content, 'base64')) });
  packets.push(compressed);
  const encryptionKeys = await openpgp.readKey({ armoredKey: armor });
  const options = { message: new openpgp.Message(packets), encryptionKeys, date: DATE } as unknown as openpgp.EncryptOptions;
  return Buffer.from((await openpgp.encrypt(options as Parameters<typeof openpgp.encrypt>[0] & { format?: 'armored' })) as string);
}
