// What the frozen vectors hold already. Keys, signatures and ciphertexts are random: whatever still fits is taken from the files,
// so that writing them again changes nothing. A new signature is made only for bytes that none of the old ones signs.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type PrivateKey, signDetached, verifyDetached } from '../../src/crypto/openpgp.ts';

type Json = string | number | boolean | null | readonly Json[] | { readonly [name: string]: Json };

export class Memory {
  readonly #files: ReadonlyMap<string, Json>;
  readonly #signatures = new Set<string>();

  private constructor(files: ReadonlyMap<string, Json>) {
    this.#files = files;
    for (const file of files.values()) this.#collect(file);
  }

  static async read(folder: string, names: readonly string[]): Promise<Memory> {
    const files = new Map<string, Json>();
    for (const name of names) {
      const text = await readFile(join(folder, `${name}.json`), 'utf8').catch(() => null);
      if (text !== null) files.set(name, JSON.parse(text) as Json);
    }
    return new Memory(files);
  }

  #collect(value: Json): void {
    if (typeof value === 'string') {
      if (value.startsWith('-----BEGIN PGP SIGNATURE')) this.#signatures.add(value);
    } else if (typeof value === 'object' && value !== null) for (const inner of Object.values(value)) this.#collect(inner);
  }

  /** An old signature of these bytes by this key, or a new one. */
  async sign(bytes: Uint8Array, key: PrivateKey, dateMs: number): Promise<string> {
    for (const signature of this.#signatures) {
      const verified = await verifyDetached(bytes, signature, key.publicKey);
      if (verified.ok && verified.value === signature) return signature;
    }
    const made = await signDetached(bytes, key, dateMs);
    this.#signatures.add(made);
    return made;
  }

  /** The text kept in `file` for the entry called `name` of a list, in its field; made if there is none. */
  async keep(place: { file: string; list: string; name: string; field: string }, make: () => Promise<string>): Promise<string> {
    const list = (this.#files.get(place.file) as { readonly [list: string]: Json } | undefined)?.[place.list];
    const entry = Array.isArray(list) ? list.find((item: Json) => (item as { name?: string }).name === place.name) : undefined;
    const kept = (entry as { readonly [field: string]: Json } | undefined)?.[place.field];
    return typeof kept === 'string' ? kept : make();
  }

  /** A private key kept in test-keys.json, or a new one. */
  async privateKey(name: string, make: () => Promise<string>): Promise<string> {
    const kept = (this.#files.get('test-keys') as { readonly [name: string]: Json } | undefined)?.[name];
    return typeof kept === 'string' ? kept : make();
  }
}
