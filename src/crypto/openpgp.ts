// The only import of openpgp: its configuration is frozen here, and what may be a key, a signature or a message is decided here.
// Hostile input ends in a result, after work that its length bounds; a clock is never asked: verification depends on bytes alone.
import * as openpgp from 'openpgp';
import { DEFAULT_LIMITS as LIMITS } from '../base/limits.ts';
import { fail, ok, type Result } from '../base/result.ts';
import { type Fingerprint, parseFingerprint } from '../wire/address.ts';
import { dearmor, isWeakPoint, materialOf, type Packet, readPackets, TAG } from './packets.ts';

const MIB = 1024 * 1024;

Object.assign(openpgp.config, {
  aeadProtect: false,
  allowUnauthenticatedMessages: false,
  allowUnauthenticatedStream: false,
  allowInsecureDecryptionWithSigningKeys: false,
  allowInsecureVerificationWithReformattedKeys: false,
  allowMissingKeyFlags: false,
  enableParsingV5Entities: false,
  enforceGrammar: true,
  ignoreMalformedPackets: false,
  ignoreUnsupportedPackets: false,
  maxArgon2MemoryExponent: 16,
  maxDecompressedMessageSize: 4 * MIB,
  maxUserIDLength: 512,
  preferredCompressionAlgorithm: openpgp.enums.compression.uncompressed,
  preferredSymmetricAlgorithm: openpgp.enums.symmetric.aes256,
  s2kType: openpgp.enums.s2k.iterated,
  showComment: false,
  showVersion: false,
  v6Keys: false,
  rejectHashAlgorithms: new Set([openpgp.enums.hash.md5, openpgp.enums.hash.ripemd, openpgp.enums.hash.sha1]),
  rejectMessageHashAlgorithms: new Set([openpgp.enums.hash.md5, openpgp.enums.hash.ripemd, openpgp.enums.hash.sha1]),
  rejectPublicKeyAlgorithms: new Set([
    openpgp.enums.publicKey.rsaEncryptSign,
    openpgp.enums.publicKey.rsaEncrypt,
    openpgp.enums.publicKey.rsaSign,
    openpgp.enums.publicKey.elgamal,
    openpgp.enums.publicKey.dsa,
    openpgp.enums.publicKey.ecdsa,
    openpgp.enums.publicKey.x448,
    openpgp.enums.publicKey.ed448,
  ]),
  rejectCurves: new Set([
    openpgp.enums.curve.nistP256,
    openpgp.enums.curve.nistP384,
    openpgp.enums.curve.nistP521,
    openpgp.enums.curve.secp256k1,
    openpgp.enums.curve.brainpoolP256r1,
    openpgp.enums.curve.brainpoolP384r1,
    openpgp.enums.curve.brainpoolP512r1,
  ]),
} satisfies openpgp.PartialConfig);
Object.freeze(openpgp.config);

const handle = Symbol('openpgp key');

/** A public key that has passed every rule; `armor` is the text it was read from. */
export type PublicKey = { readonly fingerprint: Fingerprint; readonly armor: string; readonly [handle]: openpgp.PublicKey };

/** A private key in the clear. `armor` must not leave the device but encrypted. */
export type PrivateKey = {
  readonly fingerprint: Fingerprint;
  readonly publicKey: PublicKey;
  readonly armor: string;
  readonly [handle]: openpgp.PrivateKey;
};

export type KeyReason =
  | 'too-large'
  | 'not-a-key'
  | 'private'
  | 'not-one-key'
  | 'algorithm'
  | 'small-order'
  | 'subkeys'
  | 'user-ids'
  | 'revoked'
  | 'self-signature';
export type SignatureReason = 'too-large' | 'not-a-signature' | 'not-one-signature' | 'not-binary' | 'expires' | 'bad-signature';
export type MessageReason = 'too-large' | 'not-a-message' | 'not-for-us' | 'undecryptable';

/** Encryption, unlike verification, is typed without null: the key's own dates are judged by `readPublicKey`, no clock is. */
const ANY_TIME = null as unknown as Date;
const USER_ID = 'reedbed';
const HOUR_MS = 3_600_000;
const EPOCH = new Date(0);

const fingerprintOfKey = (key: openpgp.Key): Fingerprint => parseFingerprint(key.getFingerprint()) as Fingerprint;

/** What comes between a key's packets and signatures: one user id, one binding each, a direct signature at most. */
const publicShape = /^6,(?:2,)?13,2(?:,14,2){1,2}$/;
const privateShape = /^5,(?:2,)?13,2(?:,7,2){1,2}$/;

function shapeProblem(packets: readonly Packet[], shape: RegExp): KeyReason | null {
  const tags = packets.map(({ tag }) => tag);
  if (shape.test(tags.join(','))) return null;
  const [primary, subkey] = shape === publicShape ? [TAG.publicKey, TAG.publicSubkey] : [TAG.secretKey, TAG.secretSubkey];
  if (shape === publicShape && tags.some((tag) => tag === TAG.secretKey || tag === TAG.secretSubkey)) return 'private';
  if (tags[0] !== primary) return 'not-a-key';
  if (tags.filter((tag) => tag === primary).length > 1) return 'not-one-key';
  const subkeys = tags.filter((tag) => tag === subkey).length;
  if (subkeys === 0 || subkeys > 2) return 'subkeys';
  return tags.filter((tag) => tag === TAG.userId).length === 1 ? 'not-one-key' : 'user-ids';
}

/** Primary key and subkeys: on Curve25519, of honest order, one to encrypt to and at most one more to sign with. */
function materialProblem(bodies: readonly Uint8Array[]): KeyReason | null {
  const materials = bodies.map(materialOf);
  if (materials.some((material) => material === null) || materials[0]?.use !== 'sign') return 'algorithm';
  if (materials.filter((material) => material?.use === 'encrypt').length !== 1) return 'subkeys';
  return materials.some((material) => material !== null && isWeakPoint(material)) ? 'small-order' : null;
}

const isRevocable = (key: openpgp.Key): boolean =>
  key.revocationSignatures.length > 0 ||
  key.users.some((user) => user.revocationSignatures.length > 0) ||
  key.subkeys.some((subkey) => subkey.revocationSignatures.length > 0);

async function selfSignatureProblem(key: openpgp.Key): Promise<KeyReason | null> {
  const [user] = key.users;
  if (user === undefined || user.selfCertifications.length !== 1 || key.subkeys.some((subkey) => subkey.bindingSignatures.length !== 1)) {
    return 'self-signature';
  }
  try {
    const signing = await key.getSigningKey(undefined, null);
    const encryption = await key.getEncryptionKey(undefined, null);
    const used = new Set([fingerprintOfKey(key), signing.getFingerprint(), encryption.getFingerprint()]);
    return key.getKeys().every((part) => used.has(part.getFingerprint())) ? null : 'self-signature';
  } catch {
    return 'self-signature';
  }
}

/** Reads one armored public key and holds it against every rule under "Keys" in specs/protocol/statements.md. */
export async function readPublicKey(armor: string): Promise<Result<PublicKey, KeyReason>> {
  if (armor.length > LIMITS.armorBytes) return fail('too-large');
  if (armor.includes('PRIVATE KEY BLOCK')) return fail('private');
  const bytes = dearmor('PUBLIC KEY BLOCK', armor);
  const packets = bytes && readPackets(bytes);
  if (bytes === null || packets === null) return fail('not-a-key');
  const keys = packets.filter(({ tag }) => tag === TAG.publicKey || tag === TAG.publicSubkey);
  const early = shapeProblem(packets, publicShape) ?? materialProblem(keys.map(({ body }) => body));
  if (early !== null) return fail(early);
  try {
    const key = await openpgp.readKey({ binaryKey: bytes });
    if (isRevocable(key)) return fail('revoked');
    const problem = await selfSignatureProblem(key);
    if (problem !== null) return fail(problem);
    return ok({ fingerprint: fingerprintOfKey(key), armor, [handle]: key as openpgp.PublicKey });
  } catch {
    return fail('not-a-key');
  }
}

async function asPrivate(key: openpgp.PrivateKey): Promise<Result<PrivateKey, KeyReason>> {
  const publicKey = await readPublicKey(key.toPublic().armor());
  if (!publicKey.ok) return publicKey;
  return ok({ fingerprint: publicKey.value.fingerprint, publicKey: publicKey.value, armor: key.armor(), [handle]: key });
}

/**
 * A new key: Ed25519 with one X25519 subkey, in the encodings that gpg 2.2 opens.
 * @param dateMs the server's time; the key is dated an hour earlier, so that no clock finds its signatures too early
 */
export async function generatePrivateKey(dateMs: number): Promise<PrivateKey> {
  const { privateKey } = await openpgp.generateKey({
    type: 'ecc',
    curve: 'curve25519Legacy',
    userIDs: [{ name: USER_ID }],
    date: new Date(dateMs - HOUR_MS),
    format: 'object',
  });
  const made = await asPrivate(privateKey);
  if (!made.ok) throw new Error(`a generated key was refused: ${made.reason}`);
  return made.value;
}

async function parsePrivate(armor: string): Promise<Result<openpgp.PrivateKey, KeyReason>> {
  if (armor.length > 2 * LIMITS.armorBytes) return fail('too-large');
  const bytes = dearmor('PRIVATE KEY BLOCK', armor);
  const packets = bytes && readPackets(bytes);
  if (bytes === null || packets === null) return fail('not-a-key');
  const early = shapeProblem(packets, privateShape);
  if (early !== null) return fail(early);
  try {
    return ok(await openpgp.readPrivateKey({ binaryKey: bytes }));
  } catch {
    return fail('not-a-key');
  }
}

/** Reads one private key that is not protected by a passphrase. Its public half must pass every rule of `readPublicKey`. */
export async function readPrivateKey(armor: string): Promise<Result<PrivateKey, KeyReason | 'protected'>> {
  const key = await parsePrivate(armor);
  if (!key.ok) return key;
  return key.value.isDecrypted() ? asPrivate(key.value) : fail('protected');
}

/** The private key's armor under a passphrase (iterated S2K, which gpg opens). */
export async function protectPrivateKey(key: PrivateKey, passphrase: string): Promise<string> {
  return (await openpgp.encryptKey({ privateKey: key[handle], passphrase })).armor();
}

/** The reverse of `protectPrivateKey`; a wrong passphrase is `passphrase`. */
export async function unprotectPrivateKey(armor: string, passphrase: string): Promise<Result<PrivateKey, KeyReason | 'passphrase'>> {
  const key = await parsePrivate(armor);
  if (!key.ok) return key;
  try {
    return await asPrivate(await openpgp.decryptKey({ privateKey: key.value, passphrase }));
  } catch {
    return fail('passphrase');
  }
}

/** A detached binary signature in normal form, dated `dateMs` (the server's time). */
export async function signDetached(bytes: Uint8Array, key: PrivateKey, dateMs: number): Promise<string> {
  const message = await openpgp.createMessage({ binary: bytes });
  const signature = await openpgp.sign({
    message,
    signingKeys: key[handle],
    detached: true,
    format: 'object',
    date: new Date(dateMs),
  });
  return normalForm(signature.packets[0] as openpgp.SignaturePacket).armor();
}

function normalForm(packet: openpgp.SignaturePacket): openpgp.Signature {
  packet.unhashedSubpackets = [];
  const packets = new openpgp.PacketList<openpgp.SignaturePacket>();
  packets.push(packet);
  return new openpgp.Signature(packets);
}

async function readSignature(armor: string): Promise<Result<openpgp.Signature, SignatureReason>> {
  if (armor.length > LIMITS.armorBytes) return fail('too-large');
  const bytes = dearmor('SIGNATURE', armor);
  const packets = bytes && readPackets(bytes);
  if (bytes === null || packets === null) return fail('not-a-signature');
  if (packets.length !== 1 || packets[0]?.tag !== TAG.signature) return fail('not-one-signature');
  try {
    const { packets: read } = await openpgp.readSignature({ binarySignature: bytes });
    const [packet] = read;
    if (packet === undefined || read.length !== 1) return fail('not-one-signature');
    if (packet.version !== 4) return fail('not-a-signature');
    if (packet.signatureType !== openpgp.enums.signature.binary) return fail('not-binary');
    if (packet.getExpirationTime() !== Number.POSITIVE_INFINITY) return fail('expires');
    // Read back from its own bytes: what is verified is what will be stored.
    const normal = normalForm(packet).write() as Uint8Array;
    return normal.length > LIMITS.signatureBytes ? fail('too-large') : ok(await openpgp.readSignature({ binarySignature: normal }));
  } catch {
    return fail('not-a-signature');
  }
}

/**
 * Verifies a detached signature of `bytes` by `key` or its signing subkey, whatever its date.
 * @returns the signature's normal form, armored: the only spelling to store and to pass on
 */
export async function verifyDetached(bytes: Uint8Array, armor: string, key: PublicKey): Promise<Result<string, SignatureReason>> {
  const signature = await readSignature(armor);
  if (!signature.ok) return signature;
  try {
    const message = await openpgp.createMessage({ binary: bytes });
    const { signatures } = await openpgp.verify({
      message,
      signature: signature.value,
      verificationKeys: key[handle],
      format: 'binary',
      date: null,
    });
    // The library gives an empty list, and throws nothing, for what it does not take for a signature.
    const [only] = signatures;
    if (only === undefined || signatures.length !== 1 || !(await only.verified)) return fail('bad-signature');
    return ok(signature.value.armor());
  } catch {
    return fail('bad-signature');
  }
}

const ascii = new TextEncoder();

/** Encrypts to the recipient's encryption subkey alone, uncompressed, unsigned; the bytes are ASCII armor. */
export async function encryptTo(bytes: Uint8Array, recipient: PublicKey): Promise<Uint8Array<ArrayBuffer>> {
  const message = await openpgp.createMessage({ binary: bytes, date: EPOCH });
  return ascii.encode(await openpgp.encrypt({ message, encryptionKeys: recipient[handle], date: ANY_TIME }));
}

/** The key id that a session key packet (version 3) is for, in hexadecimal; null for other versions. */
function recipientOf({ body }: Packet): string | null {
  if (body[0] !== 3 || body.length < 10) return null;
  return Array.from(body.subarray(1, 9), (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** Exactly one session key of the expected kind and one integrity-protected packet, looked at before anything is decrypted. */
function readEnvelope(armor: string, sessionKeyTag: number): Result<{ bytes: Uint8Array; sessionKey: Packet }, MessageReason> {
  const bytes = dearmor('MESSAGE', armor);
  const packets = bytes && readPackets(bytes);
  if (bytes === null || packets === null) return fail('not-a-message');
  const [sessionKey, content] = packets;
  if (packets.length !== 2 || sessionKey?.tag !== sessionKeyTag) return fail('not-a-message');
  if (content?.tag !== TAG.integrityProtected || content.body[0] !== 1) return fail('not-a-message');
  return ok({ bytes, sessionKey });
}

type Keyring = Pick<openpgp.DecryptOptions, 'decryptionKeys' | 'passwords'>;

async function decryptEnvelope(bytes: Uint8Array, keyring: Keyring): Promise<Result<Uint8Array, MessageReason>> {
  try {
    const message = await openpgp.readMessage({ binaryMessage: bytes });
    const { data } = await openpgp.decrypt({ message, format: 'binary', ...keyring });
    return data instanceof Uint8Array ? ok(data) : fail('undecryptable');
  } catch {
    return fail('undecryptable');
  }
}

/** Opens an armored message that is encrypted to one of our keys and to nobody else. */
export async function decryptWith(ciphertext: Uint8Array, keys: readonly PrivateKey[]): Promise<Result<Uint8Array, MessageReason>> {
  if (ciphertext.length > LIMITS.relayResponseBytes) return fail('too-large');
  const envelope = readEnvelope(new TextDecoder('latin1').decode(ciphertext), TAG.encryptedSessionKey);
  if (!envelope.ok) return envelope;
  const { bytes, sessionKey } = envelope.value;
  const recipient = recipientOf(sessionKey);
  const key = keys.find((candidate) => candidate[handle].subkeys.some((subkey) => subkey.getKeyID().toHex() === recipient));
  return key === undefined ? fail('not-for-us') : decryptEnvelope(bytes, { decryptionKeys: key[handle] });
}

/** An armored message under a passphrase (iterated S2K, AES-256): a backup that gpg opens. */
export async function encryptWithPassphrase(bytes: Uint8Array, passphrase: string): Promise<string> {
  const message = await openpgp.createMessage({ binary: bytes, date: EPOCH });
  return openpgp.encrypt({ message, passwords: passphrase });
}

/** The reverse of `encryptWithPassphrase`; a wrong passphrase and a damaged message look alike: `undecryptable`. */
export async function decryptWithPassphrase(armor: string, passphrase: string): Promise<Result<Uint8Array, MessageReason>> {
  if (armor.length > LIMITS.backupBytes) return fail('too-large');
  const envelope = readEnvelope(armor, TAG.passwordSessionKey);
  return envelope.ok ? decryptEnvelope(envelope.value.bytes, { passwords: passphrase }) : envelope;
}
