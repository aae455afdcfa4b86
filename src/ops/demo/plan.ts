// The fixed scenario as data: how many there are, who does what, and when. Members are named by their place, 0 being the first.
import type { Role } from './cast.ts';

export type Plan = {
  readonly members: number;
  readonly reeds: number;
  /** Who writes, in turn. */
  readonly authors: readonly number[];
  /** Who answers with false copies; null for nobody. */
  readonly liar: number | null;
  /** Who takes requests and never answers; null for nobody. */
  readonly freezer: number | null;
  /** Who leaves for good; null for nobody. */
  readonly leaver: number | null;
  /**
   * How many copies the leaver takes before it leaves, which it then does the next time it is asked for one, at the latest when everything else
   * has arrived. With 0 it leaves before anybody asks for anything.
   */
  readonly leavesAfter: number;
  /** Of how many reeds the liar and the freezer take a copy before the others begin to ask, so that they are sure to be asked. */
  readonly headStart: number;
  /** How many requests a member has open at a time. */
  readonly atOnce: number;
  /** Milliseconds from the first request until what has not arrived counts as not delivered. */
  readonly deadlineMs: number;
};

const MEMBERS = 12;
const LIAR = 9;
const FREEZER = 10;
const LEAVER = 11;

/** What `reedbed demo --headless` plays. The three who misbehave write nothing, so that somebody reliable has every reed. */
export const THE_PLAN: Plan = {
  members: MEMBERS,
  reeds: 40,
  authors: [0, 1, 2, 3, 4, 5, 6, 7, 8],
  ...{ liar: LIAR, freezer: FREEZER, leaver: LEAVER },
  leavesAfter: 12,
  headStart: 8,
  atOnce: 4,
  deadlineMs: 120_000,
};

export const rolesOf = ({ members, liar, freezer }: Plan): readonly Role[] =>
  Array.from({ length: members }, (_, who) => (who === liar ? 'liar' : who === freezer ? 'freezer' : 'honest'));

/** The order in which a member asks for what others wrote: each begins at another place of the list. */
export const orderFor = <T extends { readonly author: number }>(plan: Plan, who: number, reeds: readonly T[]): readonly T[] => {
  const start = Math.floor((who * reeds.length) / plan.members);
  const isEarly = who === plan.liar || who === plan.freezer;
  const turned = isEarly ? reeds : [...reeds.slice(start), ...reeds.slice(0, start)];
  return turned.filter(({ author }) => author !== who);
};
