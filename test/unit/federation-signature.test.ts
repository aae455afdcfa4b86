// Signatures between servers against an independent library, both ways, and what that library takes and this server must not.
import { sign, verify } from 'node:crypto';
import { httpbis } from 'http-message-signatures';
import { describe, expect, test } from 'vitest';
import { base64url } from '../../src/base/ids.ts';
import { contentDigest } from '../../src/federation/digest.ts';
import { isSignedAnswer, isSignedRequest, signAnswer, signRequest } from '../../src/federation/signature.ts';
import { readAnswerForm, readRequestForm } from '../../src/federation/signature-form.ts';
import { makeServerKeys } from '../support/transport-keys.ts';

const NOW = Date.UTC(2026, 4, 1, 12);
const LIFE_MS = 60_000;
const URI = 'https://reeds.example/federation/v1/request';
const BODY = new TextEncoder().encode('whatever');
const REQUEST_FIELDS = ['@method', '@target-uri', 'content-type', 'content-digest'];
const PARAMETERS = ['tag', 'created', 'expires', 'nonce', 'keyid'];
const server = makeServerKeys();

type Fields = Record<string, string>;
type Library = { fields?: string[]; params?: string[]; name?: string; values?: Record<string, unknown> };

const pairs = (fields: Fields | readonly (readonly [string, string])[]): string[] =>
  (Array.isArray(fields) ? fields : Object.entries(fields)).flat();
const ours = (): Fields =>
  signRequest(server.signer, { targetUri: URI, body: BODY, now: NOW, lifeMs: LIFE_MS, nonce: new Uint8Array(16).fill(7) });

const libraryKey = { id: server.signer.keyId, alg: 'ed25519', sign: async (data: Buffer) => sign(null, data, server.privateKey) };
const values = {
  tag: 'reedbed-federation-1',
  created: new Date(NOW),
  expires: new Date(NOW + LIFE_MS),
  nonce: base64url(new Uint8Array(16).fill(9)),
  keyid: server.signer.keyId,
};

/** The same request, signed by the library. */
async function theirs({ fields = REQUEST_FIELDS, params = PARAMETERS, name = 'reedbed', ...given }: Library = {}): Promise<Fields> {
  const headers = { 'content-type': 'application/protobuf', 'content-digest': contentDigest(BODY) };
  const config = { key: libraryKey, name, fields, params, paramValues: { ...values, ...given.values } };
  const signed = await httpbis.signMessage(config, { method: 'POST', url: URI, headers });
  return Object.fromEntries(Object.entries(signed.headers).map(([field, value]) => [field.toLowerCase(), String(value)]));
}

const keyLookup = async () => ({
  id: server.signer.keyId,
  verify: async (data: Buffer, signature: Buffer) => verify(null, data, server.publicKey, signature),
});
const libraryTakes = (headers: Fields): Promise<boolean | null> =>
  httpbis.verifyMessage({ keyLookup, notAfter: new Date(NOW + 1_000), tolerance: 1e10 }, { method: 'POST', url: URI, headers });

/** Whether this server takes a request with these fields. */
function taken(fields: Parameters<typeof pairs>[0], uri = URI): boolean {
  const form = readRequestForm(pairs(fields), LIFE_MS);
  return form.ok && isSignedRequest(form.value, uri, server.keys);
}

const changed = (fields: Fields, name: string, change: (value: string) => string): Fields => ({
  ...fields,
  [name]: change(fields[name] ?? ''),
});

describe('a request', () => {
  test('signed here verifies in another library', async () => {
    expect(await libraryTakes(ours())).toBe(true);
    expect(await libraryTakes(changed(ours(), 'content-digest', () => contentDigest(new Uint8Array(1))))).toBe(false);
  });

  test('signed by another library verifies here', async () => {
    expect(taken(await theirs())).toBe(true);
    expect(taken(await theirs({ params: PARAMETERS.toReversed() }))).toBe(true);
  });

  test('says who, when and which one it is', () => {
    expect(readRequestForm(pairs(ours()), LIFE_MS)).toMatchObject({
      ok: true,
      value: { server: server.id, kid: server.kid, created: NOW / 1_000, expires: NOW / 1_000 + 60, nonce: new Uint8Array(16).fill(7) },
    });
  });

  test('is for one address', () => {
    expect(taken(ours())).toBe(true);
    for (const uri of [`${URI}?x`, 'http://reeds.example/federation/v1/request', 'https://other.example/federation/v1/request']) {
      expect(taken(ours(), uri)).toBe(false);
    }
  });

  test('with two labels, the first of them garbage, is taken by the library and refused here', async () => {
    const good = await theirs();
    const garbage = good['signature-input']?.replace('reedbed=', 'other=').replace(server.id, 'a'.repeat(16));
    const two = {
      ...good,
      'signature-input': `${garbage}, ${good['signature-input']}`,
      signature: `other=:${Buffer.alloc(64).toString('base64')}:, ${good['signature']}`,
    };
    expect(await libraryTakes(two)).toBe(true);
    expect(taken(two)).toBe(false);
  });

  test('that signs less than all is taken by the library and refused here', async () => {
    for (const left of REQUEST_FIELDS) {
      const fields = REQUEST_FIELDS.filter((field) => field !== left);
      const signed = await theirs({ fields });
      expect(await libraryTakes(signed)).toBe(true);
      expect(taken(signed)).toBe(false);
    }
  });

  test.each<[string, Library]>([
    ['other order', { fields: ['@target-uri', '@method', 'content-type', 'content-digest'] }],
    ['more components', { fields: [...REQUEST_FIELDS, '@authority'] }],
    ['a component twice', { fields: [...REQUEST_FIELDS, '@method'] }],
    ['another label', { name: 'sig1' }],
    ['another tag', { values: { tag: 'reedbed-federation-2' } }],
    ['an algorithm', { params: [...PARAMETERS, 'alg'] }],
    ['another parameter', { params: [...PARAMETERS, 'x'], values: { x: 'y' } }],
    ...PARAMETERS.map((left): [string, Library] => [`no ${left}`, { params: PARAMETERS.filter((name) => name !== left) }]),
    ['an end before its beginning', { values: { expires: new Date(NOW - 1_000) } }],
    ['an end at its beginning', { values: { expires: new Date(NOW) } }],
    ['more than a minute to live', { values: { expires: new Date(NOW + LIFE_MS + 1_000) } }],
    ['a short nonce', { values: { nonce: base64url(new Uint8Array(15)) } }],
    ['a nonce that is no base64url', { values: { nonce: '=====================/' } }],
    ['a key id without a key', { values: { keyid: server.id } }],
    ['a key id of nobody', { values: { keyid: `reeds.example#${server.kid}` } }],
    ['a key id with more behind it', { values: { keyid: `${server.signer.keyId}#x` } }],
  ])('with %s is refused', async (_name, library) => {
    expect(taken(await theirs(library))).toBe(false);
  });

  test.each<[string, string, (value: string) => string]>([
    ['another signature', 'signature', () => `reedbed=:${Buffer.alloc(64, 1).toString('base64')}:`],
    ['a short signature', 'signature', () => `reedbed=:${Buffer.alloc(63).toString('base64')}:`],
    ['a signature with parameters', 'signature', (value) => `${value};x`],
    ['a signature that is text', 'signature', () => 'reedbed="x"'],
    ['a second signature', 'signature', (value) => `${value}, other=${value.slice('reedbed='.length)}`],
    ['the same label twice', 'signature-input', (value) => `${value}, ${value}`],
    ['a parameter twice', 'signature-input', (value) => value.replace(';tag=', ';tag="x";tag=')],
    ['spaces that mean nothing', 'signature-input', (value) => value.replace('"@method" ', '"@method"  ')],
    ['a decimal date', 'signature-input', (value) => value.replace(/created=(\d+)/, 'created=$1.0')],
    ['a date of structured fields', 'signature-input', (value) => value.replace('created=', 'created=@')],
    ['what is no structured field', 'signature-input', () => '(('],
    ['no list of components', 'signature-input', () => 'reedbed=1'],
    ['components of another message', 'signature-input', (value) => value.replace('"content-type"', '"content-type";req')],
    ['an endless field', 'signature-input', (value) => value + ' '.repeat(1_100)],
    ['a digest of another algorithm', 'content-digest', (value) => value.replace('sha-256', 'sha-512')],
    ['two digests', 'content-digest', (value) => `${value}, sha-512=:AAAA:`],
    ['a digest in another spelling', 'content-digest', (value) => value.replace('=:', '= :')],
    ['a short digest', 'content-digest', () => 'sha-256=:AAAA:'],
    ['another type', 'content-type', () => 'application/json'],
    ['a type with parameters', 'content-type', (value) => `${value}; charset=utf-8`],
  ])('with %s is refused', (_name, field, change) => {
    expect(taken(changed(ours(), field, change))).toBe(false);
  });

  test('with a field missing, repeated, or a coding is refused', () => {
    const entries = Object.entries(ours());
    for (const [name, value] of entries) {
      expect(taken(entries.filter(([other]) => other !== name))).toBe(false);
      expect(taken([...entries, [name.toUpperCase(), value]])).toBe(false);
    }
    expect(taken([...entries, ['Content-Encoding', 'identity']])).toBe(false);
    expect(taken(entries.map(([name, value]) => [name.toUpperCase(), value] as const))).toBe(true);
  });

  test('is refused under keys that are not its signer’s, or no keys at all', () => {
    const form = readRequestForm(pairs(ours()), LIFE_MS);
    if (!form.ok) throw new Error(form.reason);
    const other = makeServerKeys(server.id, server.kid);
    const weak = base64url(Uint8Array.from({ length: 32 }, (_, at) => (at === 0 ? 1 : 0)));
    for (const keys of [other.keys, new Map(), new Map([[server.kid, weak]]), new Map([[server.kid, 'AAAA']])])
      expect(isSignedRequest(form.value, URI, keys)).toBe(false);
  });
});

describe('an answer', () => {
  const request = ours();
  const requestSignature = request['signature'] ?? '';
  const answer = (): Fields => signAnswer(server.signer, { status: 404, body: BODY, now: NOW, requestSignature });
  const believed = (fields: Fields, said: { status?: number; requestSignature?: string } = {}): boolean => {
    const form = readAnswerForm(pairs(fields));
    return form.ok && isSignedAnswer(form.value, { status: 404, requestSignature, ...said }, server.keys);
  };
  const askedFor = { method: 'POST', url: URI, headers: request };

  test('signed here verifies in another library, together with its request', async () => {
    const config = { keyLookup, tolerance: 1e10, notAfter: new Date(NOW + 1_000) };
    expect(await httpbis.verifyMessage(config, { status: 404, headers: answer() }, askedFor)).toBe(true);
    expect(await httpbis.verifyMessage(config, { status: 200, headers: answer() }, askedFor)).toBe(false);
  });

  test('signed by another library verifies here', async () => {
    const fields = ['@status', 'content-type', 'content-digest', '"signature";req'];
    const headers = { 'content-type': 'application/protobuf', 'content-digest': contentDigest(BODY) };
    const config = { key: libraryKey, name: 'reedbed', fields, params: ['tag', 'created', 'keyid'], paramValues: values };
    const signed = await httpbis.signMessage(config, { status: 404, headers }, askedFor);
    const lower = Object.entries(signed.headers).map(([name, value]) => [name.toLowerCase(), String(value)]);
    expect(believed(Object.fromEntries(lower))).toBe(true);
  });

  test('is of one status, to one request, with one body', () => {
    expect(believed(answer())).toBe(true);
    expect(believed(answer(), { status: 200 })).toBe(false);
    expect(believed(answer(), { requestSignature: `reedbed=:${Buffer.alloc(64).toString('base64')}:` })).toBe(false);
    expect(believed(changed(answer(), 'content-digest', () => contentDigest(new Uint8Array())))).toBe(false);
  });

  test('has to have an answer’s form', () => {
    expect(readAnswerForm(pairs(request)).ok).toBe(false);
    for (const name of Object.keys(answer()))
      expect(believed(Object.fromEntries(Object.entries(answer()).filter(([other]) => other !== name)))).toBe(false);
    expect(believed(changed(answer(), 'signature-input', (value) => value.replace(';req', '')))).toBe(false);
    expect(believed(changed(answer(), 'signature-input', (value) => `${value};nonce="x"`))).toBe(false);
  });
});
