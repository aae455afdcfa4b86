// What pages and the worker say to each other over the profile's BroadcastChannel. Every tab hears everything, so nothing
// secret that is not already meant for this profile's screen goes through here: a private key never leaves the worker.
import type { QuotaState } from '../../../src/client/types.ts';
import type {
  AnswersView,
  BroadcastView,
  CopyList,
  CopyView,
  DraftWish,
  EndView,
  LookView,
  PeerRef,
  PeopleView,
  PeopleWish,
  ProfileView,
  ProfileWish,
  RecallView,
  RelationView,
  SyncView,
  TimelineWish,
  UnreadList,
  UnreadView,
  WatchNews,
  WatchWish,
} from './community.ts';

export const CHANNEL_NAME = 'reedbed';
export const LEADER_LOCK = 'reedbed-leader';
/** Held by the worker itself: a browser may give the lock of a tab that is gone to the next one while its worker still runs. */
export const WORKER_LOCK = 'reedbed-worker';

/** Where the profile's one connection stands. */
export type Phase = 'starting' | 'signed-out' | 'connecting' | 'offline' | 'online' | 'stopped';

export type Me = {
  readonly userId: string;
  readonly username: string;
  readonly server: string;
  /** The fingerprint of the key in use. */
  readonly key: string;
  /** False until the person said that the backup is kept: then the recovery key still lies on this device. */
  readonly backedUp: boolean;
};

export type Status = {
  readonly phase: Phase;
  readonly me: Me | null;
  /** Copies on this device of what others wrote. */
  readonly kept: number;
  /** Own reeds written here and not yet taken by the server. */
  readonly unsent: number;
  /** Why `phase` is stopped or offline, in words for the person; empty otherwise. */
  readonly reason: string;
  /** What came and was not looked at yet. */
  readonly unread: UnreadView;
  /** How full this device is, as far as the browser tells. */
  readonly space: QuotaState;
  readonly sync: SyncView;
  /** Null where nothing ever had to be brought back. */
  readonly recall: RecallView | null;
  /** Null while the account is as it should be. */
  readonly end: EndView | null;
  /** The servers beside one's own, as far as they were heard of. */
  readonly peers: readonly PeerRef[];
};

/** The status before anything is known. */
export const STARTING: Status = {
  phase: 'starting',
  me: null,
  kept: 0,
  unsent: 0,
  reason: '',
  unread: { home: 0, mentions: 0, answers: 0 },
  space: 'enough',
  sync: { state: 'away', received: 0, behind: false },
  recall: null,
  end: null,
  peers: [],
};

export type WaitState =
  | 'sending'
  | 'held-back'
  | 'asking'
  | 'in-turn'
  | 'nobody-online'
  | 'holders-failing'
  | 'peer-away'
  | 'checking'
  | 'asking-again';
export type Waiting = {
  readonly state: WaitState;
  /** Up to 2 counted; 3 stands for all above. */
  readonly onlineHolders: number;
  /** Copies that came, were not what the author signed, and were thrown away. */
  readonly brokenCopies: number;
};

export type Step = { readonly done: number; readonly total: number; readonly label: string };

export type ServerView = {
  readonly id: string;
  readonly name: string;
  readonly version: string;
  readonly signup: string;
  readonly fingerprint: string;
};

export type NewBackup = {
  readonly fileName: string;
  readonly backup: string;
  readonly words: readonly string[];
  /** Place of the word that the person is asked to type back, from 0. */
  readonly asked: number;
};

/** Every act a page can ask the worker for: its input, its answer, its progress. None of them signs bytes a page chose. */
export type Acts = {
  status: { input: null; output: Status; progress: never };
  server: { input: null; output: ServerView; progress: never };
  join: { input: { username: string; invite: string }; output: Me; progress: Step };
  makeBackup: { input: null; output: NewBackup; progress: never };
  backupSaved: { input: null; output: null; progress: never };
  restore: { input: { backup: string; words: string }; output: Me; progress: Step };
  publish: { input: DraftWish; output: { reedId: string }; progress: never };
  open: { input: { reedId: string }; output: CopyView; progress: Waiting };
  copies: { input: null; output: CopyList; progress: never };
  /** What the browser says that this profile takes of its room; null where it says nothing. */
  room: { input: null; output: { usedBytes: number; quotaBytes: number } | null; progress: never };
  /** Gives up every copy of what somebody else wrote. */
  giveUpAuthor: { input: { user: string }; output: null; progress: never };
  giveUp: { input: { reedId: string }; output: null; progress: never };
  discard: { input: { reedId: string }; output: null; progress: never };
  makeInvite: { input: null; output: { link: string }; progress: never };
  reconnect: { input: null; output: null; progress: never };
  useAgain: { input: null; output: null; progress: never };
  openThread: { input: { reedId: string }; output: readonly CopyView[]; progress: Waiting };
  look: { input: { reedId: string }; output: LookView; progress: never };
  timeline: { input: { timeline: TimelineWish; limit: number }; output: CopyList; progress: never };
  /** The person has looked at a list, as it was when the newest in it came to this device. */
  seen: { input: { list: UnreadList; storedAt: number }; output: null; progress: never };
  /** They were on the screen, wherever: nowhere are they new any more. */
  lookedAt: { input: { reedIds: readonly string[] }; output: null; progress: never };
  broadcasts: { input: null; output: readonly BroadcastView[]; progress: never };
  answers: { input: { reedId: string; kind: 'replies' | 'echoes'; pages: number }; output: AnswersView; progress: never };
  /** Ends only by being cancelled. */
  watch: { input: WatchWish; output: null; progress: WatchNews };
  like: { input: { reedId: string; on: boolean }; output: null; progress: never };
  remove: { input: { reedId: string }; output: null; progress: never };
  relate: { input: { user: string; act: 'follow' | 'unfollow' | 'block' | 'unblock' }; output: null; progress: never };
  relation: { input: { user: string }; output: RelationView; progress: never };
  profile: { input: { user: string }; output: ProfileView; progress: never };
  profilePage: { input: { user: string; page: number }; output: { count: number; hasMore: boolean; isPartial: boolean }; progress: never };
  people: { input: { wish: PeopleWish; pages: number }; output: PeopleView; progress: never };
  /** The servers beside one's own, asked for anew. */
  peers: { input: null; output: readonly PeerRef[]; progress: never };
  /** Ids by the names asked for, `name@server` for people of another one; null for a name that nobody has. */
  findNames: { input: { names: readonly string[] }; output: Readonly<Record<string, string | null>>; progress: never };
  editProfile: { input: ProfileWish; output: null; progress: never };
  rotateKey: { input: null; output: null; progress: never };
  revokeKey: { input: { reason: string }; output: null; progress: never };
  removeAccount: { input: { note: string }; output: null; progress: never };
  recover: { input: { backup: string; words: string }; output: null; progress: never };
  withdrawRemoval: { input: { backup: string; words: string }; output: null; progress: never };
};
export type ActName = keyof Acts;

/** Acts that may be asked again when the leader went away in the middle: they change nothing, or the same thing only once. */
export const REPEATABLE: ReadonlySet<ActName> = new Set([
  'status',
  'server',
  'makeBackup',
  'backupSaved',
  'open',
  'copies',
  'room',
  'giveUpAuthor',
  'giveUp',
  'discard',
  'reconnect',
  'openThread',
  'look',
  'timeline',
  'seen',
  'lookedAt',
  'broadcasts',
  'answers',
  'watch',
  'like',
  'relate',
  'relation',
  'profile',
  'profilePage',
  'people',
  'peers',
  'findNames',
]);

export type ActFailure = { readonly code: string; readonly detail: string };

export type PageMessage =
  | { readonly to: 'worker'; readonly kind: 'call'; readonly call: string; readonly act: ActName; readonly input: unknown }
  | { readonly to: 'worker'; readonly kind: 'cancel'; readonly call: string };

export type WorkerMessage =
  | { readonly to: 'pages'; readonly kind: 'leader' }
  | { readonly to: 'pages'; readonly kind: 'taken'; readonly call: string }
  | { readonly to: 'pages'; readonly kind: 'progress'; readonly call: string; readonly progress: unknown }
  | { readonly to: 'pages'; readonly kind: 'result'; readonly call: string; readonly value: unknown }
  | { readonly to: 'pages'; readonly kind: 'failure'; readonly call: string; readonly failure: ActFailure }
  | { readonly to: 'pages'; readonly kind: 'status'; readonly status: Status }
  /** `own`: by what this member did. */
  | { readonly to: 'pages'; readonly kind: 'changed'; readonly own: boolean };
