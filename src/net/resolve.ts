// Names to addresses. Public names are asked of the name servers directly: the system's own look-up takes a thread of the few that files and
// cryptography share, and a name server that is silent would hold them all. In one house the system's look-up, since names may be in its files.
import { promises as dns, type LookupAddress } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { isIP } from 'node:net';
import { reachOf } from './addresses.ts';
import type { OriginRules } from './origin.ts';

/** All addresses of a name; rejects or is empty if there are none. */
export type Resolve = (name: string) => Promise<readonly string[]>;

const LOOK_UP_MS = 3_000;
const TRIES = 2;

/** @param servers the name servers to ask, as `dns.setServers` takes them; without it those of the system */
export function nameServers(servers?: readonly string[]): Resolve {
  const resolver = new dns.Resolver({ timeout: LOOK_UP_MS, tries: TRIES });
  if (servers !== undefined) resolver.setServers(servers);
  return async (name) => {
    const found = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
    return found.flatMap((one) => (one.status === 'fulfilled' ? one.value : []));
  };
}

const ofTheSystem: Resolve = async (name) => (await dns.lookup(name, { all: true })).map(({ address }) => address);

export const resolverFor = ({ allowPrivate }: OriginRules): Resolve => (allowPrivate ? ofTheSystem : nameServers());

/** A name led to an address that we do not connect to. */
export class AddressRefused extends Error {
  override readonly name = 'AddressRefused';
}

/** The addresses of a name, each of them vetted: one that is refused refuses the name. @throws AddressRefused */
export async function vetted(resolve: Resolve, name: string, { allowPrivate }: OriginRules): Promise<LookupAddress[]> {
  const addresses = await resolve(name);
  for (const address of addresses) {
    const reach = reachOf(address);
    if (reach === 'never' || (reach === 'private' && !allowPrivate)) throw new AddressRefused('an address of this name is not public');
  }
  return addresses.map((address) => ({ address, family: isIP(address) }));
}

/**
 * A look-up for sockets: asked once for each connection, and what it answers is what the socket connects to. Sockets ask it for names only,
 * so literals have to be vetted before.
 */
export const vettedLookup =
  (resolve: Resolve, rules: OriginRules): LookupFunction =>
  (name, options, done) => {
    vetted(resolve, name, rules).then(
      (addresses) => {
        const [first] = addresses;
        if (first === undefined) done(new Error('the name has no address'), '');
        else if (options.all === true) done(null, addresses);
        else done(null, first.address, first.family);
      },
      (error: Error) => done(error, ''),
    );
  };
