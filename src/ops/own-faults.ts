// What the rules of the server refuse to its operator, as faults with their mend.
import { AppError } from '../base/errors.ts';
import { SetupError } from '../base/setup-error.ts';

const MENDS: Readonly<Record<string, string>> = {
  NOT_FOUND: 'reedbed peers list shows the peerings there are.',
  CONFLICT: 'reedbed peers list shows how they stand.',
  FORBIDDEN: 'reedbed peers show says who does it now, and how.',
  INVALID: 'Look whether all of it was copied.',
  EXPIRED: 'It is made by reedbed peers invite, at the other server.',
  UNAVAILABLE: 'Once the cause is mended, run it again: nothing was done that stands in the way.',
};

/** Refusals that have a mend of their own. */
const OWN_MENDS: Readonly<Record<string, string>> = {
  'connection: made for another server':
    'It is sealed to one server’s key: the other admin makes one from what `reedbed keys print` prints here, all of it.',
  'connection: not whole, or not genuine':
    'Look whether all of it was copied. If it was: let their admin make another, a minute after they made a new identity key at the earliest.',
  'key: that of this server itself': 'It is theirs that is asked for: reedbed keys print, at the other server.',
  'the other server did not answer as itself (unsigned); try again':
    'If it stays so, the connection string has run out, or their admin has made a newer one: let them send that.',
  'the other server did not answer as itself (unreachable); try again':
    'Its address stands above: their admin looks whether it runs, and whether it can be reached there.',
  'the other server did not answer as itself (refused-address); try again':
    'Its address stands above, and is none of a public https server. To try it on one machine: REEDBED_ALLOW_PRIVATE_PEERS=on, for servers and commands of both sides.',
  'a key of that server was compromised: name its new one, as fingerprint@server':
    'reedbed peers show prints the command with it, once that server has shown it.',
  'target: that server has not shown this key as its newest': 'reedbed peers show says which it has shown.',
  "target: not that server's newest key": 'reedbed peers show says which that is; for most peerings the server’s id will do.',
  'a new identity key is announced already':
    'It signs when it said; reedbed keys print says when. If a key is in other hands: reedbed keys rotate --kind identity --compromised',
  'a new transport key is announced already':
    'It signs within ten minutes of being made; then make another one. If a key is in other hands: reedbed keys rotate --compromised',
  'not now: the peering is invited': 'They have not accepted the invitation yet: reedbed peers show says until when they can.',
  'not now: the peering is pending': 'It waits to be approved: reedbed peers approve',
  'not now: the peering is approved-by-us': 'It waits for their admin to approve it, too.',
  'not now: the peering is live': 'They are a peer already.',
  'not now: the peering is suspended': 'End the pause first: reedbed peers resume',
  'not now: the peering is revoked': 'It begins anew with an invitation: reedbed peers invite',
};

/** Refusals whose end says what is wrong with an address. */
const MENDS_OF_ADDRESSES: readonly (readonly [string, string])[] = [
  [
    'peers can not call this server at its address: ',
    'Start it with its https address in REEDBED_PUBLIC_URL. To try it on one machine: REEDBED_ALLOW_PRIVATE_PEERS=on, for servers and commands of both sides.',
  ],
  [
    'the other server refused: baseUrl: ',
    'It does not call the address of this server. Start this one with its https address in REEDBED_PUBLIC_URL; to try it on one machine, REEDBED_ALLOW_PRIVATE_PEERS=on is needed there, too.',
  ],
];

const mendOf = ({ code, detail }: AppError): string | undefined =>
  OWN_MENDS[detail] ?? MENDS_OF_ADDRESSES.find(([beginning]) => detail.startsWith(beginning))?.[1] ?? MENDS[code];

/** @throws SetupError in place of an AppError that the operator can do something about */
export const mended = async <T>(work: () => Promise<T>): Promise<T> => {
  try {
    return await work();
  } catch (error) {
    const mend = error instanceof AppError ? mendOf(error) : undefined;
    if (mend === undefined) throw error;
    const { detail } = error as AppError;
    throw new SetupError(`${detail.charAt(0).toUpperCase()}${detail.slice(1)}.`, mend, { cause: error });
  }
};
