// What other servers are called: by the host of their address, which people know, as long as no two of them have the same; else by their id.
import { parseReedId, parseUserId, type ReedId, serverOf, type UserId } from '../../../src/wire/address.ts';
import type { PeerRef } from '../link/community.ts';

/** Empty if it is no address. */
export const hostOf = (url: string): string => (URL.canParse(url) ? new URL(url).host : '');

/** @param own the host of one's own server, which no other one is called by */
export function labelsOf(known: readonly { readonly server: string; readonly webUrl: string }[], own: string): Map<string, string> {
  const hosts = known.map(({ webUrl }) => hostOf(webUrl));
  const isSole = (host: string): boolean => host !== '' && host !== own && hosts.indexOf(host) === hosts.lastIndexOf(host);
  return new Map(known.map(({ server }, at) => [server, isSole(hosts[at] ?? '') ? (hosts[at] ?? '') : server]));
}

/** Whether what is typed of a server so far is how this one is called or its id begin. */
export const beginsSo = (typed: string, { server, label }: Pick<PeerRef, 'server' | 'label'>): boolean =>
  [label, server].some((called) => called.startsWith(typed.toLowerCase()));

/** Another server as it stands to the one of this member. */
export type Elsewhere = Pick<PeerRef, 'label' | 'name' | 'state'>;

type Around = { readonly me: { readonly server: string } | null; readonly peers: readonly PeerRef[] };

/** Where somebody or a reed is from, if it is another server than one's own; one that was never heard of exchanges nothing with it. */
export function elsewhere(id: string, { me, peers }: Around): Elsewhere | null {
  const address = parseUserId(id) ?? parseReedId(id);
  const server = address === null ? '' : serverOf(address as UserId | ReedId);
  if (server === '' || me === null || server === me.server) return null;
  return peers.find((peer) => peer.server === server) ?? { label: server, name: '', state: 'ended' };
}

/** What a person is told where something of another server is shown; null where all is as at home. */
export function standsText({ label, state }: Elsewhere): string | null {
  if (state === 'away') return `${label} is away at the moment. What is here can be read, and what you do is passed on when it is back.`;
  return state === 'ended'
    ? `Your server exchanges nothing with ${label} now. What is on this device stays; nothing new comes from ${label}, and nothing of yours goes there.`
    : null;
}
