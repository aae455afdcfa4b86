// Invite links: `<origin>/join#<server>.<invite>.<secret>`. The secret stays in the fragment, which browsers send to nobody;
// the server id in it pins the server, so that whoever sits in between can't pass another one off.
import { fromBase64url } from '../base/ids.ts';
import type { InviteId, ServerId } from '../wire/address.ts';
import { inviterOf, parseInviteId, parseServerId, serverOf } from '../wire/address.ts';

const SECRET_BYTES = 32;

export type Invite = {
  /** Where the server is, if the text was a whole link. */
  readonly origin?: string;
  readonly server: ServerId;
  /** `root` for the link that makes the first member. */
  readonly invite: InviteId;
  /** base64url of 32 bytes. */
  readonly secret: string;
};

/** Reads a whole invite link or its fragment; null if it is neither. */
export function parseInviteLink(text: string): Invite | null {
  const trimmed = text.trim();
  const hash = trimmed.indexOf('#');
  const parts = trimmed.slice(hash + 1).split('.');
  if (parts.length !== 3) return null;
  const [serverText = '', inviteText = '', secret = ''] = parts.map(decoded);
  const server = parseServerId(serverText);
  const invite = parseInviteId(inviteText);
  if (!server || !invite || fromBase64url(secret)?.length !== SECRET_BYTES) return null;
  const inviter = inviterOf(invite);
  if (inviter && serverOf(inviter) !== server) return null;
  const origin = originOf(trimmed.slice(0, Math.max(0, hash)));
  return { server, invite, secret, ...(origin ? { origin } : {}) };
}

/** The link for an invite. `origin` is the server's http(s) origin. */
export const makeInviteLink = (origin: string, invite: Pick<Invite, 'server' | 'invite' | 'secret'>): string =>
  `${new URL(origin).origin}/join#${invite.server}.${invite.invite}.${invite.secret}`;

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function originOf(text: string): string | null {
  if (!URL.canParse(text)) return null;
  const { protocol, origin } = new URL(text);
  return protocol === 'http:' || protocol === 'https:' ? origin : null;
}
