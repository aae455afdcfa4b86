// The vectors that hold no randomness: ids, canonical bytes, statements and frames.
import { fromHex, hex, uuidv7 } from '../../src/base/ids.ts';
import { serverIdFromFingerprint, userIdFromFingerprint } from '../../src/wire/address.ts';
import { canonicalBytes, STATEMENT_LIMITS, statementHash } from '../../src/wire/canonical.ts';
import { encodeFrame } from '../../src/wire/codec.ts';
import { type FieldKind, FRAME_TYPES, FRAMES, type Frame, type MessageFields } from '../../src/wire/frames.ts';
import { checkStatement, STATEMENT_TYPES } from '../../src/wire/statements.ts';
import { parseStrictJson } from '../../src/wire/strict-json.ts';
import { examples, plain, UUIDS, type World } from '../../test/support/statements.ts';
import type { CanonicalVectors, FrameVectors, IdVectors, StatementVectors } from '../../test/support/vectors.ts';

const required = <T>(value: T | null | undefined): T => {
  if (value === null || value === undefined) throw new Error('a vector has no value');
  return value;
};

async function bytesOf(value: unknown): Promise<{ text: string; hash: string }> {
  const bytes = canonicalBytes(value);
  if (!bytes.ok) throw new Error(`no canonical bytes: ${bytes.reason}`);
  return { text: new TextDecoder().decode(bytes.value), hash: await statementHash(bytes.value) };
}

export async function idVectors(): Promise<IdVectors> {
  const fingerprints = [
    '0000000000000000000000000000000000000000',
    '48565acbfc74b378ab86e6b0379f1b5002573c10',
    'ffffffffffffffffffffffffffffffffffffffff',
  ];
  const derived = [];
  for (const fingerprint of fingerprints) {
    const server = await serverIdFromFingerprint(fingerprint);
    derived.push({ fingerprint, server, user: await userIdFromFingerprint(fingerprint, server) });
  }
  const { fingerprint, server, user } = required(derived[1]);
  const [uuid] = UUIDS;
  const valid = {
    server: [server, 'aaaaaaaaaaaaaaaa', '2222222277777777'],
    user: [user],
    userKey: [`${user}/${fingerprint}`],
    serverKey: [`${fingerprint}@${server}`],
    reed: [`${user}/${uuid}`],
    request: [`${user}/${uuid}`],
    invite: ['root', `${user}/${uuid}`],
    fingerprint: fingerprints,
    uuid: [...UUIDS, '00000000-0000-7000-8000-000000000000', 'ffffffff-ffff-7fff-bfff-ffffffffffff'],
  };
  const never = [
    '',
    'peer',
    `peer@${server}`,
    `peer@${server}/${uuid}`,
    user.toUpperCase(),
    ` ${user}`,
    `${user}\n`,
    `${user}\u0000`,
    `${user}/`,
    `${user}/../${uuid}`,
  ];
  const badUuids = [uuid.replace('-7', '-4'), uuid.replace('-8', '-c'), uuid.toUpperCase(), uuid.replaceAll('-', ''), `{${uuid}}`];
  const owned = [...never, ...badUuids.map((bad) => `${user}/${bad}`), uuid, user];
  const invalid = {
    server: [...never, `${server}a`, server.slice(1), server.replace(/.$/, '1')],
    user: [...never, `${user}@${server}`, `${user}/${uuid}`, server],
    userKey: [...never, `${user}/${fingerprint.toUpperCase()}`, `${user}/${fingerprint}0`, `${user}/${uuid}`],
    serverKey: [...never, `${fingerprint}@`, `${fingerprint.slice(1)}@${server}`, `${server}@${fingerprint}`],
    reed: owned,
    request: owned,
    invite: [...owned, 'ROOT', 'root/'],
    fingerprint: [...never, fingerprint.slice(1), fingerprint.toUpperCase()],
    uuid: [...never, ...badUuids],
  };
  const seeds = [
    { ms: 0, random: '00000000000000000000' },
    { ms: 1_767_225_600_000, random: 'ffffffffffffffffffff' },
    { ms: 281_474_976_710_655, random: '0123456789abcdef0123' },
  ];
  const uuids = seeds.map((seed) => ({ ...seed, uuid: uuidv7(seed.ms, () => required(fromHex(seed.random))) }));
  return { valid, invalid, derived, uuids };
}

export async function canonicalVectors(): Promise<CanonicalVectors> {
  const values: [string, unknown][] = [
    ['nothing', {}],
    ['key order', { b: 1, a: 2, B: 3, '1': 4, '': 5 }],
    ['order by UTF-16', { '\ufb33': 1, '\u{1f600}': 2, '\u20ac': 3 }],
    ['escapes', { text: '"\\/\b\f\n\r\t\u0001\u007f\u2028' }],
    ['text beyond ASCII', { text: 'größe 葦 🌾' }],
    ['numbers', { zero: 0, less: -1, most: Number.MAX_SAFE_INTEGER, least: -Number.MAX_SAFE_INTEGER }],
    ['lists and booleans', { list: [true, false, [], {}], empty: [] }],
    ['four levels', [[[['x']]]]],
  ];
  const accepted = [];
  for (const [name, value] of values) accepted.push({ name, value, ...(await bytesOf(value)) });
  const refused = (
    [
      ['null', { a: null }],
      ['a float', { a: 1.5 }],
      ['an integer too large', { a: 9_007_199_254_740_992 }],
      ['five levels', [[[[['x']]]]]],
      ['over 16 KiB', { a: 'x'.repeat(16_384) }],
    ] as [string, unknown][]
  ).map(([name, value]) => ({ name, value, reason: reasonOf(canonicalBytes(value)) }));
  const refusedJson = (
    [
      ['a repeated key', '{"a":1,"a":2}'],
      ['a repeated key in other letters', '{"a":1,"\\u0061":1}'],
      ['a repeated key further in', '{"x":{"a":1,"a":1}}'],
      ['a float', '[1.0]'],
      ['minus zero', '[-0]'],
      ['an integer that would be rounded', '[9007199254740993]'],
      ['half a surrogate pair', '["\\ud800"]'],
      ['a byte order mark', '\ufeff{}'],
      ['five thousand levels', `${'['.repeat(5_000)}${']'.repeat(5_000)}`],
      ['two values', '{}{}'],
    ] as [string, string][]
  ).map(([name, json]) => ({ name, json, reason: reasonOf(parseStrictJson(json, STATEMENT_LIMITS)) }));
  return { accepted, refused, refusedJson };
}

function reasonOf(result: { readonly ok: boolean; readonly reason?: string }): string {
  if (result.ok) throw new Error('a bad vector is accepted');
  return required(result.reason);
}

export async function statementVectors(world: World, ownKey: { signature: string; transport: string }): Promise<StatementVectors> {
  const all = examples(world, ownKey);
  const accepted = [];
  for (const type of STATEMENT_TYPES) accepted.push({ statement: all[type], ...(await bytesOf(all[type])) });
  const bad: [string, Record<string, unknown>][] = [
    ['of another app', { ...plain(all.follow), app: 'other' }],
    ['of an unknown type', { ...plain(all.follow), type: 'greet' }],
    ['of another version', { ...plain(all.follow), v: 2 }],
    ['with a field more', { ...plain(all.follow), note: 'x' }],
    ['with a number for text', { ...plain(all.follow), createdAt: 1_767_225_600_000 }],
    ['with a list for text', { ...plain(all.follow), target: [world.other] }],
    ['with text that is not NFC', { ...plain(all.identity), bio: 'e\u0301' }],
    ['with a NUL', { ...plain(all.identity), bio: 'a\u0000' }],
    ['with a name in two scripts', { ...plain(all.identity), username: 'p\u0430ypal' }],
    ['with a tag in upper case', { ...plain(all.reed), tags: ['Reeds'] }],
    ['with a tag twice', { ...plain(all.reed), tags: ['reeds', 'reeds'] }],
    ['with a time without milliseconds', { ...plain(all.follow), createdAt: '2026-01-01T00:00:00Z' }],
    ['with a sentinel', { ...plain(all.follow), target: `peer@${world.server}` }],
    ['of two people', { ...plain(all.reed), author: world.other }],
    ['of somebody who follows themselves', { ...plain(all.follow), target: world.user }],
    ['of a reply without a root', Object.fromEntries(Object.entries(plain(all.reed)).filter(([name]) => name !== 'root'))],
    ['of a head that is not first', { ...plain(all.reed), thread: { head: all.reed.id, index: 1 } }],
  ];
  const refused = bad.map(([name, statement]) => {
    const checked = checkStatement(statement);
    if (checked.ok) throw new Error(`a bad vector is accepted: ${name}`);
    return { name, statement, reason: checked.reason, field: checked.detail };
  });
  return { accepted, refused };
}

const BYTES = Uint8Array.of(0, 1, 127, 128, 255);

function sample(field: string, kind: MessageFields[string], at: number): unknown {
  if (kind === 'string') return `${field} ${at} 葦`;
  if (kind === 'bytes') return BYTES;
  if (kind === 'uint32') return at === 0 ? 4_294_967_295 : at;
  if (kind === 'int64') return 1_767_225_600_000;
  if (kind === 'bool' || kind === 'optional-bool') return true;
  if (!('message' in kind)) return kind.enum[1];
  const inner = body(kind.message as Readonly<Record<string, FieldKind>>);
  return kind.repeated ? [inner, inner] : inner;
}

const body = (fields: MessageFields): object =>
  Object.fromEntries(Object.entries(fields).map(([field, kind], at) => [field, sample(field, kind, at)]));

const written = (value: unknown): unknown => {
  if (value instanceof Uint8Array) return { hex: hex(value) };
  if (Array.isArray(value)) return value.map(written);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, written(inner)]));
};

export function frameVectors(): FrameVectors {
  const id = '019b76da-a800-7000-8000-0000000000ff';
  const frames = FRAME_TYPES.map((type) => ({ id: type === 'ping' ? '' : id, type, body: body(FRAMES[type]) }) as Frame);
  frames.push(
    { id: '', type: 'publishReady', body: { reedId: 'x' } },
    { id: '', type: 'publishReady', body: { reedId: 'x', broadcast: false } },
  );
  const ping = hex(encodeFrame({ id: '', type: 'ping', body: {} }));
  const idField = hex(encodeFrame({ id, type: 'ping', body: {} })).slice(0, -ping.length);
  const refused = [
    { name: 'empty', hex: '', reason: 'malformed', detail: '' },
    { name: 'an id alone', hex: idField, reason: 'malformed', detail: '' },
    { name: 'two bodies', hex: ping + ping, reason: 'malformed', detail: '' },
    { name: 'two ids', hex: idField + idField + ping, reason: 'malformed', detail: '' },
    { name: 'an unknown body', hex: `${idField}fa3f00`, reason: 'unknown-body', detail: id },
    { name: 'a length beyond the end', hex: '2a7f', reason: 'malformed', detail: '' },
    { name: 'an id that is no UTF-8', hex: '0a02fffe2a00', reason: 'malformed', detail: '' },
    { name: 'text', hex: hex(new TextEncoder().encode('{"type":"ping"}')), reason: 'malformed', detail: '' },
  ];
  return {
    limits: { frameBytes: 16_384, relayResponseBytes: 1_048_576 },
    accepted: frames.map((frame) => ({ hex: hex(encodeFrame(frame)), frame: written(frame) })),
    refused,
  };
}
