// What members see of other servers' people beside copies: pages of profiles, people that are searched for, counts of reeds. Puts these parts together and
// owns when they look.
import type { Clock } from '../base/clock.ts';
import type { Limits } from '../base/limits.ts';
import type { Bus } from '../bus/port.ts';
import type { Database } from '../db/pool.ts';
import type { Identity } from '../identity/identity.ts';
import type { Subscriptions } from '../presence/subscriptions.ts';
import { ReedCounting } from '../relay/counting.ts';
import type { Elsewhere } from '../relay/elsewhere-port.ts';
import { Refusals } from '../relay/refusals.ts';
import { type ServerId, serverOf } from '../wire/address.ts';
import { PeerWatchers } from './peer-watchers.ts';
import { PeopleSearch } from './people-search.ts';
import { ProfilePages } from './profile-pages.ts';
import type { Leg, PeerCalls, PeerStates } from './stream-ports.ts';
import { Tasks } from './tasks.ts';
import { WatchedElsewhere } from './watched-elsewhere.ts';

export type ElsewhereDeps = {
  readonly db: Database;
  readonly clock: Clock;
  readonly limits: Limits;
  readonly log: { warn(details: object, message: string): void };
  readonly bus: Bus;
  readonly identity: Pick<Identity, 'server' | 'foreign' | 'users'>;
  readonly calls: PeerCalls;
  readonly peers: PeerStates;
  readonly subscriptions: Subscriptions;
  readonly replicaId: () => string;
  /** Whether peers may search the members of this server. */
  readonly searchForPeers: boolean;
};

export type OpenElsewhere = Elsewhere & {
  readonly legs: ReadonlyMap<string, Leg>;
  readonly search: PeopleSearch;
  /** A peer does not answer, or goes. */
  lost(peer: ServerId): void;
  /** A peer can be reached (again), or its ledger is another one. */
  renewed(peer: ServerId): void;
};

export function openElsewhere(deps: ElsewhereDeps): OpenElsewhere {
  const { clock, db, identity, limits } = deps;
  const home = identity.server.id;
  const tasks = new Tasks(deps.log);
  const pages = new ProfilePages({ ...deps, home, refusals: new Refusals(db), foreign: identity.foreign });
  const search = new PeopleSearch({ ...deps, users: identity.users, isAllowed: deps.searchForPeers });
  const watchers = new PeerWatchers({ ...deps, home, tasks, counting: new ReedCounting({ ...deps, application: db }) });
  const watched = new WatchedElsewhere({ ...deps, home, tasks });
  const rounds = [rhythm(clock, limits.statsEveryMs, () => watchers.round()), rhythm(clock, limits.watchedLookMs, () => watched.look())];
  const legs = Object.entries(watchers.legs());
  return {
    legs: new Map<string, Leg>([...legs, ['profile-page', pages], ['search-users', search], ['reed-stats', watched]]),
    search,
    get idle() {
      return tasks.idle;
    },
    isElsewhere: (of) => serverOf(of) !== home,
    page: (author, requester, page) => pages.ask(author, requester, page),
    watched: (viewer, reed) => watched.watched(viewer, reed),
    round: () => {
      for (const round of rounds) tasks.run(round);
    },
    lost: (peer) => watched.lost(peer),
    renewed: (peer) => watched.renew(peer),
  };
}

/** Does it once in so long, however often it is called, and never twice at a time. */
function rhythm(clock: Clock, everyMs: number, work: () => Promise<void>): () => Promise<void> {
  let at = Number.NEGATIVE_INFINITY;
  let isRunning = false;
  return async () => {
    if (isRunning || clock.now() - at < everyMs) return;
    at = clock.now();
    isRunning = true;
    await work().finally(() => {
      isRunning = false;
    });
  };
}
