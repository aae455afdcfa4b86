// Members whose keys and signatures other programs made, on a whole server: they sign up, publish, read and are read. Whatever the server
// and the SDK sign verifies in those programs, and a key outside of the profile is refused with what helps.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { memoryKeySafe } from '../../src/client/memory-key-ring.ts';
import { type PrivateKey, readPrivateKey } from '../../src/crypto/openpgp.ts';
import { type ServerId, userIdFromFingerprint, userKeyId } from '../../src/wire/address.ts';
import { type Certificate, canonicalBytes } from '../../src/wire/canonical.ts';
import type { Statement, StatementOf } from '../../src/wire/statements.ts';
import { Line } from '../support/altered-parts.ts';
import { type ForeignKey, Gpg, type OpenPgpProgram, Sqop } from '../support/foreign-openpgp.ts';
import { makeMember } from '../support/members.ts';
import { identityStatement, keyStatement, makePerson, type Person, type Post, reedStatement, sessionStatement } from '../support/people.ts';
import { startServer, type TestServer } from '../support/server.ts';

const gpg = new Gpg();
const sqop = new Sqop();
let server: TestServer;
let serverId: ServerId;

beforeAll(async () => {
  server = await startServer({ config: { signup: 'open' } });
  serverId = server.app.serverId;
});

afterAll(async () => {
  gpg.close();
  sqop.close();
  await server.close();
});

type Answer = { readonly status: number; readonly body: Record<string, unknown> };

async function call(path: string, body?: unknown, token?: string): Promise<Answer> {
  const headers = { 'content-type': 'application/json', ...(token === undefined ? {} : { authorization: `Bearer ${token}` }) };
  const request = body === undefined ? { headers } : { method: 'POST', headers, body: JSON.stringify(body) };
  const answer = await fetch(`${server.url}/api/v1/${path}`, request);
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
}

const bytesOf = (statement: Statement): Uint8Array => {
  const bytes = canonicalBytes(statement);
  if (!bytes.ok) throw new Error(bytes.reason);
  return bytes.value;
};

const secretOf = async (armor: string): Promise<PrivateKey> => {
  const key = await readPrivateKey(armor);
  if (!key.ok) throw new Error(key.reason);
  return key.value;
};

/** Somebody with a key of the program's making, who signs with the program. */
async function foreigner(program: OpenPgpProgram): Promise<{ person: Person; key: ForeignKey; sign(statement: Statement): Post }> {
  const key = program.makeKey();
  const secret = await secretOf(key.privateArmor);
  const user = await userIdFromFingerprint(secret.fingerprint, serverId);
  const person = { ...(await makePerson(serverId, Date.now())), key: secret, user, keyId: userKeyId(user, secret.fingerprint) };
  const sign = (statement: Statement): Post => ({
    statement,
    signatures: [{ key: person.keyId, signature: program.sign(bytesOf(statement), key.privateArmor) }],
  });
  return { person, key, sign };
}

type Foreigner = Awaited<ReturnType<typeof foreigner>>;

async function signUp({ person, sign }: Foreigner, armor = person.key.publicKey.armor): Promise<Answer> {
  const { body } = await call('auth/challenge', {});
  return call('users', {
    identity: sign(identityStatement(person, Date.now())),
    key: sign({ ...keyStatement(person), armor } as StatementOf<'key'>),
    session: sign(sessionStatement(person, serverId, String(body['nonce']), 'signup')),
  });
}

const serverArmor = async (): Promise<string> => {
  const { body } = await call('server');
  const { statement } = body['document'] as { statement: { keys: { armor: string }[] } };
  return statement.keys[0]?.armor ?? '';
};

describe.each([gpg, sqop])('$name', (program) => {
  it('signs up and publishes with a key and signatures of its making', async () => {
    const them = await foreigner(program);
    const made = await signUp(them);
    expect(made).toMatchObject({ status: 201, body: { key: { statement: { user: them.person.user } } } });
    const statement = reedStatement({ clock: { now: () => Date.now() } } as never, them.person);
    const registered = await call('reeds', them.sign(statement), String(made.body['token']));
    expect(registered).toMatchObject({ status: 201, body: { certificate: { statement: { id: statement.id } } } });
  });

  it('verifies what the server countersigns, and the document and the statements of members', async () => {
    const armor = await serverArmor();
    const { body } = await call('server');
    const document = body['document'] as { statement: Statement; signatures: { signature: string }[] };
    expect(program.verifies(bytesOf(document.statement), document.signatures[0]?.signature ?? '', armor)).toBe(true);
    const made = await signUp(await foreigner(program));
    const { statement, signatures, countersignature } = made.body['identity'] as Certificate<StatementOf<'identity'>>;
    const key = (made.body['key'] as Certificate<StatementOf<'key'>>).statement.armor;
    // The server passes on the signature's normal form: other bytes than the program made, and as good to it.
    expect(program.verifies(bytesOf(statement), signatures[0]?.signature ?? '', key)).toBe(true);
    expect(program.verifies(bytesOf(countersignature.statement), countersignature.signature, armor)).toBe(true);
    const other = { ...countersignature.statement, seq: countersignature.statement.seq + 1 };
    expect(program.verifies(bytesOf(other), countersignature.signature, armor)).toBe(false);
  });

  it('makes the keys of a member of the SDK, who writes, reads and is read', async () => {
    const [key, recovery] = [program.makeKey().privateArmor, program.makeKey().privateArmor];
    const line = new Line();
    const theirs = await makeMember(server, { safe: memoryKeySafe({ key, recovery }), deps: { socket: line.factory } });
    const ours = await makeMember(server);
    try {
      const written = await theirs.publish({ text: 'written with a key from elsewhere' });
      await written.published;
      const answer = await ours.publish({ text: 'written with a key of ours' });
      await answer.published;
      expect((await ours.request(written.reedId)).body.text).toBe('written with a key from elsewhere');
      expect((await theirs.request(answer.reedId)).body.text).toBe('written with a key of ours');
      const [delivered] = line.frames('in', 'dataResponse');
      expect(program.decrypt(delivered?.body.ciphertext ?? '', { key })).toContain('written with a key of ours');
    } finally {
      await Promise.all([theirs.close(), ours.close()]);
    }
  });

  it('opens the backup of a member, uses the keys in it, and verifies the revocation that it holds', async () => {
    const member = await makeMember(server);
    try {
      const backup = JSON.parse(program.decrypt(await member.backup('seven words'), { passphrase: 'seven words' }));
      const { armor } = backup.keys[0];
      const { publicKey } = await secretOf(armor);
      expect(program.verifies(bytesOf(backup.revocation.statement), backup.revocation.signatures[0].signature, publicKey.armor)).toBe(true);
      const again = program.sign(bytesOf(backup.revocation.statement), backup.recoveryKey);
      expect(program.verifies(bytesOf(backup.revocation.statement), again, (await secretOf(backup.recoveryKey)).publicKey.armor)).toBe(
        true,
      );
    } finally {
      await member.close();
    }
  });
});

describe('a key outside of the profile', () => {
  /** Everything else in the sign-up is right; the key statement brings the other armor. */
  const refusalOf = async (armor: string): Promise<Answer> => signUp(await foreigner(sqop), armor);
  const gpgKey = (algorithm: string, usage: string, ...subkeys: readonly (readonly [string, string])[]): ForeignKey => {
    const fingerprint = gpg.generate(`reedbed ${algorithm} ${usage} ${subkeys.length}`, algorithm, usage);
    for (const [subkey, its] of subkeys) gpg.addSubkey(fingerprint, subkey, its);
    return gpg.exported(fingerprint);
  };

  it.each([
    ['RSA of gpg', () => gpgKey('rsa2048', 'cert,sign', ['rsa2048', 'encr']).publicArmor, /^armor: algorithm \(make an Ed25519 key/],
    ['NIST of gpg', () => gpgKey('nistp256', 'cert,sign', ['nistp256', 'encr']).publicArmor, /^armor: algorithm \(make an Ed25519 key/],
    ['nothing to encrypt to', () => gpgKey('ed25519', 'cert,sign').publicArmor, /^armor: subkeys \(the key needs exactly one Curve25519/],
    ['nothing to sign with', () => gpgKey('ed25519', 'cert', ['cv25519', 'encr']).publicArmor, /^armor: self-signature \(.* able to sign/],
    ['no name', () => sqop.makeNameless().publicArmor, /^armor: user-ids \(the key needs exactly one user id/],
    ['two names', () => sqop.makeKey('one', 'two').publicArmor, /^armor: user-ids \(the key needs exactly one user id/],
    ['the private half', () => sqop.makeKey().privateArmor, /^armor: private \(the public half is needed/],
    ['two keys in one', () => `${sqop.makeKey().publicArmor}${sqop.makeKey().publicArmor}`, /^armor: not-a-key \(one armored OpenPGP/],
  ])('is refused with what helps: %s', async (_, armor, detail) => {
    const { status, body } = await refusalOf(armor());
    expect({ status, code: body['code'], detail: body['detail'] }).toEqual({
      status: 422,
      code: 'INVALID',
      detail: expect.stringMatching(detail),
    });
  });
});
