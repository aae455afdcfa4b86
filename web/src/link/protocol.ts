// What pages and the worker say to each other over the profile's BroadcastChannel. Every tab hears everything, so nothing
// secret that is not already meant for this profile's screen goes through here: a private key never leaves the worker.

export const CHANNEL_NAME = 'reedbed';
export const LEADER_LOCK = 'reedbed-leader';

/** Where the profile's one connection stands. */
export type Phase = 'starting' | 'signed-out' | 'connecting' | 'offline' | 'online' | 'stopped';

export type Me = {
  readonly userId: string;
  readonly username: string;
  readonly server: string;
  /** False until the person said that the backup is kept: then the recovery key still lies on this device. */
  readonly backedUp: boolean;
};

export type Status = {
  readonly phase: Phase;
  readonly me: Me | null;
  /** Copies on this device that are served to others, the member's own included. */
  readonly copies: number;
  /** Own reeds written here and not yet taken by the server. */
  readonly unsent: number;
  /** Why `phase` is stopped or offline, in words for the person; empty otherwise. */
  readonly reason: string;
};

export type CopyView = {
  readonly reedId: string;
  readonly author: string;
  /** The author's name as the server's certificate of their identity has it; empty while unknown. */
  readonly authorName: string;
  readonly text: string;
  /** RFC 3339: when the author says it was written, and when the server countersigned it. */
  readonly createdAt: string;
  readonly countersignedAt: string;
  readonly own: boolean;
  /** False while the server has not taken it (own) or not confirmed this copy (others'). */
  readonly settled: boolean;
  /** Why the server refused it for good, in its words; empty if it did not. */
  readonly refused: string;
  readonly authorKey: string;
  readonly serverKey: string;
  /** The certificate as JSON text, for download. */
  readonly certificate: string;
};

/** What is shown of this device's copies, newest first. `more`: there are older ones that are not shown. */
export type CopyList = { readonly shown: readonly CopyView[]; readonly more: boolean };

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
  publish: { input: { text: string }; output: { reedId: string }; progress: never };
  open: { input: { reedId: string }; output: CopyView; progress: Waiting };
  copies: { input: null; output: CopyList; progress: never };
  giveUp: { input: { reedId: string }; output: null; progress: never };
  discard: { input: { reedId: string }; output: null; progress: never };
  makeInvite: { input: null; output: { link: string }; progress: never };
  reconnect: { input: null; output: null; progress: never };
  useAgain: { input: null; output: null; progress: never };
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
  'giveUp',
  'discard',
  'reconnect',
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
  | { readonly to: 'pages'; readonly kind: 'changed' };
