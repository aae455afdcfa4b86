// Secrets at rest: sealed with AES-GCM under a key that WebCrypto will not export, so that a copy of the database files alone
// opens nothing. The sealing key is made once per profile and never leaves the browser.
import type { Database } from './database.ts';

/** keys: the member's private keys. backup: one that was made and is not saved yet, with its words. */
type SecretName = 'keys' | 'backup';

const SEALING_KEY = 'sealing-key';
const IV_BYTES = 12;

const nameBytes = (name: SecretName) => new TextEncoder().encode(`reedbed ${name}`);

async function sealingKey(database: Database): Promise<CryptoKey> {
  const known = await database.get('secrets', SEALING_KEY);
  if (known instanceof CryptoKey) return known;
  const made = await crypto.subtle.generateKey({ name: 'AES-GCM', length: 256 }, false, ['encrypt', 'decrypt']);
  await database.put('secrets', made, SEALING_KEY);
  return made;
}

/** Seals and stores a secret under its name, replacing what was there. */
export async function putSecret(database: Database, name: SecretName, value: unknown): Promise<void> {
  const iv = crypto.getRandomValues(new Uint8Array(IV_BYTES));
  const bytes = new TextEncoder().encode(JSON.stringify(value));
  const key = await sealingKey(database);
  const sealed = await crypto.subtle.encrypt({ name: 'AES-GCM', iv, additionalData: nameBytes(name) }, key, bytes);
  await database.put('secrets', { iv, sealed }, name);
}

export const deleteSecret = (database: Database, name: SecretName): Promise<void> => database.delete('secrets', name);

/** The secret of this name, or null if there is none. Rejects if it does not open. */
export async function getSecret(database: Database, name: SecretName): Promise<unknown> {
  const record = await database.get('secrets', name);
  if (record === undefined || record instanceof CryptoKey) return null;
  const key = await sealingKey(database);
  const algorithm = { name: 'AES-GCM', iv: record.iv, additionalData: nameBytes(name) };
  return JSON.parse(new TextDecoder().decode(await crypto.subtle.decrypt(algorithm, key, record.sealed)));
}
