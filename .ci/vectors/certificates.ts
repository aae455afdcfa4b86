// Certificates, chains, documents and welcomes, good ones and one for every reason to refuse one.
import { base64url } from '../../src/base/ids.ts';
import type { PrivateKey } from '../../src/crypto/openpgp.ts';
import { signWelcome } from '../../src/crypto/server-document.ts';
import { type ServerKeyId, serverKeyId, type UserId } from '../../src/wire/address.ts';
import { type Certificate, canonicalBytes, type Signed, statementHash } from '../../src/wire/canonical.ts';
import { printTime } from '../../src/wire/kinds.ts';
import { heading, type Statement, type StatementOf, type UserStatementType } from '../../src/wire/statements.ts';
import { examples, type World } from '../../test/support/statements.ts';
import type { CertificateVectors } from '../../test/support/vectors.ts';
import type { Memory } from './memory.ts';

type Signer = { readonly key: PrivateKey; readonly keyId: string };
type Loose = {
  statement: Record<string, unknown>;
  signatures: { key: string; signature: string }[];
  countersignature: Record<string, unknown>;
};
type Transport = { readonly keyPair: CryptoKeyPair; readonly publicKey: string };

export class Maker {
  readonly world: World;
  readonly #memory: Memory;

  constructor(world: World, memory: Memory) {
    this.world = world;
    this.#memory = memory;
  }

  get member(): Signer {
    return { key: this.world.keys.member, keyId: this.world.key };
  }

  get second(): Signer {
    return { key: this.world.keys.second, keyId: this.world.secondKey };
  }

  get server(): Signer {
    return { key: this.world.keys.server, keyId: this.world.serverKey };
  }

  bytes(statement: object): Uint8Array<ArrayBuffer> {
    const bytes = canonicalBytes(statement);
    if (!bytes.ok) throw new Error(`no canonical bytes: ${bytes.reason}`);
    return bytes.value;
  }

  async sign<T extends Statement>(statement: T, ...signers: readonly Signer[]): Promise<Signed<T>> {
    const signatures = [];
    for (const { key, keyId } of signers) {
      signatures.push({ key: keyId, signature: await this.#memory.sign(this.bytes(statement), key, this.world.nowMs) });
    }
    return { statement, signatures };
  }

  async certify<T extends UserStatementType>(
    signed: Signed<StatementOf<T>>,
    change: Partial<StatementOf<'countersignature'>> = {},
    by: Signer = this.server,
  ): Promise<Certificate<StatementOf<T>>> {
    const subject = signed.statement as unknown as StatementOf<UserStatementType>;
    const statement: StatementOf<'countersignature'> = {
      ...heading('countersignature'),
      statementType: subject.type,
      statementHash: await statementHash(this.bytes(subject)),
      user: ('author' in subject ? subject.author : subject.user) as UserId,
      key: subject.key,
      server: this.world.server,
      serverKey: by.keyId as ServerKeyId,
      seq: 7,
      signedAt: printTime(this.world.nowMs),
      ...change,
    };
    return {
      ...signed,
      countersignature: { statement, signature: await this.#memory.sign(this.bytes(statement), by.key, this.world.nowMs) },
    };
  }

  /** What the member's statement of this type becomes. */
  async certificate<T extends UserStatementType>(statement: StatementOf<T>, change: Partial<StatementOf<'countersignature'>> = {}) {
    return this.certify<T>((await this.sign(statement as unknown as Statement, this.member)) as unknown as Signed<StatementOf<T>>, change);
  }
}

const BY_MEMBER = [
  'identity',
  'key',
  'key-revocation',
  'reed',
  'thread',
  'reed-removal',
  'thread-removal',
  'account-removal',
  'follow',
  'unfollow',
  'like',
  'unlike',
  'block',
  'unblock',
  'invite',
  'session',
  'admin-act',
] as const satisfies UserStatementType[];

async function accepted(maker: Maker): Promise<CertificateVectors['accepted']> {
  const { world } = maker;
  const all = examples(world);
  const made = [];
  for (const [at, type] of BY_MEMBER.entries()) {
    const certificate = await maker.certificate(all[type] as StatementOf<typeof type>, { seq: at + 1 });
    made.push({
      name: type,
      type,
      certificate,
      hash: await statementHash(maker.bytes(certificate.statement)),
      seq: at + 1,
      signedAtMs: world.nowMs,
    });
  }
  const recovery = { key: world.keys.recovery, keyId: world.recoveryKey };
  const withdrawal = await maker.certify<'account-removal-withdrawal'>(await maker.sign(all['account-removal-withdrawal'], recovery));
  const hash = await statementHash(maker.bytes(withdrawal.statement));
  return [
    ...made,
    { name: 'a removal withdrawn', type: 'account-removal-withdrawal', certificate: withdrawal, hash, seq: 7, signedAtMs: world.nowMs },
  ];
}

async function refused(maker: Maker): Promise<CertificateVectors['refused']> {
  const { world } = maker;
  const all = examples(world);
  const good = await maker.certificate<'reed'>(all.reed);
  const changed = (change: (certificate: Loose) => void): unknown => {
    const copy = structuredClone(good) as unknown as Loose;
    change(copy);
    return copy;
  };
  const serverSigned = { key: world.keys.other, keyId: world.serverKey };
  const unknownServerKey = { key: world.keys.other, keyId: serverKeyId(world.keys.other.fingerprint, world.server) };
  const signed = await maker.sign(all.reed, maker.member);
  const cases: [string, string, unknown][] = [
    ['with a field more', 'malformed', { ...good, more: 1 }],
    ['without a signature', 'malformed', { ...good, signatures: [] }],
    ['signed twice by one', 'wrong-signers', { ...good, signatures: [good.signatures[0], good.signatures[0]] }],
    ['with another text', 'bad-signature', changed(({ statement }) => Object.assign(statement, { tags: [] }))],
    ['of another type', 'other-type', changed(({ statement }) => Object.assign(statement, { type: 'thread' }))],
    ['of two people', 'wrong-person', changed(({ statement }) => Object.assign(statement, { key: world.otherKey }))],
    ['by an unknown key', 'unknown-key', changed(({ statement }) => Object.assign(statement, { key: world.secondKey }))],
    [
      'signed by somebody else',
      'bad-signature',
      await maker.certify<'reed'>(await maker.sign(all.reed, { key: world.keys.other, keyId: world.key })),
    ],
    [
      'with swapped signatures',
      'bad-signature',
      changed((c) => Object.assign(c.signatures[0] ?? {}, { signature: c.countersignature.signature })),
    ],
    [
      'with a swapped countersignature',
      'bad-countersignature',
      changed((c) => Object.assign(c.countersignature, { signature: c.signatures[0]?.signature })),
    ],
    ['countersigned as another type', 'other-statement', await maker.certify<'reed'>(signed, { statementType: 'thread' })],
    ['countersigned for another user', 'other-statement', await maker.certify<'reed'>(signed, { user: world.other, key: world.otherKey })],
    [
      'countersigned for another server',
      'other-server',
      await maker.certify<'reed'>(signed, { server: 'peerpeerpeerpeer' as World['server'] }),
    ],
    ['countersigned by an unknown key', 'unknown-server-key', await maker.certify<'reed'>(signed, {}, unknownServerKey)],
    ['countersigned by somebody else', 'bad-countersignature', await maker.certify<'reed'>(signed, {}, serverSigned)],
    ['with another seq', 'bad-countersignature', changed((c) => Object.assign(c.countersignature.statement as object, { seq: 8 }))],
    ['dated ahead', 'dated-ahead', await maker.certify<'reed'>(signed, { signedAt: printTime(world.nowMs + 300_001) })],
  ];
  return cases.map(([name, reason, certificate]) => ({ name, type: 'reed', certificate, reason }));
}

/** The member's next key, signed by both or by the recovery key. */
const nextKey = (world: World): StatementOf<'key'> => ({
  ...heading('key'),
  user: world.user,
  key: world.secondKey,
  armor: world.keys.second.publicKey.armor,
  recovery: world.keys.otherRecovery.fingerprint,
  predecessor: world.key,
});

async function signedOnly(maker: Maker): Promise<CertificateVectors['signed']> {
  const { world } = maker;
  const all = examples(world);
  const recovery = { key: world.keys.recovery, keyId: world.recoveryKey };
  const { predecessor: _, ...secondFirst } = nextKey(world);
  const recovered = { ...nextKey(world), recoveryArmor: world.keys.recovery.publicKey.armor };
  return [
    { name: 'a server key', type: 'server-key', signed: await maker.sign(all['server-key'], maker.server) },
    { name: 'a server key revoked', type: 'server-key-revocation', signed: await maker.sign(all['server-key-revocation'], maker.server) },
    { name: 'a peering', type: 'peering', signed: await maker.sign(all.peering, maker.server) },
    { name: 'a next key', type: 'key', signed: await maker.sign(nextKey(world), maker.second, maker.member) },
    { name: 'a next key by recovery', type: 'key', signed: await maker.sign(recovered, maker.second, recovery) },
    { name: 'a second first key', type: 'key', signed: await maker.sign(secondFirst, maker.second), reason: 'wrong-id' },
    { name: 'a next key by itself alone', type: 'key', signed: await maker.sign(nextKey(world), maker.second), reason: 'wrong-signers' },
    {
      name: 'a next key by recovery unnamed',
      type: 'key',
      signed: await maker.sign(nextKey(world), maker.second, recovery),
      reason: 'wrong-signers',
    },
    {
      name: 'another armor',
      type: 'key',
      signed: await maker.sign({ ...all.key, armor: world.keys.second.publicKey.armor }, maker.member),
      reason: 'wrong-id',
    },
  ];
}

async function chains(maker: Maker): Promise<CertificateVectors['chains']> {
  const { world } = maker;
  const all = examples(world);
  const first = await maker.certificate<'key'>(all.key, { seq: 1 });
  const revocation = await maker.certificate<'key-revocation'>(all['key-revocation'], { seq: 5 });
  const second = await maker.certify<'key'>(await maker.sign(nextKey(world), maker.second, maker.member), { seq: 6 });
  const { user } = world;
  return [
    { name: 'of one key', user, entries: [{ certificate: first }], keys: [world.key] },
    {
      name: 'of two keys',
      user,
      entries: [{ certificate: first, revocation }, { certificate: second }],
      keys: [world.key, world.secondKey],
    },
    { name: 'without its first key', user, entries: [{ certificate: second }], reason: 'unknown-key' },
    { name: 'without the revocation', user, entries: [{ certificate: first }, { certificate: second }], reason: 'broken-chain' },
    { name: 'of somebody else', user: world.other, entries: [{ certificate: first }], reason: 'broken-chain' },
  ];
}

async function documents(maker: Maker, transport: Transport): Promise<CertificateVectors['documents']> {
  const { world } = maker;
  const own = await maker.sign(examples(world)['server-key'], maker.server);
  const document = examples(world, { signature: own.signatures[0]?.signature ?? '', transport: transport.publicKey })['server-document'];
  const old = { ...document, issuedAt: printTime(world.nowMs - 91 * 86_400_000), expiresAt: printTime(world.nowMs) };
  const weak = { ...document, transportKeys: [{ kid: 'weak', publicKey: base64url(new Uint8Array(32)) }] };
  const { server } = world;
  return [
    { name: 'good', server, document: await maker.sign(document, maker.server) },
    { name: 'of another server', server: 'peerpeerpeerpeer', document: await maker.sign(document, maker.server), reason: 'other-server' },
    {
      name: 'by another key',
      server,
      document: await maker.sign(document, { key: world.keys.other, keyId: world.serverKey }),
      reason: 'bad-signature',
    },
    { name: 'that has ended', server, document: await maker.sign(old, maker.server), reason: 'expired' },
    { name: 'with a transport key of small order', server, document: await maker.sign(weak, maker.server), reason: 'bad-key' },
  ];
}

async function welcomes(world: World, transport: Transport): Promise<CertificateVectors['welcomes']> {
  const welcome = { server: world.server, session: 'session-1', clientNonce: 'AAECAwQFBgcICQoLDA0ODw' };
  const signature = await signWelcome(welcome, transport.keyPair.privateKey);
  const rest = { kid: 'transport-1', signature, transportKeys: [{ kid: 'transport-1', publicKey: transport.publicKey }] };
  return [
    { name: 'good', welcome, ...rest, holds: true },
    { name: 'of another session', welcome: { ...welcome, session: 'session-2' }, ...rest, holds: false },
    { name: 'under another kid', welcome, ...rest, kid: 'transport-2', holds: false },
  ];
}

export async function certificateVectors(world: World, memory: Memory, transport: Transport): Promise<CertificateVectors> {
  const maker = new Maker(world, memory);
  return {
    nowMs: world.nowMs,
    serverKeys: [{ id: world.serverKey, armor: world.keys.server.publicKey.armor }],
    userKeys: [
      { id: world.key, armor: world.keys.member.publicKey.armor, recovery: world.keys.recovery.fingerprint },
      { id: world.otherKey, armor: world.keys.other.publicKey.armor, recovery: world.keys.otherRecovery.fingerprint },
    ],
    accepted: await accepted(maker),
    refused: await refused(maker),
    signed: await signedOnly(maker),
    documents: await documents(maker, transport),
    chains: await chains(maker),
    welcomes: await welcomes(world, transport),
  };
}
