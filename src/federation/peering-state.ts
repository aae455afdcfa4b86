// What becomes of a peering at each step, as a pure function: the two approvals, the state that follows from them, and what the peer is told.
// A step that has been taken already changes nothing, so that every one of them may be repeated.
import { fail, ok, type Result } from '../base/result.ts';
import type { NoticeKind } from '../wire/peering.ts';

export type PeerState = 'invited' | 'pending' | 'approved-by-us' | 'live' | 'suspended' | 'revoked';

export type Standing = {
  readonly state: PeerState;
  /** Approved by an admin of ours. */
  readonly here: boolean;
  /** Approved by an admin of theirs, as the peer says. */
  readonly there: boolean;
};

/**
 * invite: we make an invitation · connect: both have each other's document · approved-there, disconnected-there: the peer's notices ·
 * compromised: an identity key of either side is in other hands
 */
export type PeeringEvent =
  | 'invite'
  | 'connect'
  | 'approve'
  | 'approved-there'
  | 'suspend'
  | 'resume'
  | 'revoke'
  | 'disconnected-there'
  | 'compromised';

export type Step = {
  readonly next: Standing;
  /** Owed to the peer from now on. */
  readonly tell: readonly NoticeKind[];
  /** Owed no more. */
  readonly forget: readonly NoticeKind[];
};

type Outcome = Result<Step, 'not-now'>;

const ALL: readonly NoticeKind[] = ['approved', 'going-away', 'back', 'disconnected', 'compromised'];
const ENDED: Standing = { state: 'revoked', here: false, there: false };

/** The state of a peering that goes on. */
const going = (here: boolean, there: boolean): Standing => ({
  state: here ? (there ? 'live' : 'approved-by-us') : 'pending',
  here,
  there,
});

const to = (next: Standing, tell: readonly NoticeKind[] = [], forget: readonly NoticeKind[] = []): Outcome => ok({ next, tell, forget });
const notNow = (state: PeerState | 'none'): Outcome => fail('not-now', state);

/** Approvals of a peering that is suspended change nothing of that. */
const approvedThere = (now: Standing): Outcome => {
  if (now.state === 'invited' || now.state === 'revoked') return to(now);
  return to(now.state === 'suspended' ? { ...now, there: true } : going(now.here, true));
};

const compromised = (now: Standing): Outcome => {
  if (now.state === 'invited' || now.state === 'revoked') return to(now);
  return to(now.state === 'suspended' ? { state: 'suspended', here: false, there: false } : going(false, false), [], ['approved']);
};

const isGoing = ({ state }: Standing): boolean => state === 'pending' || state === 'approved-by-us' || state === 'live';

/** Of the admins' acts. */
function acted(now: Standing, event: 'approve' | 'suspend' | 'resume' | 'revoke'): Outcome {
  switch (event) {
    case 'approve':
      return isGoing(now) ? to(going(true, now.there), ['approved']) : notNow(now.state);
    case 'suspend':
      if (now.state === 'suspended') return to(now);
      return isGoing(now) ? to({ ...now, state: 'suspended' }, ['going-away'], ['approved', 'back']) : notNow(now.state);
    case 'resume':
      if (isGoing(now)) return to(now);
      if (now.state !== 'suspended') return notNow(now.state);
      return to(going(now.here, now.there), now.here ? ['back', 'approved'] : ['back'], ['going-away']);
    case 'revoke':
      if (now.state === 'revoked') return to(now);
      return now.state === 'invited' ? to(ENDED, [], ALL) : to(ENDED, ['disconnected'], ALL);
  }
}

/** @param now null: there is no peering with that server */
export function step(now: Standing | null, event: PeeringEvent): Outcome {
  switch (event) {
    case 'invite':
      if (now !== null && now.state !== 'revoked' && now.state !== 'invited') return notNow(now.state);
      return to({ state: 'invited', here: false, there: false }, [], ALL);
    case 'connect':
      if (now === null || now.state === 'revoked' || now.state === 'invited') return to(going(false, false), [], ALL);
      return to(now);
    default:
      break;
  }
  if (now === null) return notNow('none');
  switch (event) {
    case 'approved-there':
      return approvedThere(now);
    case 'compromised':
      return compromised(now);
    case 'disconnected-there':
      return now.state === 'revoked' ? to(now) : to(ENDED, [], ALL);
    default:
      return acted(now, event);
  }
}
