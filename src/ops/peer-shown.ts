// A peering in words, for its operator: how it stands, who is to do what next, what is owed and what crosses.
import type { DetailedPeer, EndAsked } from '../federation/directory.ts';
import type { PeerTraffic } from '../federation/peer-report.ts';
import type { PeerStream } from '../federation/stream-report.ts';
import { fingerprintOf, spelled } from '../wire/address.ts';
import { isExchanging, lackOf } from './streams.ts';
import { counted, seconds } from './terminal.ts';

/** `streams` is null once the peering has ended. */
export type PeerView = {
  readonly peer: DetailedPeer;
  readonly traffic: PeerTraffic;
  readonly streams: PeerStream | null;
  /** How many members of ours are root or admin. */
  readonly admins: number;
};

const STATES: Readonly<Record<DetailedPeer['state'], string>> = {
  invited: 'invited: they have not accepted the invitation yet',
  pending: 'pending: not approved here yet',
  'approved-by-us': 'approved-by-us: not approved there yet',
  live: 'live',
  suspended: 'suspended here',
  revoked: 'revoked: this peering has ended',
};

/** What somebody has to do before anything more happens; empty if nobody has to. */
const nextOf = ({ peer, admins }: PeerView, now: Date): string => {
  const { begunBy, candidateKey, compromisedAt, invitedUntil, server, state } = peer;
  if (compromisedAt !== null && state !== 'revoked')
    return candidateKey === null
      ? 'a key was compromised; wait until that server shows its new key'
      : `a key was compromised. Compare the new key with their admin over another channel, then: reedbed peers approve ${candidateKey}`;
  switch (state) {
    case 'invited':
      return invitedUntil !== null && invitedUntil > now
        ? 'their admin accepts the connection string: reedbed peers accept'
        : 'the invitation has run out; another: reedbed peers invite --key <file>';
    case 'pending':
      return begunBy === 'operator' && admins >= 2
        ? `a member who is an admin compares the fingerprint and approves it, since the operator began it: POST /api/v1/admin/peers/${server}/approve`
        : `compare the fingerprint with their admin over another channel, then: reedbed peers approve ${server}`;
    case 'approved-by-us':
      return 'their admin approves it, too; then it is live';
    case 'suspended':
      return `when it is to go on: reedbed peers resume ${server}`;
    case 'revoked':
      return 'only a new invitation begins it again: reedbed peers invite --key <file>';
    case 'live':
      return '';
  }
};

/** Whether the peer can be called now; a peering that is not live calls nobody. */
export const wayTo = ({ away, breaker, state }: DetailedPeer): string => {
  if (state !== 'live') return '–';
  if (breaker !== 'closed') return 'no answer';
  return away ? 'away' : 'there';
};

const wayText = (peer: DetailedPeer): string => {
  const { failures, retryAt } = peer;
  switch (wayTo(peer)) {
    case 'there':
      return 'answers';
    case 'away':
      return 'away: it said that it stops, or pauses the peering; it says when it is back';
    case 'no answer':
      return `no answer, ${counted(failures, 'time')} in a row; ${retryAt === null ? 'tried again now' : `tried again at ${seconds(retryAt)}`}`;
    default:
      return 'not called while the peering is not live';
  }
};

/** In words, what is kept as one word. */
const FAULTS: Readonly<Record<string, string>> = {
  'refused-address': 'its name leads to an address that is not called',
  unreachable: 'no connection could be made, or it broke',
  untrusted: 'its TLS certificate is not trusted, or is for another name',
  timeout: 'it did not answer in time',
  'too-large': 'its answer was longer than any may be',
  redirect: 'it answered with a redirect, which is not followed',
  unsigned:
    'what answered did not sign as this server: something else is at its address or on the way to it, or it does not know our key (after a backup came back: reedbed keys rotate --restored)',
  'unknown-key':
    'its answer was signed by a key that its document does not name; if its database came back from a backup, its operator runs reedbed keys rotate --restored',
  malformed: 'its answer can not be read',
  CLOCK_DIFFERS: 'it refused a call, since its clock and ours are more than five minutes apart',
  UNAUTHENTICATED: 'it refused a call as one that it had taken before: something on the way repeats our calls',
  FORBIDDEN: 'it refused a call, as it does while the peering is not live there',
  INTERNAL: 'it failed at a call',
  UNIMPLEMENTED: 'it does not know what it was asked: an older version, it seems',
  RATE_LIMITED: 'it had enough of our calls for a while',
};

const lastFault = ({ lastFault: fault, lastFaultAt: at }: DetailedPeer): string =>
  fault === null || at === null ? 'none' : `${seconds(at)}: ${FAULTS[fault] ?? fault}`;

const by = (at: Date | null, who: string | null): string =>
  at === null ? 'not yet' : `${seconds(at)}${who === null ? '' : ` by ${who === 'operator' ? 'the operator' : who}`}`;

/** Who asked for its end, and how that is confirmed: by an act of the same kind of somebody else, of whom the command line is one. */
const endText = ({ at, by: who, until }: EndAsked, { admins, peer: { server } }: PeerView): string =>
  who === 'operator' && admins >= 2
    ? `asked for by the operator at ${seconds(at)}. An admin confirms it until ${seconds(until)}: POST /api/v1/admin/peers/${server}/revoke`
    : `asked for by ${who === 'operator' ? 'the operator' : who} at ${seconds(at)}. Another admin confirms it until ${seconds(until)}; the operator: reedbed peers revoke ${server}`;

const streamText = (streams: PeerStream | null, { server, state }: DetailedPeer): string => {
  if (streams === null || !isExchanging(state)) return '–';
  return streams.parked === 0 ? lackOf(streams) : `${lackOf(streams)}: reedbed streams parked --peer ${server}`;
};

export const shownPeer = (view: PeerView, now: Date): string => {
  const { peer, streams, traffic } = view;
  const { server } = peer;
  const isOver = peer.state === 'revoked';
  const rows: [string, string][] = [
    ['server', server],
    ['name', peer.baseUrl === null ? '– (it has not connected)' : peer.name],
    ['address', peer.baseUrl ?? '–'],
    ['fingerprint', peer.key === null ? '–' : spelled(fingerprintOf(peer.keyNow?.key ?? peer.key))],
    ...(peer.key === null || peer.keyNow === null
      ? []
      : [['new key', `${spelled(fingerprintOf(peer.key))} from ${seconds(peer.keyNow.until)} on`] as [string, string]]),
    ['state', STATES[peer.state]],
    ['begun', by(peer.begunAt, peer.begunBy)],
    ...(peer.state === 'invited' && peer.invitedUntil !== null ? [['open until', seconds(peer.invitedUntil)] as [string, string]] : []),
    ['approved here', isOver ? '–' : by(peer.approvedAt, peer.approvedBy)],
    ['approved there', isOver ? '–' : by(peer.approvedThereAt, null)],
    ['way', wayText(peer)],
    ['last error', lastFault(peer)],
    ['published here', streamText(streams, peer)],
    ['owed notices', peer.owed.join(', ') || 'none'],
    ['owed acts', traffic.nextActAt === null ? 'none' : `${traffic.owedActs}, the next tried at ${seconds(traffic.nextActAt)}`],
    ['copies', `${traffic.crossingHere} awaited from there, ${traffic.crossingThere} from here`],
  ];
  if (peer.endAsked !== null) rows.push(['its end', endText(peer.endAsked, view)]);
  const next = nextOf(view, now);
  if (next !== '') rows.push(['next', next]);
  return rows.map(([name, value]) => `  ${name.padEnd(14)}  ${value}`).join('\n');
};
