// Somebody who calls and answers as a server does: an id, a transport key, and both halves of it for whoever signs with another library.
import { generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';
import { base32 } from '../../src/base/ids.ts';
import type { TransportKeys, TransportSigner } from '../../src/federation/signature.ts';
import type { ServerId } from '../../src/wire/address.ts';

export type ServerKeys = {
  readonly id: ServerId;
  readonly kid: string;
  readonly signer: TransportSigner;
  /** As others know them. */
  readonly keys: TransportKeys;
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
};

export function makeServerKeys(id = base32(randomBytes(10)) as ServerId, kid = base32(randomBytes(10))): ServerKeys {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const { x = '' } = publicKey.export({ format: 'jwk' });
  const signer = { keyId: `${id}#${kid}`, sign: (bytes: Uint8Array) => sign(null, bytes, privateKey) };
  return { id, kid, signer, keys: new Map([[kid, x]]), privateKey, publicKey };
}
