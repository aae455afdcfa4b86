// Making an invite: signed by the member's key, known to the server by the hash of its secret. The secret is in the link and nowhere else.
import { base64url, type RandomBytes, sha256, uuidv7 } from '../base/ids.ts';
import type { Limits } from '../base/limits.ts';
import { makeInviteId } from '../wire/address.ts';
import { printTime } from '../wire/kinds.ts';
import { heading } from '../wire/statements.ts';
import type { Api, TokenSource } from './api.ts';
import { makeInviteLink } from './invite-link.ts';
import type { KeyRing } from './key-ring.ts';
import type { ServerTime } from './server-time.ts';
import type { Account } from './types.ts';

const SECRET_BYTES = 32;

export type InvitingDeps = {
  readonly api: Api;
  readonly keyRing: KeyRing;
  readonly random: RandomBytes;
  readonly time: ServerTime;
  readonly limits: Pick<Limits, 'inviteMs'>;
};

/** @returns the link; @throws AppError by what the server answers */
export async function createInvite(
  { api, keyRing, random, time, limits }: InvitingDeps,
  { user, key, server }: Account,
  session: TokenSource,
): Promise<string> {
  const now = time.now();
  const secret = random(SECRET_BYTES);
  const id = makeInviteId(user, uuidv7(now, random));
  const tokenHash = base64url(await sha256(secret));
  const statement = { ...heading('invite'), id, user, key, tokenHash, role: 'user' as const, expiresAt: printTime(now + limits.inviteMs) };
  await api.call('invites', { method: 'POST', body: await keyRing.sign(statement, now), session });
  return makeInviteLink(api.origin, { server, invite: id, secret: base64url(secret) });
}
