// What pages are shown of the community: reeds with their relations, people, counts, removals. Plain data, made by the worker.

export type PersonRef = {
  readonly userId: string;
  /** Empty while unknown. */
  readonly name: string;
  /** What their server is called, if it is another than this member's; else empty. Names are unique on one server only. */
  readonly server: string;
};

/** Another server that this member's exchanges reeds with. ended: it does so no more, or not now. */
export type PeerRef = {
  readonly server: string;
  /** As it calls itself. */
  readonly name: string;
  /** What stands behind the names of its people. */
  readonly label: string;
  readonly webUrl: string;
  readonly state: 'live' | 'away' | 'ended';
};

/** A reed that another one answers. `text`, with names for ids, is null unless a copy is on this device. */
export type ReedRef = { readonly reedId: string; readonly author: PersonRef; readonly text: string | null };

export type CopyView = {
  readonly reedId: string;
  readonly author: string;
  /** The author's name as the server's certificate of their identity has it; empty while unknown. */
  readonly authorName: string;
  /** As `server` of a person. */
  readonly authorServer: string;
  readonly text: string;
  /** Whom the text names, with their names. */
  readonly mentions: readonly PersonRef[];
  readonly replyTo: ReedRef | null;
  readonly echoOf: ReedRef | null;
  /** `parts` is null while their number is not known here. */
  readonly thread: { readonly head: string; readonly index: number; readonly parts: number | null } | null;
  readonly liked: boolean;
  /** RFC 3339: when the author says it was written, and when the server countersigned it. */
  readonly createdAt: string;
  readonly countersignedAt: string;
  readonly own: boolean;
  /** When it came to this device, in milliseconds since the epoch; 0 for what is not on it. */
  readonly storedAt: number;
  /** False for what is only looked at: it is not on this device. */
  readonly kept: boolean;
  /** False while the server has not taken it (own) or not confirmed this copy (others'). */
  readonly settled: boolean;
  /** Why the server refused it for good, in its words; empty if it did not. */
  readonly refused: string;
  readonly authorKey: string;
  readonly serverKey: string;
  /** The certificate as JSON text, for download; empty in lists. */
  readonly certificate: string;
};

/** What is shown of this device's copies, newest first. `more`: there are older ones that are not shown. */
export type CopyList = { readonly shown: readonly CopyView[]; readonly more: boolean };

/** What can be read from this device, see the SDK's timelines. */
export type TimelineWish =
  | { readonly kind: 'home' | 'mentions' | 'answers' }
  | { readonly kind: 'pipe'; readonly tag: string }
  | { readonly kind: 'profile'; readonly user: string };

/** One of the community stream. `skipped`: how many came before it that this device was not sent. */
export type BroadcastView = { readonly copy: CopyView; readonly skipped: number };

/** A removal, as its author signed it. */
export type StoneView = {
  readonly kind: 'reed' | 'thread' | 'account';
  /** When the server countersigned it; empty while it has not. */
  readonly at: string;
  readonly own: boolean;
  readonly certificate: string;
};

/** What this device knows of a reed without asking anybody. */
export type LookView = { readonly copy: CopyView | null; readonly stone: StoneView | null };

/** A reed in a list of the server's: its text is asked for by itself. */
export type ListedView = { readonly reedId: string; readonly author: PersonRef; readonly at: string };

/** `reached`: false if the server could not be asked, so that only what is here is shown. */
export type AnswersView = { readonly shown: readonly ListedView[]; readonly more: boolean; readonly reached: boolean };

export type StatsView = {
  readonly replies: number;
  readonly echoes: number;
  readonly likes: number;
  readonly coveragePercent: number;
  /** Other servers where somebody has it, beyond what the percentage counts. */
  readonly holderServers: number;
};

/** What is watched while a page shows it. */
export type WatchWish =
  | { readonly kind: 'broadcast' }
  | { readonly kind: 'pipe'; readonly tag: string }
  | { readonly kind: 'reed'; readonly reedId: string }
  | { readonly kind: 'profile'; readonly user: string };

/** The first answer says that it is watched; `stats` only of a reed, `refused` by the server's error code. */
export type WatchNews = { readonly stats?: StatsView; readonly refused?: string };

/** `name`: of the other one, as far as it is known here. */
export type RelationView = {
  readonly name: string;
  readonly server: string;
  readonly follows: boolean;
  readonly blocks: boolean;
  readonly blocksMe: boolean;
};

export type ProfileView = {
  readonly userId: string;
  readonly name: string;
  readonly server: string;
  readonly bio: string;
  /** Whom the bio names, with their names. */
  readonly mentions: readonly PersonRef[];
  readonly role: string;
  readonly createdAt: string;
  readonly archive: boolean;
  readonly followsShown: boolean;
  readonly reeds: number;
  /** Null if this member keeps it to themselves. */
  readonly following: number | null;
  readonly followers: number;
  readonly pinned: string | null;
};

export type PeopleWish =
  | { readonly of: 'search'; readonly query: string }
  | { readonly of: 'following' | 'followers'; readonly user: string }
  | { readonly of: 'blocks' }
  /** Other servers are asked, which is counted like an act. */
  | { readonly of: 'elsewhere'; readonly query: string }
  /** Whom this device knows of, who invited this member first; nobody is asked. */
  | { readonly of: 'met' };

/** `away`: what the servers are called that did not answer. */
export type PeopleView = { readonly shown: readonly PersonRef[]; readonly more: boolean; readonly away: readonly string[] };

export type DraftWish = {
  /** One text, or the parts of a thread. */
  readonly texts: readonly string[];
  readonly replyTo?: string;
  readonly echoOf?: string;
  readonly broadcast: boolean;
};

export type ProfileWish = {
  readonly username?: string;
  readonly bio?: string;
  readonly archive?: boolean;
  readonly followsShown?: boolean;
  /** Null takes the pin off. */
  readonly pinned?: string | null;
};

/** How a member ended their account on this device: without a key that counts, or on the way out until `dueAt` (RFC 3339). */
export type EndView = { readonly how: 'frozen' | 'leaving'; readonly dueAt: string };

/** Lists in which something may be new. */
export type UnreadList = 'home' | 'mentions' | 'answers';
export type UnreadView = Readonly<Record<UnreadList, number>>;

/** Catching up with what was missed, and bringing back what a new device lacks. */
export type SyncView = {
  readonly state: 'away' | 'held-back' | 'catching-up' | 'live';
  readonly received: number;
  readonly behind: boolean;
};
export type RecallView = {
  readonly state: 'listing' | 'fetching' | 'done';
  readonly total: number;
  readonly here: number;
  readonly lost: number;
  readonly later: number;
};
