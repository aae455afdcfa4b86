// Asks the server whether an invite still opens, before a key or anything else is made. Sends the secret to that server only.
import { readInvite } from '../text/links.ts';

export type InviteCheck =
  | { readonly state: 'checking' }
  | { readonly state: 'open'; readonly serverName: string }
  | { readonly state: 'refused'; readonly detail: string };

const refused = (detail: string): InviteCheck => ({ state: 'refused', detail });

/**
 * Checks the invite in an address's fragment; an empty one is good where anybody may sign up.
 * Never rejects: what went wrong is in the answer, in words for the person.
 */
export async function checkInvite(fragment: string): Promise<InviteCheck> {
  const link = readInvite(fragment);
  if (!link && fragment !== '') return refused('The link is incomplete. It ends in three parts after a # sign; copy all of it.');
  try {
    const server = await fetch('/api/v1/server');
    if (!server.ok) return refused('The server does not answer as it should. Try again in a moment.');
    const { id, name, signup } = (await server.json()) as { id: string; name?: string; signup?: string };
    if (signup === 'closed' && link?.invite !== 'root') return refused('This server takes no new members at the moment.');
    if (!link) return signup === 'open' ? { state: 'open', serverName: name ?? '' } : refused('You need an invite to join this server.');
    if (id !== link.server) return refused('This invite is for another server than the one this page came from.');
    const answer = await fetch('/api/v1/invites/check', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ invite: link.invite, secret: link.secret }),
    });
    if (answer.ok) return { state: 'open', serverName: name ?? '' };
    if (answer.status === 429) return refused('Too many tries from your address. Wait a minute and open the link again.');
    return refused('It was used already, it ran out, or the link is incomplete.');
  } catch {
    return refused('The server can’t be reached. Check your connection and open the link again.');
  }
}
