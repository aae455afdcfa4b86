// Who gets a publication, and by which message: facts in, deliveries out. At most one delivery per member, by the first path that matches.
import type { EventName } from '../ledger/state.ts';
import type { UserId } from '../wire/address.ts';

/** The ways by which a publication reaches a member, the strongest first, with the message that says so. */
export const PATHS = [
  { path: 'mention', eventName: 'MENTION' },
  { path: 'reply', eventName: 'REED_REPLY' },
  { path: 'pipe', eventName: 'PIPE_REED' },
  { path: 'follow', eventName: 'FOLLOW_REED' },
  { path: 'profile', eventName: 'DATA_RESPONSE' },
  { path: 'archive', eventName: 'ARCHIVE_REED' },
  { path: 'broadcast', eventName: 'BROADCAST_REED' },
] as const satisfies readonly { path: string; eventName: EventName }[];

export type Path = (typeof PATHS)[number]['path'];

/** A member who is online, synced, not the author and in no block with the author, either way. */
export type Candidate = {
  readonly member: UserId;
  readonly paths: readonly Path[];
  /** When the member was last given something of the community stream, in ms; -Infinity for never. Without meaning on other paths. */
  readonly servedAtMs: number;
};

export type FanoutFacts = {
  readonly candidates: readonly Candidate[];
  readonly now: number;
  /** How many listeners of the community stream one publication reaches at most. */
  readonly listeners: number;
  /** How long each of them is left alone after one. */
  readonly listenerPauseMs: number;
};

export type Delivery = { readonly member: UserId; readonly eventName: EventName };

export type FanoutPlan = {
  readonly deliveries: readonly Delivery[];
  /** Listeners of the community stream for whom it was too much. */
  readonly skipped: readonly UserId[];
};

/** Plans the deliveries of one publication. Of the community stream's listeners those served longest ago come first. */
export function planFanout({ candidates, now, listeners, listenerPauseMs }: FanoutFacts): FanoutPlan {
  const deliveries: Delivery[] = [];
  const listening: Candidate[] = [];
  const seen = new Set<UserId>();
  for (const candidate of candidates) {
    if (seen.has(candidate.member)) continue;
    seen.add(candidate.member);
    const first = PATHS.find(({ path }) => candidate.paths.includes(path));
    if (first === undefined) continue;
    if (first.path === 'broadcast') listening.push(candidate);
    else deliveries.push({ member: candidate.member, eventName: first.eventName });
  }
  const rested = listening.filter(({ servedAtMs }) => servedAtMs + listenerPauseMs <= now);
  const served = rested.sort((a, b) => a.servedAtMs - b.servedAtMs).slice(0, listeners);
  const chosen = new Set(served.map(({ member }) => member));
  return {
    deliveries: [...deliveries, ...served.map(({ member }) => ({ member, eventName: 'BROADCAST_REED' as const }))],
    skipped: listening.filter(({ member }) => !chosen.has(member)).map(({ member }) => member),
  };
}
