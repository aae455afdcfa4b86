// The string that one admin sends another: a signed invitation, its secret and the inviting server's document, sealed to the identity key of the
// server that is invited. Whoever else reads it learns that two servers may become peers, and how long it is.
import { base64url, fromBase64url, sha256 } from '../base/ids.ts';
import { fail, ok, type Result } from '../base/result.ts';
import { decryptWith, encryptTo, type PrivateKey, type PublicKey } from '../crypto/openpgp.ts';
import { type AcceptedDocument, verifyServerDocument } from '../crypto/server-document.ts';
import { verifySigned } from '../crypto/statement.ts';
import type { ServerId, ServerKeyId } from '../wire/address.ts';
import type { Signed } from '../wire/canonical.ts';
import { parseTime, plainKeys } from '../wire/kinds.ts';
import { parseJson } from '../wire/peering.ts';
import type { StatementOf } from '../wire/statements.ts';

export type Invitation = {
  readonly signed: Signed<StatementOf<'peering'>>;
  readonly secret: Uint8Array<ArrayBuffer>;
  readonly document: object;
};

/** What an invited server's admin is shown and asked about, and what its server needs to answer. */
export type OpenedInvitation = {
  readonly from: ServerId;
  readonly secret: Uint8Array;
  readonly document: AcceptedDocument;
  readonly expiresAtMs: number;
};

/** not-ours: sealed to another server's key, or for another server · expired · malformed: not whole, or not what its server signed */
export type ConnectionReason = 'malformed' | 'not-ours' | 'expired';

const PREFIX = 'reedbed-peering:';
const SECRET_BYTES = 32;

export async function sealConnection({ signed, secret, document }: Invitation, to: PublicKey): Promise<string> {
  const bytes = new TextEncoder().encode(JSON.stringify({ invitation: signed, secret: base64url(secret), document }));
  return `${PREFIX}${base64url(await encryptTo(bytes, to))}`;
}

type Parts = { readonly invitation: unknown; readonly secret: Uint8Array<ArrayBuffer>; readonly document: unknown };

function partsOf(value: unknown): Parts | null {
  const keys = plainKeys(value);
  if (keys?.length !== 3 || !['invitation', 'secret', 'document'].every((key) => keys.includes(key))) return null;
  const { invitation, secret, document } = value as Readonly<Record<string, unknown>>;
  const bytes = typeof secret === 'string' ? fromBase64url(secret) : null;
  return bytes?.length === SECRET_BYTES ? { invitation, secret: bytes, document } : null;
}

async function open(text: string, keys: readonly PrivateKey[], mostBytes: number): Promise<Result<Parts, ConnectionReason>> {
  const bare = text.replace(/\s+/g, '');
  const sealed = bare.startsWith(PREFIX) && bare.length <= mostBytes ? fromBase64url(bare.slice(PREFIX.length)) : null;
  if (sealed === null) return fail('malformed');
  const opened = await decryptWith(sealed, keys);
  if (!opened.ok) return fail(opened.reason === 'not-for-us' ? 'not-ours' : 'malformed');
  const parsed = parseJson(opened.value);
  const parts = parsed.ok ? partsOf(parsed.value) : null;
  return parts === null ? fail('malformed') : ok(parts);
}

const claimedServer = (document: unknown): ServerId =>
  (document as { readonly statement?: { readonly id?: ServerId } } | null)?.statement?.id ?? ('' as ServerId);

export type Opener = { readonly id: ServerId; readonly keys: readonly PrivateKey[]; readonly nowMs: number; readonly mostBytes: number };

/** Opens a connection string that was made for the server `id`, and proves every part of it from the inviting server's id on. */
export async function openConnection(
  text: string,
  { id, keys, nowMs, mostBytes }: Opener,
): Promise<Result<OpenedInvitation, ConnectionReason>> {
  const parts = await open(text, keys, mostBytes);
  if (!parts.ok) return parts;
  const { invitation, secret, document } = parts.value;
  const verified = await verifyServerDocument(document, { server: claimedServer(document), now: nowMs });
  if (!verified.ok) return fail(verified.reason === 'expired' ? 'expired' : 'malformed', 'document');
  const { serverKeys, signed } = verified.value;
  const lookup = {
    userKey: async () => null,
    serverKey: async (wanted: ServerKeyId) => serverKeys.find((key) => key.id === wanted) ?? null,
  };
  const signedBy = await verifySigned(invitation, 'peering', { keys: lookup, now: nowMs });
  if (!signedBy.ok) return fail('malformed', 'invitation');
  const { from, to, secretHash, expiresAt } = signedBy.value.signed.statement;
  if (from !== signed.statement.id || secretHash !== base64url(await sha256(secret))) return fail('malformed', 'invitation');
  if (to !== id) return fail('not-ours');
  const expiresAtMs = parseTime(expiresAt) ?? 0;
  return expiresAtMs <= nowMs ? fail('expired') : ok({ from, secret, document: verified.value, expiresAtMs });
}
