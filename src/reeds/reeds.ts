// Puts the parts of reeds together. No decisions here.
import type { Clock } from '../base/clock.ts';
import type { Limits } from '../base/limits.ts';
import type { Database } from '../db/pool.ts';
import type { Identity } from '../identity/identity.ts';
import { type AbsentDeps, AbsentReeds } from './absent.ts';
import { ForeignReeds } from './foreign.ts';
import { Likes, type LikesDeps } from './likes.ts';
import { ReedLists } from './lists.ts';
import { ReedProfile } from './profile.ts';
import { Publish } from './publish.ts';
import { Reading } from './reading.ts';
import { Register } from './register.ts';
import { Removal, type RemovalDeps } from './removal.ts';
import { Threads } from './threads.ts';
import { Voiding } from './voiding.ts';

export type ReedsDeps = {
  readonly db: Database;
  readonly clock: Clock;
  readonly limits: Limits;
  readonly identity: Pick<Identity, 'server' | 'storedKeys' | 'countersigner'>;
  readonly onRemoved: RemovalDeps['onRemoved'];
  readonly onLiked: LikesDeps['onLiked'];
  readonly learnReed: AbsentDeps['learnReed'];
};

export type Reeds = {
  readonly register: Register;
  readonly threads: Threads;
  readonly publish: Publish;
  readonly reading: Reading;
  readonly likes: Likes;
  readonly lists: ReedLists;
  readonly profile: ReedProfile;
  readonly removal: Removal;
  readonly voiding: Voiding;
  readonly foreign: ForeignReeds;
  readonly absent: AbsentReeds;
};

export function openReeds({ db, clock, limits, identity, learnReed, onLiked, onRemoved }: ReedsDeps): Reeds {
  const signing = { keys: identity.storedKeys, countersigner: identity.countersigner };
  return {
    register: new Register({ db, clock, limits, home: identity.server.id, ...signing }),
    threads: new Threads({ db, clock, ...signing }),
    publish: new Publish({ db, clock, limits }),
    reading: new Reading(db),
    voiding: new Voiding({ db, clock, limits }),
    removal: new Removal({ clock, limits, onRemoved, ...signing }),
    likes: new Likes({ db, clock, onLiked, ...signing }),
    lists: new ReedLists(db),
    profile: new ReedProfile(db, limits),
    foreign: new ForeignReeds({ clock, limits, home: identity.server.id }),
    absent: new AbsentReeds({ db, clock, limits, home: identity.server.id, learnReed }),
  };
}
