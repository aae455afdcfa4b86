// The ledger's steps as batches in their lanes. Three lanes have one statement in flight each: claim (all that hands events to holders,
// so that what is in flight is exact), relayed (what holders answer) and ack (what requesters answer).
import type { Logger } from 'pino';
import type { Clock } from '../base/clock.ts';
import { Batcher, type BatcherOptions, type BatchLoad, Lane, LOCKED } from '../db/batch.ts';
import { isDivisible } from '../db/errors.ts';
import type { ReedId, UserId } from '../wire/address.ts';
import {
  type AnswerItem,
  type FailureItem,
  type Relayed,
  type Reopened,
  relayed,
  reopen,
  type UndeliveredItem,
  undelivered,
} from './answer.ts';
import { type Assigned, type Assignment, type AssignTargets, assign, missedBy, type Recheck, recheck } from './assign.ts';
import { type ClaimRow, dispatch, type HolderOfSubject, spread } from './claim.ts';
import type { LedgerContext } from './context.ts';
import { type CancelItem, cancel, type Ended, type EvictItem, evict, lastCopiesGone } from './ends.ts';
import { type OpenItem, type OpenOutcome, open } from './open.ts';
import { Probes } from './probes.ts';
import { type Acked, type AckItem, acknowledge, type InvalidItem, invalidate } from './settle.ts';

/** Told of what a committed batch did beyond its items' own outcomes, once per batch. */
export interface LedgerEvents {
  /** Events were handed to holders of this replica. */
  claimed(claims: readonly ClaimRow[]): void;
  /** The queues of these holders were looked at; those of `more` are not empty yet. */
  dispatched(holders: readonly UserId[], more: readonly UserId[]): void;
  /**
   * Events were looked at and given a holder, or none; among them all that these requesters have places for, and one more. `isDueLocked`: not among them
   * what is due and was locked, for which 'due-again' waits.
   */
  assigned(events: readonly Assigned[], requesters: readonly UserId[], isDueLocked: boolean): void;
  /** Dormant events became unassigned and are due. */
  roused(): void;
  /** Subjects may have lost their last copy. */
  copiesDropped(subjects: readonly ReedId[]): void;
  /** Events ended because nobody holds their subject any more. */
  notHeld(events: readonly Ended[]): void;
}

/** 'due-again' is tried until nothing that is due is locked; 'due' is one look, whose callers must not wait for a stranger's row. */
export type AssignItem =
  | { readonly eventId: string; readonly holders?: readonly UserId[] }
  | { readonly requester: UserId }
  | 'due'
  | 'due-again';

export type LedgerDeps = LedgerContext & {
  readonly clock: Clock;
  readonly log: Logger;
  readonly load: BatchLoad;
  readonly events: LedgerEvents;
};

export type Answer = AnswerItem & { readonly sizeBytes: number };

type Step = <Item, Outcome>(
  name: string,
  options: Pick<BatcherOptions<Item, Outcome>, 'run' | 'keys' | 'sameAs' | 'sizeBytes'> & { readonly maxItems?: number },
) => Batcher<Item, Outcome>;

const done = (items: readonly unknown[]): true[] => items.map(() => true as const);

/** A lane's maker of steps: what is common to all batches is said once. */
const stepsIn = (deps: LedgerDeps, lane: Lane): Step => {
  const onFailure = (step: string, error: unknown, items: number) => deps.log.error({ step, items, err: error }, 'a ledger step failed');
  return (name, options) =>
    new Batcher({
      name,
      lane,
      load: deps.load,
      maxItems: deps.limits.batchItems,
      divisible: isDivisible,
      patience: deps,
      onFailure,
      ...options,
    });
};

const claimSteps = (deps: LedgerDeps, step: Step) => ({
  open: step<OpenItem, OpenOutcome>('open', {
    keys: (item) => [`${item.requester} ${item.subject}`, item.requestId],
    run: async (items) => {
      const { outcomes, dropped } = await open(deps, items, deps.clock.now());
      if (dropped.length > 0) deps.events.copiesDropped([...new Set([...items.map((item) => item.subject), ...dropped])]);
      return outcomes;
    },
  }),
  cancel: step<CancelItem, Ended[]>('cancel', {
    keys: (item) => [item.requestId],
    run: (items) => cancel(deps.db, items),
  }),
  dispatch: step<UserId, true>('dispatch', {
    sameAs: (holder) => holder,
    run: async (holders) => {
      const { claims, more, locked } = await dispatch(deps, holders, deps.clock.now());
      const missed = new Set(locked);
      deps.events.dispatched(
        holders.filter((holder) => !missed.has(holder)),
        more,
      );
      deps.events.claimed(claims);
      return holders.map((holder) => (missed.has(holder) ? LOCKED : (true as const)));
    },
  }),
  spread: step<HolderOfSubject, true>('spread', {
    sameAs: (pair) => `${pair.holder} ${pair.subject}`,
    run: async (pairs) => {
      const { claims, roused } = await spread(deps, pairs, deps.clock.now());
      deps.events.claimed(claims);
      if (roused) deps.events.roused();
      return done(pairs);
    },
  }),
  assign: step<AssignItem, true>('assign', {
    maxItems: deps.limits.assignTargets,
    sameAs: (item) =>
      typeof item === 'string' ? item : 'eventId' in item ? `${item.eventId} ${item.holders?.join() ?? ''}` : item.requester,
    run: async (items) => {
      const targets = targetsOf(items);
      const assignment = await assign(deps, targets, deps.clock.now());
      deps.events.assigned(assignment.events, targets.requesters, assignment.isDueLocked);
      const missed = await missedBy(deps, targets, assignment.events);
      return items.map((item) => (isLocked(item, assignment, missed) ? LOCKED : (true as const)));
    },
  }),
  lastCopies: step<ReedId, true>('last-copies', {
    sameAs: (subject) => subject,
    run: async (subjects) => {
      for (;;) {
        const ended = await lastCopiesGone(deps.db, subjects, deps.limits.batchItems);
        deps.events.notHeld(ended);
        if (ended.length < deps.limits.batchItems) return done(subjects);
      }
    },
  }),
});

const answerSteps = (deps: LedgerDeps, step: Step) => ({
  relayed: step<Answer, Relayed | null>('relayed', {
    keys: (item) => [item.eventId],
    sizeBytes: (item) => item.sizeBytes,
    run: (items) => relayed(deps, items, deps.clock.now()),
  }),
  reopen: step<FailureItem, Reopened | null>('reopen', {
    keys: (item) => [item.eventId],
    run: (items) => reopen(deps, items, deps.clock.now()),
  }),
  undelivered: step<UndeliveredItem, true | null>('undelivered', {
    keys: (item) => [item.eventId],
    run: (items) => undelivered(deps, items, deps.clock.now()),
  }),
});

const ackSteps = (deps: LedgerDeps, step: Step, probes: Probes) => ({
  acknowledge: step<AckItem, Acked | null>('ack', {
    keys: (item) => [item.eventId],
    run: async (items) => {
      const pairs = probes.take();
      try {
        const { outcomes, wanted } = await acknowledge(deps, items, [...pairs.keys()], deps.clock.now());
        for (const subject of wanted) for (const holder of pairs.get(subject) ?? []) probes.found({ holder, subject });
        return outcomes;
      } catch (error) {
        probes.putBack(pairs);
        throw error;
      }
    },
  }),
  evict: step<EvictItem, boolean>('evict', { keys: (item) => [`${item.holder} ${item.reedId}`], run: (items) => evict(deps.db, items) }),
  invalidate: step<InvalidItem, Acked | null>('invalid', {
    keys: (item) => [item.eventId],
    run: (items) => invalidate(deps.db, items, deps.clock.now()),
  }),
});

export type Ledger = ReturnType<typeof claimSteps> &
  ReturnType<typeof answerSteps> &
  ReturnType<typeof ackSteps> & {
    /** This holder has this subject for sure and may have a free place: who waits for it may be served by it. A look that may ride along. */
    probe(pair: HolderOfSubject): void;
    /** The second look at an event that went dormant. */
    recheck: Batcher<string, Recheck | null>;
    /** Nothing waits and nothing runs in any lane. */
    idle(): boolean;
  };

export const createLedger = (deps: LedgerDeps): Ledger => {
  const claim = claimSteps(deps, stepsIn(deps, new Lane()));
  const rechecks = stepsIn(deps, new Lane())<string, Recheck | null>('recheck', {
    sameAs: (eventId) => eventId,
    run: (eventIds) => recheck(deps, eventIds, deps.clock.now()),
  });
  const probes = new Probes(
    deps,
    (pair) => void claim.spread.submit(pair).catch(() => undefined),
    (): boolean => !steps.acknowledge.idle,
  );
  const steps = { ...claim, ...answerSteps(deps, stepsIn(deps, new Lane())), ...ackSteps(deps, stepsIn(deps, new Lane()), probes) };
  return {
    ...steps,
    recheck: rechecks,
    probe: (pair) => probes.add(pair),
    idle: () => probes.idle && rechecks.idle && Object.values(steps).every((step) => step.idle),
  };
};

const targetsOf = (items: readonly AssignItem[]): AssignTargets => ({
  events: items.flatMap((item) => (typeof item !== 'string' && 'eventId' in item ? [item] : [])),
  requesters: items.flatMap((item) => (typeof item !== 'string' && 'requester' in item ? [item.requester] : [])),
});

const isLocked = (item: AssignItem, { isDueLocked, lockedRequesters }: Assignment, missed: ReadonlySet<string>): boolean => {
  if (typeof item === 'string') return item === 'due-again' && isDueLocked;
  return 'eventId' in item ? missed.has(item.eventId) : lockedRequesters.includes(item.requester);
};
