// What a server says about itself, proven from its id on: its chain of identity keys, and the document that one of them signed.
// Also the plain Ed25519 transport keys that the document names, which sign the welcome of a session.
import { base64url, fromBase64url } from '../base/ids.ts';
import { DEFAULT_LIMITS as LIMITS } from '../base/limits.ts';
import { fail, ok, type Result } from '../base/result.ts';
import type { ServerId, ServerKeyId } from '../wire/address.ts';
import { canonicalBytes } from '../wire/canonical.ts';
import { parseTime, plainKeys } from '../wire/kinds.ts';
import { checkStatement, heading, type StatementOf } from '../wire/statements.ts';
import { readPublicKey } from './openpgp.ts';
import { isWeakPoint } from './packets.ts';
import { type AcceptedSigned, type KnownServerKey, type VerifyReason, verifySigned } from './statement.ts';

type Document = StatementOf<'server-document'>;
export type TransportKeys = Document['transportKeys'];

export type AcceptedDocument = AcceptedSigned<'server-document'> & {
  /** The identity keys in their order. */
  readonly serverKeys: readonly KnownServerKey[];
};

const noUsers = async (): Promise<null> => null;

async function verifyServerKeys(document: Document, now: number): Promise<Result<readonly KnownServerKey[], VerifyReason>> {
  const proven = new Map<ServerKeyId, KnownServerKey>();
  const keys = { userKey: noUsers, serverKey: async (id: ServerKeyId) => proven.get(id) ?? null };
  let before: { readonly predecessor?: ServerKeyId } = {};
  for (const { key, armor, signature, predecessorSignature } of document.keys) {
    const statement = { ...heading('server-key'), server: document.id, key, armor, ...before };
    const signatures = [{ key: key as string, signature }];
    if (before.predecessor !== undefined) signatures.push({ key: before.predecessor, signature: predecessorSignature ?? '' });
    const accepted = await verifySigned({ statement, signatures }, 'server-key', { keys, now });
    if (!accepted.ok) return fail(accepted.reason, `keys.${accepted.detail}`);
    const publicKey = await readPublicKey(armor);
    if (!publicKey.ok) return fail('bad-key', `keys: ${publicKey.reason}`);
    if (proven.has(key)) return fail('broken-chain', 'keys');
    proven.set(key, { id: key, publicKey: publicKey.value });
    before = { predecessor: key };
  }
  return ok([...proven.values()]);
}

const isGoodTransportKey = ({ publicKey }: TransportKeys[number]): boolean => {
  const point = fromBase64url(publicKey);
  return point !== null && !isWeakPoint({ use: 'sign', point });
};

/**
 * Accepts a server's document: its form, the server it is of, the chain of its keys from the id on, the signature of one of them, its dates.
 * @param expected the server whose document this must be, and its time (milliseconds since the epoch); `mayHaveRunOut` for keys that signed something
 * once: who speaks for the server now is said by a document that has not
 */
export async function verifyServerDocument(
  value: unknown,
  expected: { readonly server: ServerId; readonly now: number; readonly mayHaveRunOut?: boolean },
): Promise<Result<AcceptedDocument, VerifyReason>> {
  if (plainKeys(value)?.includes('statement') !== true) return fail('malformed');
  const given = (value as { readonly statement: unknown }).statement;
  // The chain stands inside the document, so its fields are looked at before its signature.
  const canonical = canonicalBytes(given);
  if (!canonical.ok) return canonical;
  const document = checkStatement(given, 'server-document');
  if (!document.ok) return document;
  const { id, issuedAt, expiresAt, transportKeys } = document.value;
  if (id !== expected.server) return fail('other-server', 'id');
  const serverKeys = await verifyServerKeys(document.value, expected.now);
  if (!serverKeys.ok) return serverKeys;
  const lookup = { userKey: noUsers, serverKey: async (wanted: ServerKeyId) => serverKeys.value.find((key) => key.id === wanted) ?? null };
  const accepted = await verifySigned(value, 'server-document', { keys: lookup, now: expected.now });
  if (!accepted.ok) return accepted;
  if (!transportKeys.every(isGoodTransportKey)) return fail('bad-key', 'transportKeys');
  if ((parseTime(issuedAt) as number) > expected.now + LIMITS.clockAheadMs) return fail('dated-ahead', 'issuedAt');
  if (!expected.mayHaveRunOut && (parseTime(expiresAt) as number) <= expected.now) return fail('expired', 'expiresAt');
  return ok({ ...accepted.value, serverKeys: serverKeys.value });
}

export type Welcome = Pick<StatementOf<'welcome'>, 'server' | 'session' | 'clientNonce'>;

function welcomeBytes(welcome: Welcome): Uint8Array<ArrayBuffer> | null {
  const statement = { ...heading('welcome'), ...welcome };
  const bytes = canonicalBytes(statement);
  return bytes.ok && checkStatement(statement, 'welcome').ok ? bytes.value : null;
}

/** Signs a welcome with the private half of a transport key (Ed25519 of WebCrypto); base64url. */
export async function signWelcome(welcome: Welcome, key: CryptoKey): Promise<string> {
  const bytes = welcomeBytes(welcome);
  if (bytes === null) throw new TypeError('not a welcome');
  return base64url(new Uint8Array(await crypto.subtle.sign('Ed25519', key, bytes)));
}

/** Whether one of the server's transport keys signed this welcome. */
export async function verifyWelcome(
  welcome: Welcome,
  given: { readonly kid: string; readonly signature: string },
  transportKeys: TransportKeys,
): Promise<boolean> {
  const bytes = welcomeBytes(welcome);
  const named = transportKeys.find(({ kid }) => kid === given.kid);
  const signature = fromBase64url(given.signature);
  const point = named && fromBase64url(named.publicKey);
  if (!bytes || !named || !signature || !point || point.length !== 32 || isWeakPoint({ use: 'sign', point })) return false;
  try {
    const key = await crypto.subtle.importKey('raw', point, 'Ed25519', false, ['verify']);
    return await crypto.subtle.verify('Ed25519', key, signature, bytes);
  } catch {
    return false;
  }
}
