// The judgement on a delivered copy: each fault by its own reason, and none of the wrong one.
import { beforeAll, describe, expect, test } from 'vitest';
import { uuidv7 } from '../../src/base/ids.ts';
import { checkCopy } from '../../src/client/check-copy.ts';
import type { KeyRing } from '../../src/client/key-ring.ts';
import { memoryKeySafe, openKeyRing } from '../../src/client/memory-key-ring.ts';
import { generatePrivateKey, type PrivateKey, readPublicKey } from '../../src/crypto/openpgp.ts';
import { bodyHash, sealCopy } from '../../src/crypto/seal.ts';
import { countersign, signStatement, type VerifyContext } from '../../src/crypto/statement.ts';
import { makeReedId, serverIdFromFingerprint, serverKeyId, type UserId, userIdFromFingerprint, userKeyId } from '../../src/wire/address.ts';
import type { Body } from '../../src/wire/body.ts';
import { mentionsOf, tagsOf } from '../../src/wire/claims.ts';
import { printTime } from '../../src/wire/kinds.ts';
import { heading, type StatementOf } from '../../src/wire/statements.ts';
import { countingRandom } from '../support/sdk-parts.ts';

const NOW = Date.UTC(2026, 0, 1);
const HOUR = 3_600_000;

const makeWorld = async () => {
  const [serverKey, authorKey, strangerKey] = await Promise.all([1, 2, 3].map(() => generatePrivateKey(NOW - HOUR)));
  if (!serverKey || !authorKey || !strangerKey) throw new Error('no keys');
  const server = await serverIdFromFingerprint(serverKey.fingerprint);
  const author = await userIdFromFingerprint(authorKey.fingerprint, server);
  const keyId = userKeyId(author, authorKey.fingerprint);
  const serverKeyOf = serverKeyId(serverKey.fingerprint, server);
  const ring = await openKeyRing(memoryKeySafe());
  const reader = await readPublicKey((await ring.make(NOW)).armor);
  if (!reader.ok) throw new Error('no reader');
  const context: VerifyContext = {
    now: NOW,
    keys: {
      userKey: async (id) => (id === keyId ? { id, publicKey: authorKey.publicKey } : null),
      serverKey: async (id) => (id === serverKeyOf ? { id, publicKey: serverKey.publicKey } : null),
    },
  };
  return { server, serverKey, serverKeyOf, author, authorKey, strangerKey, keyId, ring, reader: reader.value, context };
};

type World = Awaited<ReturnType<typeof makeWorld>>;
let world: World;
beforeAll(async () => {
  world = await makeWorld();
});

const bodyOf = (text: string): Body => ({ text, createdAt: printTime(NOW), salt: 'AAAAAAAAAAAAAAAAAAAAAA' });

type Making = {
  body?: Body;
  statement?: Partial<StatementOf<'reed'>>;
  signer?: PrivateKey;
  countersigner?: PrivateKey;
  signedAtMs?: number;
};

const make = async (making: Making = {}) => {
  const { server, serverKey, serverKeyOf, author, authorKey, keyId } = world;
  const body = making.body ?? bodyOf('hello #reeds');
  const statement: StatementOf<'reed'> = {
    ...heading('reed'),
    id: makeReedId(author, uuidv7(NOW, countingRandom)),
    author,
    key: keyId,
    bodyHash: await bodyHash(body),
    tags: tagsOf(body.text),
    mentions: mentionsOf(body.text),
    ...making.statement,
  };
  const signed = await signStatement(statement, [{ key: making.signer ?? authorKey, keyId }], NOW);
  const certificate = await countersign<'reed'>(signed, {
    serverKey: making.countersigner ?? serverKey,
    serverKeyId: serverKeyOf,
    server,
    seq: 3,
    signedAt: printTime(making.signedAtMs ?? NOW),
  });
  return { certificate, body, id: statement.id };
};

const judge = async (copy: { certificate: object; body: Body; id: ReturnType<typeof makeReedId> }, keyRing: KeyRing = world.ring) =>
  checkCopy(await sealCopy({ certificate: copy.certificate, body: copy.body }, world.reader), copy.id, { keyRing, context: world.context });

describe('a copy', () => {
  test('that is what it should be is accepted, certificate and body', async () => {
    const copy = await make();
    expect(await judge(copy)).toEqual({ ok: true, value: { certificate: copy.certificate, body: copy.body } });
  });

  test('for somebody else, or no message at all, is undecryptable', async () => {
    const other = await openKeyRing(memoryKeySafe());
    await other.make(NOW);
    expect(await judge(await make(), other)).toMatchObject({ ok: false, reason: 'UNDECRYPTABLE' });
    const { id } = await make();
    const noise = await checkCopy(new Uint8Array([1, 2, 3]), id, { keyRing: world.ring, context: world.context });
    expect(noise).toMatchObject({ ok: false, reason: 'UNDECRYPTABLE' });
  });

  test('of another reed is told as such, however good it is', async () => {
    const [copy, other] = [await make(), await make()];
    expect(await judge({ ...copy, id: other.id })).toMatchObject({ ok: false, reason: 'OTHER_REED' });
  });

  test('signed by somebody else has a bad signature', async () => {
    expect(await judge(await make({ signer: world.strangerKey }))).toMatchObject({ ok: false, reason: 'BAD_SIGNATURE' });
  });

  test('whose body was changed has a bad signature', async () => {
    const copy = await make();
    expect(await judge({ ...copy, body: bodyOf('hello, changed #reeds') })).toMatchObject({ ok: false, reason: 'BAD_SIGNATURE' });
    const extra = { ...copy.body, more: 'x' } as Body;
    expect(await judge({ ...copy, body: extra })).toMatchObject({ ok: false, reason: 'BAD_SIGNATURE' });
  });

  test('under a key that is not the author’s on any chain has a bad signature', async () => {
    const key = userKeyId(world.author, world.strangerKey.fingerprint);
    expect(await judge(await make({ statement: { key }, signer: world.strangerKey }))).toMatchObject({ ok: false });
  });

  test('countersigned by another key, for another statement or in the future has a bad certificate', async () => {
    expect(await judge(await make({ countersigner: world.strangerKey }))).toMatchObject({ reason: 'BAD_CERTIFICATE' });
    expect(await judge(await make({ signedAtMs: NOW + HOUR }))).toMatchObject({ reason: 'BAD_CERTIFICATE' });
    const [copy, other] = [await make(), await make()];
    const swapped = { ...copy.certificate, countersignature: other.certificate.countersignature };
    expect(await judge({ ...copy, certificate: swapped })).toMatchObject({ reason: 'BAD_CERTIFICATE' });
    const { countersignature: _gone, ...bare } = copy.certificate;
    expect(await judge({ ...copy, certificate: bare })).toMatchObject({ reason: 'BAD_CERTIFICATE' });
  });

  test.each([
    ['a tag that is not in the text', { tags: ['elsewhere'] }],
    ['no tag though there is one', { tags: [] }],
    ['a mention of nobody named', { mentions: [`${'a'.repeat(16)}@${'b'.repeat(16)}` as UserId] }],
  ])('that claims %s is the author’s fault', async (_name, statement) => {
    expect(await judge(await make({ statement }))).toMatchObject({ ok: false, reason: 'CLAIM_MISMATCH' });
  });

  test('longer than a reed may be is the author’s fault', async () => {
    expect(await judge(await make({ body: bodyOf('x'.repeat(5_001)) }))).toMatchObject({ ok: false, reason: 'CLAIM_MISMATCH' });
  });
});
