// What is left of a whole story on the server's disk: members, an invitation, a reed and its copy, a search, a backup, and every secret put where it does
// not belong. Searched live in every table, then, after a clean stop, in every file: Postgres' own log, its write-ahead log and its data.
import { createHash } from 'node:crypto';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Member } from '../../src/client/member.ts';
import { type KeySecrets, memoryKeySafe } from '../../src/client/memory-key-ring.ts';
import { Line } from '../support/altered-parts.ts';
import { type Child, removeFolder } from '../support/child.ts';
import { makeDataFolder } from '../support/data-folder.ts';
import { makeMember } from '../support/members.ts';
import { packetsOf } from '../support/openpgp-parts.ts';
import { databaseUrlOf } from '../support/processes.ts';
import { type Ready, readyLine, spawnServer } from '../support/server-process.ts';

const BODY = 'the bittern with the torn wing sleeps under the third willow';
const SEARCHED = 'murmuration';
const SERVER_PASSPHRASE = 'kingfisher alder sedge marsh lantern';
const BACKUP_PASSPHRASE = 'seven quiet words about a heron and rain';
/** Enough not to stand anywhere by chance. */
const PIECE_BYTES = 10;
const CHECK_MS = 120_000;

let folder: string;
let server: Child;
let ready: Ready;
/** What must be nowhere, by what it is. */
const secrets = new Map<string, Buffer>();
/** What is rightly there, by what it is. */
const kept = new Map<string, Buffer>();
/** Where each secret was found, live and after the stop. */
let live: string[];
let after: string[];
let found: string[];
let postgresLog: string;
const data = (): string => join(folder, 'data');

/** The part of a text's base64 that is there whatever stands before and behind it. */
const base64Core = (bytes: Buffer, shift: number): string =>
  Buffer.concat([Buffer.alloc(shift), bytes])
    .toString('base64')
    .slice(Math.ceil((shift * 8) / 6), Math.floor(((shift + bytes.length) * 8) / 6));
/** The forms in which bytes get written down. */
function formsOfPiece(bytes: Buffer): Buffer[] {
  const encoded = [0, 1, 2].map((shift) => base64Core(bytes, shift));
  const url = encoded.map((text) => text.replaceAll('+', '-').replaceAll('/', '_'));
  return [bytes, ...[bytes.toString('hex'), bytes.toString('hex').toUpperCase(), ...encoded, ...url].map((text) => Buffer.from(text))];
}
/** Of long ones each piece: armor breaks its lines somewhere. */
const formsOf = (bytes: Buffer): Buffer[] =>
  Array.from({ length: Math.ceil((bytes.length - PIECE_BYTES + 1) / PIECE_BYTES) }, (_, at) =>
    formsOfPiece(bytes.subarray(at * PIECE_BYTES, at * PIECE_BYTES + PIECE_BYTES)),
  ).flat();

/** The 32 bytes of an unprotected private key that its public half does not have. */
async function privateBytes(armor: string): Promise<Buffer> {
  const { body } = (await packetsOf(armor)).find(({ tag }) => tag === 5) ?? {};
  if (body === undefined) throw new Error('no private key');
  // The secret is the last number before a checksum of two octets.
  return Buffer.from(body.subarray(-32, -2));
}

type Watched = { readonly member: Member; readonly line: Line };
/** A member whose tokens, keys and ciphertexts are noted as secrets. */
async function enter(name: string, invite: string | null): Promise<Watched> {
  const line = new Line();
  let held: KeySecrets | null = null;
  const safe = memoryKeySafe();
  const noting = {
    load: () => safe.load(),
    save: (next: KeySecrets) => {
      held = held ?? next;
      return safe.save(next);
    },
  };
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const answer = await globalThis.fetch(input, init);
    const sent = new Headers(init?.headers).get('authorization');
    if (sent !== null) secrets.set(`token ${name} used`, Buffer.from(sent.replace('Bearer ', '')));
    const { token } = ((await answer
      .clone()
      .json()
      .catch(() => ({}))) ?? {}) as { token?: string };
    if (token !== undefined) secrets.set(`token ${name} was given`, Buffer.from(token));
    return answer;
  };
  const member = await makeMember(ready, { name, invite, safe: noting, deps: { fetch, socket: line.factory } });
  const { key, recovery = '' } = (held as KeySecrets | null) ?? { key: '' };
  secrets.set(`private key of ${name}`, await privateBytes(key));
  secrets.set(`private recovery key of ${name}`, await privateBytes(recovery));
  return { member, line };
}
const secretOf = (link: string): string => link.split('.').at(-1) ?? '';
const tokenOf = (name: string): string => String(secrets.get(`token ${name} was given`) ?? '');

/** Every secret in places where none belongs: addresses, headers, bodies, statements. */
async function misplace(): Promise<void> {
  const call = (path: string, init: RequestInit = {}) => globalThis.fetch(`${ready.url}${path}`, init).then((answer) => answer.text());
  const headers = { authorization: `Bearer ${tokenOf('wren')}`, 'content-type': 'application/json' };
  for (const secret of [...secrets.values()].map((bytes) => bytes.toString('latin1'))) {
    const text = encodeURIComponent(secret);
    await call(`/api/v1/users/${text}`, { headers });
    await call(`/api/v1/reeds/${text}?token=${text}`, { headers });
    await call(`/api/v1/users?query=${text}`, { headers });
    await call(`/api/v1/devices`, { headers: { authorization: `Bearer ${text}` } });
    await call('/api/v1/invites/check', { method: 'POST', headers, body: JSON.stringify({ secret: secret.slice(0, 64) }) });
    const statement = { app: 'reedbed', type: 'reed', v: 1, text: secret, tags: [secret] };
    const body = JSON.stringify({ statement, signatures: [{ key: secret, signature: secret }] });
    await call('/api/v1/reeds', { method: 'POST', headers, body });
    await call('/api/v1/auth/token', { method: 'POST', headers, body: JSON.stringify({ statement, signature: secret }) });
  }
}

async function tables(client: pg.Client): Promise<Map<string, Buffer>> {
  const { rows } = await client.query<{ name: string }>(
    `select c.oid::regclass::text as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where c.relkind in ('r', 'm') and n.nspname = 'public'`,
  );
  const contents = new Map<string, Buffer>();
  for (const { name } of rows) {
    const found = await client.query<{ row: string }>(`select t::text as row from ${name} t`);
    contents.set(`table ${name}`, Buffer.from(found.rows.map(({ row }) => row).join('\n')));
  }
  return contents;
}

async function files(): Promise<Map<string, Buffer>> {
  const entries = await readdir(data(), { recursive: true, withFileTypes: true });
  const contents = new Map<string, Buffer>();
  for (const entry of entries.filter((one) => one.isFile())) {
    const path = join(entry.parentPath, entry.name);
    contents.set(`file ${path.slice(data().length + 1)}`, await readFile(path));
  }
  return contents;
}

type Needle = { readonly what: string; readonly form: Buffer };
const prefixAt = (bytes: Buffer, at: number): number => ((bytes[at] ?? 0) << 16) | ((bytes[at + 1] ?? 0) << 8) | (bytes[at + 2] ?? 0);

/** Which of the wanted stand where. All at once, by their first three bytes: there are hundreds of forms and tens of megabytes. */
function find(wanted: ReadonlyMap<string, Buffer>, places: ReadonlyMap<string, Buffer>): string[] {
  const needles = new Map<number, Needle[]>();
  const isFirst = new Uint8Array(2 ** 24);
  for (const [what, bytes] of wanted)
    for (const form of bytes.length < 2 * PIECE_BYTES ? formsOfPiece(bytes) : formsOf(bytes)) {
      const prefix = prefixAt(form, 0);
      isFirst[prefix] = 1;
      needles.set(prefix, [...(needles.get(prefix) ?? []), { what, form }]);
    }
  const found = new Set<string>();
  for (const [place, content] of places)
    for (let at = 0; at + 2 < content.length; at++) {
      const prefix = prefixAt(content, at);
      if (isFirst[prefix] === 0) continue;
      for (const { what, form } of needles.get(prefix) ?? [])
        if (content.subarray(at, at + form.length).equals(form)) found.add(`${what} in ${place}`);
    }
  return [...found];
}
const log = (): Map<string, Buffer> => new Map([['the log', Buffer.from(server.output().err)]]);

/** An operator's mistake: Postgres refuses a row, and has to say so without showing it. */
async function refuseRow(client: pg.Client): Promise<void> {
  const values = [BODY, tokenOf('wren'), SEARCHED];
  await client.query('insert into users (id, username, role) values ($1, $2, $3)', values).catch(() => undefined);
  await client.query('insert into keys (id, armor, recovery) values ($1, $2, $3)', values).catch(() => undefined);
}

async function story(): Promise<void> {
  secrets.set('passphrase of the server', Buffer.from(SERVER_PASSPHRASE));
  secrets.set('passphrase of a backup', Buffer.from(BACKUP_PASSPHRASE));
  secrets.set('body of a reed', Buffer.from(BODY));
  secrets.set('search word', Buffer.from(SEARCHED));
  secrets.set('secret of the root invite', Buffer.from(secretOf(ready.rootInvite ?? '')));
  const author = await enter('wren', ready.rootInvite);
  const { reedId, published } = await author.member.publish({ text: BODY });
  await published;
  const invite = await author.member.createInvite();
  secrets.set('secret of an invite', Buffer.from(secretOf(invite)));
  const reader = await enter('dunlin', invite);
  expect((await reader.member.request(reedId)).body.text).toBe(BODY);
  const answer = await author.line.seen('out', 'relayResponse');
  const armor = Buffer.from(answer.body.ciphertext).toString('latin1');
  secrets.set('ciphertext', Buffer.from(armor.split('\n').slice(6, 8).join(''), 'base64'));
  secrets.set('ciphertext as it is sent', Buffer.from(armor.slice(400, 440)));
  await reader.member.backup(BACKUP_PASSPHRASE);
  await globalThis.fetch(`${ready.url}/api/v1/users?query=${SEARCHED}`, { headers: { authorization: `Bearer ${tokenOf('dunlin')}` } });
  await misplace();
  const keys = await globalThis.fetch(`${ready.url}/api/v1/keys/${encodeURIComponent(author.member.account?.key ?? '')}`, {
    headers: { authorization: `Bearer ${tokenOf('dunlin')}` },
  });
  const { certificate } = (await keys.json()) as { certificate: { statement: { armor: string } } };
  const point = (await packetsOf(certificate.statement.armor))[0]?.body.subarray(-32) ?? new Uint8Array();
  const texts = { 'name of a member': 'dunlin', 'id of a member': author.member.account?.user ?? '', 'id of a reed': reedId };
  for (const [what, text] of Object.entries({ ...texts, 'id of the server': ready.serverId })) kept.set(what, Buffer.from(text));
  kept.set('public key of a member', Buffer.from(point));
  kept.set(
    'hash of the secret of an invite',
    createHash('sha256')
      .update(Buffer.from(secretOf(invite), 'base64url'))
      .digest(),
  );
  await Promise.all([author.member.close(), reader.member.close()]);
}

beforeAll(async () => {
  folder = await makeDataFolder();
  await writeFile(join(folder, 'reedbed.toml'), '[limits]\nfailed_sign_ins_per_minute = 100000\nhttp_requests_per_minute = 100000\n');
  const env = { REEDBED_PASSPHRASE: SERVER_PASSPHRASE, REEDBED_LOG_LEVEL: 'trace' };
  server = spawnServer({ data: data(), env, cwd: folder });
  ready = await readyLine(server);
  await story();
  const client = new pg.Client({ connectionString: await databaseUrlOf(data()) });
  await client.connect();
  await refuseRow(client);
  const contents = await tables(client);
  await client.query('checkpoint');
  await client.end();
  live = find(secrets, new Map([...contents, ...log()]));
  server.send('SIGTERM');
  expect((await server.exit).code).toBe(0);
  const left = await files();
  const places = find(new Map([...secrets, ...kept]), new Map([...left, ...log()]));
  after = places.filter((place) => ![...kept.keys()].some((what) => place.startsWith(`${what} in `)));
  found = places.filter((place) => !after.includes(place));
  postgresLog = left.get('file postgres.log')?.toString() ?? '';
}, CHECK_MS);
afterAll(async () => {
  server.send('SIGTERM');
  await server.exit;
  await removeFolder(folder);
}, CHECK_MS);

describe('a server that has served a whole story', () => {
  test('knows what to look for', () => {
    expect([...secrets.keys()].sort()).toEqual([
      'body of a reed',
      'ciphertext',
      'ciphertext as it is sent',
      'passphrase of a backup',
      'passphrase of the server',
      'private key of dunlin',
      'private key of wren',
      'private recovery key of dunlin',
      'private recovery key of wren',
      'search word',
      'secret of an invite',
      'secret of the root invite',
      'token dunlin used',
      'token dunlin was given',
      'token wren used',
      'token wren was given',
    ]);
    for (const [what, bytes] of secrets) expect([what, bytes.length >= 11]).toEqual([what, true]);
  });

  test('has no secret in any table or line of its log while it runs', () => {
    expect(live).toEqual([]);
  });

  test('has none in any file after a clean stop', () => {
    expect(after).toEqual([]);
  });

  // And so that the search is known to find what is there, in whatever form.
  test.each([
    'name of a member',
    'id of a member',
    'id of a reed',
    'id of the server',
    'public key of a member',
    'hash of the secret of an invite',
  ])('has what it is there to keep: the %s', (what) => {
    expect(found.filter((place) => place.startsWith(`${what} in `)).length).toBeGreaterThan(0);
  });

  test('has a Postgres log that says what failed and shows no row', () => {
    expect(postgresLog).toContain('violates not-null constraint');
    expect(postgresLog).not.toMatch(/DETAIL|STATEMENT|CONTEXT|Failing row/);
  });
});
