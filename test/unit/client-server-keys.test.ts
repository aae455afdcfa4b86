// New keys of a server at a member's device: they count three days after they can have been announced, and until then nothing that they sign is
// believed. Real keys, chains and documents; only HTTP is scripted.
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { base64url } from '../../src/base/ids.ts';
import { Api } from '../../src/client/api.ts';
import { MemoryStore } from '../../src/client/memory-store.ts';
import { PinnedServer } from '../../src/client/server.ts';
import { ServerTime } from '../../src/client/server-time.ts';
import { signStatement } from '../../src/crypto/statement.ts';
import { type ServerKeyId, serverKeyId } from '../../src/wire/address.ts';
import { printTime } from '../../src/wire/kinds.ts';
import { heading } from '../../src/wire/statements.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { examples, type KeyName, makeKeys, makeWorld, type World } from '../support/statements.ts';

const NOW = 1_800_000_000_000;
const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const code = (value: string) => expect.objectContaining({ code: value });

let world: World;
let transport: string;
const idOf = (name: KeyName): ServerKeyId => serverKeyId(world.keys[name].fingerprint, world.server);
const signer = (name: KeyName) => ({ key: world.keys[name], keyId: idOf(name) });

beforeAll(async () => {
  world = await makeWorld(await makeKeys(NOW), NOW);
  const pair = (await crypto.subtle.generateKey('Ed25519', true, ['sign', 'verify'])) as CryptoKeyPair;
  transport = base64url(new Uint8Array(await crypto.subtle.exportKey('raw', pair.publicKey)));
});

/** The server's document with these keys, the first one first, signed by one of them. */
async function documentOf(names: readonly KeyName[], by: KeyName, serial: number, atMs = NOW) {
  const keys: object[] = [];
  for (const [at, name] of names.entries()) {
    const before = names[at - 1];
    const { armor } = world.keys[name].publicKey;
    const link = { ...heading('server-key'), server: world.server, key: idOf(name), armor };
    const statement = before === undefined ? link : { ...link, predecessor: idOf(before) };
    const signed = await signStatement(statement, before === undefined ? [signer(name)] : [signer(name), signer(before)], NOW);
    const [own, predecessor] = signed.signatures;
    keys.push({
      key: idOf(name),
      armor,
      signature: own?.signature,
      ...(predecessor ? { predecessorSignature: predecessor.signature } : {}),
    });
  }
  const document = examples(world, { signature: '', transport })['server-document'];
  const dates = { issuedAt: printTime(atMs), expiresAt: printTime(atMs + 90 * DAY) };
  return signStatement({ ...document, ...dates, serial, keys } as typeof document, [signer(by)], atMs);
}

let clock: ManualClock;
let store: MemoryStore;
let shown: unknown;
beforeEach(() => {
  clock = new ManualClock(NOW);
  store = new MemoryStore();
});

/** The server as the device knows it after a start. */
const started = (): PinnedServer => {
  const time = new ServerTime(clock);
  const answer = () => Response.json({ id: world.server, document: shown, time: printTime(clock.now()), signup: 'open' });
  return new PinnedServer(world.server, { api: new Api('http://reeds.example', async () => answer(), time), store, time });
};

/** The same of another server than the member's own, as that one shows it; and how often it was asked. */
const met = (): { server: PinnedServer; asked: () => number } => {
  const time = new ServerTime(clock);
  let asked = 0;
  const other = async () => {
    asked++;
    return shown;
  };
  const api = new Api('http://reeds.example', async () => Response.error(), time);
  return { server: new PinnedServer(world.server, { api, store, time, shown: other }), asked: () => asked };
};

const show = async (names: readonly KeyName[], by: KeyName, serial: number): Promise<PinnedServer> => {
  shown = await documentOf(names, by, serial);
  return started();
};

describe('a key that a server announces', () => {
  test('counts after three days, and the one before it all the while', async () => {
    await (await show(['server'], 'server', 1)).info();
    const server = await show(['server', 'second'], 'server', 2);
    expect((await server.info()).keys).toEqual([idOf('server')]);
    clock.advance(3 * DAY - 1_000);
    expect(await started().key(idOf('server'))).toMatchObject({ id: idOf('server') });
    await expect(started().key(idOf('second'))).rejects.toThrow(code('UNAVAILABLE'));
    clock.advance(1_000);
    expect(await started().key(idOf('second'))).toMatchObject({ id: idOf('second') });
    expect((await started().info()).keys).toEqual([idOf('server'), idOf('second')]);
  });

  test('speaks for the server no sooner: its document is not taken', async () => {
    await (await show(['server'], 'server', 1)).info();
    await expect((await show(['server', 'second'], 'second', 2)).info()).rejects.toThrow(code('INVALID'));
    expect(await started().key(idOf('server'))).toMatchObject({ id: idOf('server') });
    clock.advance(3 * DAY);
    expect((await started().info()).document.serial).toBe(2);
  });

  test('counts at once for a device that saw nothing of the server for so long', async () => {
    await (await show(['server'], 'server', 1)).info();
    clock.advance(4 * DAY);
    expect((await (await show(['server', 'second'], 'second', 2)).info()).keys).toEqual([idOf('server'), idOf('second')]);
  });

  test('may be taken back before it counts, and not after', async () => {
    await (await show(['server'], 'server', 1)).info();
    await (await show(['server', 'second'], 'server', 2)).info();
    clock.advance(DAY);
    await (await show(['server', 'other'], 'server', 3)).info();
    clock.advance(3 * DAY);
    expect(await started().key(idOf('other'))).toMatchObject({ id: idOf('other') });
    await expect((await show(['server', 'second'], 'server', 4)).info()).rejects.toThrow(code('INVALID'));
  });

  test('that is there when the server is met counts if it speaks for it', async () => {
    expect((await (await show(['server', 'second'], 'second', 5)).info()).keys).toEqual([idOf('server'), idOf('second')]);
  });
});

describe('a document that has run out', () => {
  test('is asked for anew of one’s own server, also by a device that was on all the while', async () => {
    const server = await show(['server'], 'server', 1);
    await server.info();
    clock.advance(100 * DAY);
    await expect(server.key(idOf('server'))).rejects.toThrow(code('INVALID'));
    shown = await documentOf(['server'], 'server', 2, clock.now());
    expect(await server.key(idOf('server'))).toMatchObject({ id: idOf('server') });
    expect((await started().info()).document.serial).toBe(2);
  });

  test('proves what was signed at another server, which may be gone for good', async () => {
    shown = await documentOf(['server'], 'server', 1);
    expect(await met().server.key(idOf('server'))).toMatchObject({ id: idOf('server') });
    clock.advance(100 * DAY);
    expect(await met().server.key(idOf('server'))).toMatchObject({ id: idOf('server') });
    store = new MemoryStore();
    expect(await met().server.key(idOf('server'))).toMatchObject({ id: idOf('server') });
  });
});

test('many who need the keys of a server that was not seen yet ask once', async () => {
  shown = await documentOf(['server'], 'server', 1);
  const { server, asked } = met();
  await Promise.all(Array.from({ length: 20 }, () => server.key(idOf('server'))));
  expect(asked()).toBe(1);
});
