// Writes specs/vectors: run it by hand after a change that is meant to change the wire, and read the difference before committing it.
// Running it without such a change writes the same files again; tests only read them.
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { base64url, fromBase64url } from '../src/base/ids.ts';
import { generatePrivateKey, readPrivateKey } from '../src/crypto/openpgp.ts';
import { examples, KEY_NAMES, type Keys, makeWorld } from '../test/support/statements.ts';
import { checkVectors, VECTOR_FILES, type Vectors } from '../test/support/vectors.ts';
import { certificateVectors, Maker } from './vectors/certificates.ts';
import { Memory } from './vectors/memory.ts';
import { copyVectors, openpgpVectors } from './vectors/openpgp.ts';
import { canonicalVectors, frameVectors, idVectors, statementVectors } from './vectors/plain.ts';

const FOLDER = join(import.meta.dirname, '../specs/vectors');
const NOW = Date.UTC(2026, 0, 1);

async function readKeys(memory: Memory): Promise<Keys> {
  const keys = [];
  for (const name of KEY_NAMES) {
    const key = await readPrivateKey(await memory.privateKey(name, async () => (await generatePrivateKey(NOW)).armor));
    if (!key.ok) throw new Error(`test key ${name}: ${key.reason}`);
    keys.push([name, key.value] as const);
  }
  return Object.fromEntries(keys) as Keys;
}

async function readTransport(memory: Memory) {
  const pkcs8 = await memory.privateKey('transport', async () => {
    const made = (await crypto.subtle.generateKey('Ed25519', true, ['sign', 'verify'])) as CryptoKeyPair;
    return base64url(new Uint8Array(await crypto.subtle.exportKey('pkcs8', made.privateKey)));
  });
  const privateKey = await crypto.subtle.importKey('pkcs8', fromBase64url(pkcs8) ?? new Uint8Array(0), 'Ed25519', true, ['sign']);
  const { x } = await crypto.subtle.exportKey('jwk', privateKey);
  return { pkcs8, publicKey: x ?? '', keyPair: { privateKey } as CryptoKeyPair };
}

const memory = await Memory.read(FOLDER, [...VECTOR_FILES, 'test-keys']);
const keys = await readKeys(memory);
const transport = await readTransport(memory);
const world = await makeWorld(keys, NOW);
const maker = new Maker(world, memory);
const own = await maker.sign(examples(world)['server-key'], maker.server);
const ownKey = { signature: own.signatures[0]?.signature ?? '', transport: transport.publicKey };

const vectors: Vectors = {
  ids: await idVectors(),
  canonical: await canonicalVectors(),
  statements: await statementVectors(world, ownKey),
  certificates: await certificateVectors(world, memory, transport),
  openpgp: await openpgpVectors(world, memory),
  copies: await copyVectors(world, memory),
  frames: frameVectors(),
};
const failures = await checkVectors(vectors);
if (failures.length > 0) throw new Error(`the vectors do not hold:\n${failures.join('\n')}`);

const testKeys = { ...Object.fromEntries(KEY_NAMES.map((name) => [name, keys[name].armor])), transport: transport.pkcs8 };
await mkdir(FOLDER, { recursive: true });
for (const [name, content] of Object.entries({ ...vectors, 'test-keys': testKeys })) {
  await writeFile(join(FOLDER, `${name}.json`), `${JSON.stringify(content, null, 2)}\n`);
}
process.stdout.write(`wrote ${Object.keys(vectors).length + 1} files to specs/vectors\n`);
