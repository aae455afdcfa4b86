// Certificates: one path signs, one verifies, each failure has its reason. What is tampered with anywhere is refused.
import { beforeAll, describe, expect, it } from 'vitest';
import { base64url } from '../../src/base/ids.ts';
import { verifyKeyChain } from '../../src/crypto/key-chain.ts';
import { generatePrivateKey, type PrivateKey } from '../../src/crypto/openpgp.ts';
import { signWelcome, verifyServerDocument, verifyWelcome } from '../../src/crypto/server-document.ts';
import { countersign, signStatement, verifyCertificate, verifySigned } from '../../src/crypto/statement.ts';
import { serverIdFromFingerprint, serverKeyId, type UserKeyId, userKeyId } from '../../src/wire/address.ts';
import type { Certificate, Signed } from '../../src/wire/canonical.ts';
import { printTime } from '../../src/wire/kinds.ts';
import { heading, type StatementOf, type UserStatementType } from '../../src/wire/statements.ts';
import { examples, makeKeys, makeWorld, type World } from '../support/statements.ts';

const NOW = 1_800_000_000_000;
const MINUTE_MS = 60_000;

let world: World;
let all: ReturnType<typeof examples>;
let reed: Certificate<StatementOf<'reed'>>;

const sign = <T extends UserStatementType>(statement: StatementOf<T>, key = world.keys.member, keyId: string = world.key) =>
  signStatement(statement as never, [{ key, keyId }], NOW) as Promise<Signed<StatementOf<T>>>;

const certify = <T extends UserStatementType>(signed: Signed<StatementOf<T>>, seq = 7, signedAt = printTime(NOW)) =>
  countersign(signed, { serverKey: world.keys.server, serverKeyId: world.serverKey, server: world.server, seq, signedAt });

const context = (now = NOW) => ({ keys: world.lookup, now });
const reasonOf = async (value: unknown, type: UserStatementType = 'reed', now = NOW): Promise<string> => {
  const accepted = await verifyCertificate(value, type, context(now));
  return accepted.ok ? 'accepted' : accepted.reason;
};

type Loose = { statement: Record<string, unknown>; signatures: Record<string, unknown>[]; countersignature: Record<string, unknown> };
/** A deep copy with one thing changed. */
const tampered = (change: (certificate: Loose) => void): unknown => {
  const copy = structuredClone(reed) as unknown as Loose;
  change(copy);
  return copy;
};

beforeAll(async () => {
  world = await makeWorld(await makeKeys(NOW), NOW);
  all = examples(world);
  reed = await certify(await sign(all.reed));
});

describe('a certificate', () => {
  it('of a person is accepted with its hash, seq and time', async () => {
    for (const type of [
      'reed',
      'thread',
      'identity',
      'follow',
      'like',
      'block',
      'invite',
      'account-removal',
      'admin-act',
      'reed-removal',
    ] as const) {
      const certificate = await certify(await sign(all[type]));
      const accepted = await verifyCertificate(certificate, type, context());
      expect(accepted).toMatchObject({ ok: true, value: { seq: 7, signedAtMs: NOW, certificate } });
    }
  });

  it('is kept in normal form, whichever way it was spelled', async () => {
    const respelled = tampered(({ signatures, countersignature }) => {
      for (const entry of [signatures[0], countersignature]) {
        if (entry) entry.signature = String(entry.signature).replace('SIGNATURE-----\n', 'SIGNATURE-----\nComment: x\n');
      }
    });
    expect(respelled).not.toEqual(reed);
    expect(await verifyCertificate(respelled, 'reed', context())).toMatchObject({ ok: true, value: { certificate: reed } });
  });

  it('is refused in any other form', async () => {
    const forms: unknown[] = [
      null,
      [],
      'x',
      {},
      { ...reed, more: 1 },
      { statement: reed.statement, signatures: reed.signatures },
      { ...reed, signatures: [] },
      { ...reed, signatures: [reed.signatures[0], reed.signatures[0], reed.signatures[0]] },
      { ...reed, signatures: [{ ...reed.signatures[0], more: 1 }] },
      { ...reed, countersignature: null },
      { ...reed, countersignature: { ...reed.countersignature, more: 1 } },
    ];
    for (const form of forms) expect(await reasonOf(form)).toBe('malformed');
    expect(await reasonOf({ ...reed, signatures: [reed.signatures[0], reed.signatures[0]] })).toBe('wrong-signers');
  });
});

describe('a tampered certificate', () => {
  it.each<[string, string, (certificate: Loose) => void]>([
    ['another text in the statement', 'bad-signature', ({ statement }) => (statement.tags = ['other'])],
    ['another type', 'other-type', ({ statement }) => (statement.type = 'thread')],
    ['a field more', 'unknown-field', ({ statement }) => (statement.more = 'x')],
    ['a field less', 'missing-field', ({ statement }) => delete statement.tags],
    ['a null', 'wrong-value', ({ statement }) => (statement.previous = null)],
    ['another author', 'wrong-person', ({ statement }) => (statement.author = world.other)],
    ['a key of somebody else', 'wrong-person', ({ statement }) => (statement.key = world.otherKey)],
    ['a key that is not known', 'unknown-key', ({ statement }) => (statement.key = world.secondKey)],
    ['a signature by another name', 'wrong-signers', ({ signatures }) => Object.assign(signatures[0] ?? {}, { key: world.otherKey })],
    ['the signatures swapped', 'bad-signature', (c) => Object.assign(c.signatures[0] ?? {}, { signature: c.countersignature.signature })],
    ['a swapped countersignature', 'bad-countersignature', (c) => (c.countersignature.signature = c.signatures[0]?.signature)],
    ['a countersignature that is no armor', 'bad-countersignature', (c) => (c.countersignature.signature = '')],
  ])('with %s is refused: %s', async (_what, reason, change) => {
    expect(await reasonOf(tampered(change))).toBe(reason);
  });

  it.each<[string, string, Record<string, unknown>]>([
    ['type', 'other-statement', { statementType: 'thread' }],
    ['statement', 'other-statement', { statementHash: 'BAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA' }],
    ['seq', 'bad-countersignature', { seq: 8 }],
    ['date', 'bad-countersignature', { signedAt: printTime(NOW + 1) }],
    ['version', 'unknown-version', { v: 2 }],
    ['server', 'other-server', { server: 'peerpeerpeerpeer' }],
    ['server key', 'unknown-server-key', { serverKey: `${'0'.repeat(40)}@peerpeerpeerpeer` }],
  ])('with another %s in the countersignature is refused: %s', async (_what, reason, change) => {
    const changed = tampered(({ countersignature }) => Object.assign(countersignature.statement as object, change));
    expect(await reasonOf(changed)).toBe(reason);
  });

  it('with the countersignature of another person, key or server is refused', async () => {
    const theirs = await certify(
      await sign({ ...all.follow, user: world.other, key: world.otherKey, target: world.user }, world.keys.other, world.otherKey),
    );
    expect(await reasonOf({ ...reed, countersignature: theirs.countersignature })).toBe('other-statement');
    const stranger = await generatePrivateKey(NOW);
    const server = await serverIdFromFingerprint(stranger.fingerprint);
    const by = { serverKey: stranger, serverKeyId: serverKeyId(stranger.fingerprint, server), server, seq: 7, signedAt: printTime(NOW) };
    expect(await reasonOf(await countersign(await sign(all.reed), by))).toBe('other-server');
    const posing = { ...by, server: world.server, serverKeyId: serverKeyId(stranger.fingerprint, world.server) };
    expect(await reasonOf(await countersign(await sign(all.reed), posing))).toBe('unknown-server-key');
    const forging = { ...by, server: world.server, serverKeyId: world.serverKey };
    expect(await reasonOf(await countersign(await sign(all.reed), forging))).toBe('bad-countersignature');
  });
});

describe('dates and revocations', () => {
  it('lets a certificate be five minutes ahead and no more', async () => {
    expect(await reasonOf(reed, 'reed', NOW - 5 * MINUTE_MS)).toBe('accepted');
    expect(await reasonOf(reed, 'reed', NOW - 5 * MINUTE_MS - 1)).toBe('dated-ahead');
  });

  it('keeps what was countersigned before the revocation, and nothing after it', async () => {
    const revokedSeq = 7;
    const keys = {
      ...world.lookup,
      userKey: async (id: UserKeyId) => {
        const known = await world.lookup.userKey(id);
        return known && { ...known, revokedSeq };
      },
    };
    const judge = async (seq: number, type: 'reed' | 'key-revocation') => {
      const accepted = await verifyCertificate(await certify(await sign<typeof type>(all[type]), seq), type, { keys, now: NOW });
      return accepted.ok ? 'accepted' : accepted.reason;
    };
    expect(await judge(6, 'reed')).toBe('accepted');
    expect(await judge(7, 'reed')).toBe('key-revoked');
    expect(await judge(8, 'reed')).toBe('key-revoked');
    expect(await judge(7, 'key-revocation')).toBe('accepted');
    expect(await judge(8, 'key-revocation')).toBe('key-revoked');
  });
});

describe('a key statement', () => {
  const keyReason = async (statement: StatementOf<'key'>, signers: readonly { key: PrivateKey; keyId: string }[]): Promise<string> => {
    const verified = await verifySigned(await signStatement(statement, signers, NOW), 'key', context());
    return verified.ok ? 'accepted' : verified.reason;
  };
  const self = () => ({ key: world.keys.member, keyId: world.key });
  const second = () => ({ key: world.keys.second, keyId: world.secondKey });
  const next = (): StatementOf<'key'> => ({
    ...all.key,
    key: world.secondKey,
    armor: world.keys.second.publicKey.armor,
    recovery: world.keys.otherRecovery.fingerprint,
    predecessor: world.key,
  });

  it('proves the first key of an id by itself', async () => {
    expect(await keyReason(all.key, [self()])).toBe('accepted');
  });

  it('can make no second first key for an id', async () => {
    const { predecessor: _, ...first } = next();
    expect(await keyReason(first, [second()])).toBe('wrong-id');
  });

  it('names the key in its armor', async () => {
    expect(await keyReason({ ...all.key, armor: world.keys.second.publicKey.armor }, [self()])).toBe('wrong-id');
    expect(await keyReason({ ...all.key, armor: 'nothing' }, [self()])).toBe('bad-key');
    expect(await keyReason({ ...all.key, recovery: world.keys.member.fingerprint }, [self()])).toBe('contradiction');
  });

  it('of a later key is signed by both', async () => {
    expect(await keyReason(next(), [second(), self()])).toBe('accepted');
    expect(await keyReason(next(), [self(), second()])).toBe('accepted');
    expect(await keyReason(next(), [second()])).toBe('wrong-signers');
    expect(await keyReason(next(), [self()])).toBe('wrong-signers');
    expect(await keyReason(next(), [second(), { key: world.keys.other, keyId: world.otherKey }])).toBe('wrong-signers');
    expect(await keyReason(next(), [second(), { key: world.keys.other, keyId: world.key }])).toBe('bad-signature');
  });

  it('of a later key may be signed by the recovery key that the one before named', async () => {
    const recovery = { key: world.keys.recovery, keyId: world.recoveryKey };
    const recovered = { ...next(), recoveryArmor: world.keys.recovery.publicKey.armor };
    expect(await keyReason(recovered, [second(), recovery])).toBe('accepted');
    expect(await keyReason(recovered, [second(), self()])).toBe('wrong-signers');
    expect(await keyReason(next(), [second(), recovery])).toBe('wrong-signers');
    const thief = { key: world.keys.other, keyId: userKeyId(world.user, world.keys.other.fingerprint) };
    expect(await keyReason({ ...recovered, recoveryArmor: world.keys.other.publicKey.armor }, [second(), thief])).toBe('wrong-id');
  });

  it('of a removal withdrawn is signed by the recovery key', async () => {
    const by = async (key: PrivateKey, keyId: string) => {
      const signed = await signStatement(all['account-removal-withdrawal'], [{ key, keyId }], NOW);
      const verified = await verifySigned(signed, 'account-removal-withdrawal', context());
      return verified.ok ? 'accepted' : verified.reason;
    };
    expect(await by(world.keys.recovery, world.recoveryKey)).toBe('accepted');
    expect(await by(world.keys.member, world.key)).toBe('wrong-signers');
  });
});

describe('a chain of keys', () => {
  const chain = async () => {
    const first = await certify(await sign(all.key), 1);
    const revocation = await certify(await sign(all['key-revocation']), 5);
    const next: StatementOf<'key'> = {
      ...all.key,
      key: world.secondKey,
      armor: world.keys.second.publicKey.armor,
      recovery: world.keys.otherRecovery.fingerprint,
      predecessor: world.key,
    };
    const signers = [
      { key: world.keys.second, keyId: world.secondKey },
      { key: world.keys.member, keyId: world.key },
    ];
    const second = await certify(await signStatement(next, signers, NOW), 6);
    return { first, revocation, second };
  };
  const judge = async (entries: readonly unknown[], user = world.user): Promise<unknown> => {
    const proven = await verifyKeyChain(entries, user, context());
    return proven.ok ? proven.value.map(({ id, revokedSeq }) => ({ id, revokedSeq })) : proven.reason;
  };

  it('is proven from the id on, without knowing any of its keys', async () => {
    const { first, revocation, second } = await chain();
    expect(await judge([{ certificate: first }])).toEqual([{ id: world.key, revokedSeq: undefined }]);
    expect(await judge([{ certificate: first, revocation }, { certificate: second }])).toEqual([
      { id: world.key, revokedSeq: 5 },
      { id: world.secondKey, revokedSeq: undefined },
    ]);
  });

  it('is broken by a gap, another order, a missing revocation, another person', async () => {
    const { first, revocation, second } = await chain();
    expect(await judge([])).toBe('broken-chain');
    expect(await judge([{ certificate: second }])).toBe('unknown-key');
    expect(await judge([{ certificate: second }, { certificate: first, revocation }])).toBe('unknown-key');
    expect(await judge([{ certificate: first }, { certificate: second }])).toBe('broken-chain');
    expect(await judge([{ certificate: first, revocation }, { certificate: first }])).toBe('broken-chain');
    expect(await judge([{ certificate: first }], world.other)).toBe('broken-chain');
    expect(await judge([{ certificate: first, revocation: first }])).toBe('other-type');
    expect(await judge([first])).toBe('malformed');
    expect(await judge([null])).toBe('malformed');
  });

  it('does not take a key that was countersigned after its own revocation', async () => {
    const { revocation } = await chain();
    const late = await certify(await sign(all.key), 9);
    expect(await judge([{ certificate: late, revocation }])).toBe('broken-chain');
  });
});

describe('a server document', () => {
  let transport: CryptoKeyPair;
  let document: StatementOf<'server-document'>;
  const signServer = async (key: PrivateKey, keyId: string, statement = document) => signStatement(statement, [{ key, keyId }], NOW);
  const judge = async (value: unknown, now = NOW): Promise<string> => {
    const accepted = await verifyServerDocument(value, { server: world.server, now });
    return accepted.ok ? 'accepted' : accepted.reason;
  };

  beforeAll(async () => {
    transport = (await crypto.subtle.generateKey('Ed25519', true, ['sign', 'verify'])) as CryptoKeyPair;
    const raw = base64url(new Uint8Array(await crypto.subtle.exportKey('raw', transport.publicKey)));
    const own = await signStatement(all['server-key'], [{ key: world.keys.server, keyId: world.serverKey }], NOW);
    document = examples(world, { signature: own.signatures[0]?.signature ?? '', transport: raw })['server-document'];
  });

  it('is proven from the id on', async () => {
    expect(await judge(await signServer(world.keys.server, world.serverKey))).toBe('accepted');
  });

  it('is of this server, signed by its own key, in its time', async () => {
    expect(await judge(await signServer(world.keys.other, world.serverKey))).toBe('bad-signature');
    expect(await judge(await signServer(world.keys.other, serverKeyId(world.keys.other.fingerprint, world.server)))).toBe('unknown-key');
    expect(await judge(await signServer(world.keys.server, world.key))).toBe('wrong-signers');
    const signed = await signServer(world.keys.server, world.serverKey);
    expect(await judge(signed, NOW + 91 * 86_400_000)).toBe('expired');
    expect(await judge(signed, NOW - 6 * MINUTE_MS)).toBe('dated-ahead');
    expect(await judge({ ...signed, more: 1 })).toBe('malformed');
    const other = await verifyServerDocument(signed, { server: 'peerpeerpeerpeer' as World['server'], now: NOW });
    expect(other).toMatchObject({ ok: false, reason: 'other-server' });
  });

  it('can pose no foreign first key and no key of small order', async () => {
    const foreign = {
      ...document,
      keys: [{ key: serverKeyId(world.keys.other.fingerprint, world.server), armor: world.keys.other.publicKey.armor, signature: 'x' }],
    };
    expect(await judge(await signServer(world.keys.server, world.serverKey, foreign))).toBe('wrong-id');
    const weak = { ...document, transportKeys: [{ kid: 'k', publicKey: base64url(new Uint8Array(32)) }] };
    expect(await judge(await signServer(world.keys.server, world.serverKey, weak))).toBe('bad-key');
  });

  it('adds a key that the one before signed', async () => {
    const key = serverKeyId(world.keys.second.fingerprint, world.server);
    const statement = {
      ...heading('server-key'),
      server: world.server,
      key,
      armor: world.keys.second.publicKey.armor,
      predecessor: world.serverKey,
    };
    const signers = [
      { key: world.keys.second, keyId: key },
      { key: world.keys.server, keyId: world.serverKey },
    ];
    const { signatures } = await signStatement(statement, signers, NOW);
    const entry = {
      key,
      armor: statement.armor,
      signature: signatures[0]?.signature ?? '',
      predecessorSignature: signatures[1]?.signature ?? '',
    };
    const longer = { ...document, keys: [...document.keys, entry] };
    expect(await judge(await signServer(world.keys.second, key, longer))).toBe('accepted');
    const swapped = { ...document, keys: [...document.keys, { ...entry, predecessorSignature: entry.signature }] };
    expect(await judge(await signServer(world.keys.second, key, swapped))).toBe('bad-signature');
    const { predecessorSignature: _, ...alone } = entry;
    expect(await judge(await signServer(world.keys.second, key, { ...document, keys: [...document.keys, alone] }))).toBe('contradiction');
  });

  it('names the transport keys that sign welcomes', async () => {
    const welcome = { server: world.server, session: 'session-1', clientNonce: 'AAECAwQFBgcICQoLDA0ODw' };
    const signature = await signWelcome(welcome, transport.privateKey);
    const kid = document.transportKeys[0]?.kid ?? '';
    expect(await verifyWelcome(welcome, { kid, signature }, document.transportKeys)).toBe(true);
    expect(await verifyWelcome({ ...welcome, session: 'session-2' }, { kid, signature }, document.transportKeys)).toBe(false);
    expect(await verifyWelcome({ ...welcome, clientNonce: '' }, { kid, signature }, document.transportKeys)).toBe(false);
    expect(await verifyWelcome(welcome, { kid: 'other', signature }, document.transportKeys)).toBe(false);
    expect(await verifyWelcome(welcome, { kid, signature: '!' }, document.transportKeys)).toBe(false);
    const weak = [{ kid, publicKey: base64url(Uint8Array.of(1, ...new Array(31).fill(0))) }];
    const forged = base64url(Uint8Array.of(0x58, ...new Array(31).fill(0x66), 1, ...new Array(31).fill(0)));
    expect(await verifyWelcome(welcome, { kid, signature: forged }, weak)).toBe(false);
  });
});
