// The links people pass on and follow: a reed's, a pipe's, a profile's, an invite's. An invite's secret stays in the fragment, which browsers
// send to nobody.
import { parseReedId, parseUserId } from '../../../src/wire/address.ts';

export type InviteLink = { readonly server: string; readonly invite: string; readonly secret: string };

/** Reads `#<server>.<invite>.<secret>`; null if it has another form. No part holds a dot. */
export function readInvite(fragment: string): InviteLink | null {
  const parts = unescaped(fragment.replace(/^#/, ''))?.split('.') ?? [];
  const [server, invite, secret] = parts;
  return parts.length === 3 && server && invite && secret ? { server, invite, secret } : null;
}

function unescaped(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}

/** Whether an address leads nowhere but to the computer on which it is opened. */
export const isOfThisComputer = (hostname: string): boolean => {
  const bare = hostname.replace(/^\[|\]$/g, '');
  return bare === 'localhost' || bare.endsWith('.localhost') || bare === '::1' || bare.startsWith('127.');
};

/** Where in the app a link to a reed or a profile leads, whichever server it was copied from; or the bare id of one. Null for anything else. */
export function placeIn(text: string): string | null {
  const given = text.trim().replace(/^@/, '');
  const path = URL.canParse(given) ? new URL(given).pathname : given;
  const id = unescaped(path.replace(/^\/?(?:reed|profile)\//, '')) ?? '';
  if (parseUserId(id)) return profilePath(id);
  return parseReedId(id) ? reedPath(id) : null;
}

export const reedPath = (reedId: string): string => `/reed/${encodeURIComponent(reedId)}`;

export const reedLink = (reedId: string): string => `${location.origin}${reedPath(reedId)}`;

export const pipePath = (tag: string): string => `/pipe/${encodeURIComponent(tag)}`;

export const profilePath = (userId: string): string => `/profile/${encodeURIComponent(userId)}`;
