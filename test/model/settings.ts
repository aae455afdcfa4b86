// How many runs, from which seed, with which limits: what the command line says, or what every test run does.
import type { Limits } from '../../src/base/limits.ts';

/** Of every `npm test`, which is to say the same of the same code; `npm run model` takes another one each time. */
const USUAL_SEED = 1000;

export type Profile = {
  readonly name: string;
  readonly members: number;
  readonly subjects: number;
  readonly replicas: 1 | 2;
  readonly limits: Partial<Limits>;
  /** Its share of the runs. */
  readonly share: number;
};

/** What members are owed without asking is the other model's: here nobody is caught up. */
const UNOWED = { catchupMembers: 0 } as const;
/** Small bounds are met in a few moves. */
const TIGHT = { ...UNOWED, holderWindow: 2, awakeEventsPerMember: 2, openRequests: 5, holderFailuresPerEvent: 2 } as const;

export const PROFILES: readonly Profile[] = [
  { name: 'tight', members: 5, subjects: 5, replicas: 1, limits: TIGHT, share: 0.4 },
  { name: 'replicas', members: 5, subjects: 5, replicas: 2, limits: TIGHT, share: 0.3 },
  // More copies than one look shows: the exact search has to find the rest.
  { name: 'sampled', members: 6, subjects: 3, replicas: 1, limits: { ...TIGHT, allocationsSampled: 2 }, share: 0.1 },
  { name: 'real', members: 6, subjects: 20, replicas: 1, limits: UNOWED, share: 0.2 },
];

/** What a member may do once a day it does in a run as often as it likes. */
const OFTEN = { rotationEveryMs: 0, accountRemovalMs: 60_000 } as const;

export type OwedProfile = Omit<Profile, 'subjects'>;

/** Of the community's model, whose runs cost ten times as much: members sign what they state. */
export const OWED_PROFILES: readonly OwedProfile[] = [
  { name: 'owed', members: 5, replicas: 1, limits: OFTEN, share: 0.01 },
  { name: 'owed-replicas', members: 5, replicas: 2, limits: OFTEN, share: 0.03 },
  // Pages, hands and windows are met in a few posts.
  {
    name: 'owed-tight',
    members: 5,
    replicas: 2,
    limits: { ...OFTEN, holderWindow: 2, catchupRows: 2, catchupServed: 2, catchupBelow: 1 },
    share: 0.02,
  },
];

/** Of two servers and the fold between them. */
export const FOLD_PROFILES: readonly Pick<Profile, 'name' | 'share'>[] = [{ name: 'fold', share: 0.03 }];

/** Enough to find what is often wrong; `.ci/run` makes a thousand. */
const DEFAULT_RUNS = 50;

export type Settings = {
  readonly runs: number;
  readonly seed: number;
  readonly path: string | null;
  readonly only: string | null;
  readonly shrink: boolean;
};

/** Set by `npm run model`. */
export const settings = (): Settings => {
  const { MODEL_RUNS, MODEL_SEED, MODEL_PATH, MODEL_PROFILE, MODEL_SHRINK } = process.env;
  return {
    runs: Number(MODEL_RUNS ?? DEFAULT_RUNS),
    seed: Number(MODEL_SEED ?? USUAL_SEED),
    path: MODEL_PATH ?? null,
    only: MODEL_PROFILE ?? null,
    shrink: MODEL_SHRINK !== '0',
  };
};
