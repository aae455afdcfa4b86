// The table of socket frames: which bodies there are and what their fields hold. Types and the codec both come from it;
// names and numbers on the wire are those of proto/reedbed/v1/relay.proto, and a test compares the two.
import type { ErrorCode } from '../base/codes.ts';
import { ERROR_CODES } from '../base/codes.ts';

/** An enum of the wire: its names by number. The first is what an unknown number decodes to. */
export type EnumField<Name extends string> = { readonly enum: readonly Name[] };
const names = <const Name extends readonly string[]>(...values: Name): EnumField<Name[number]> => ({ enum: values });

const errorNames: ErrorCode[] = [];
for (const [name, { number }] of Object.entries(ERROR_CODES)) errorNames[number] = name as ErrorCode;
const errorCode: EnumField<ErrorCode> = { enum: errorNames };

const requestState = names('REQUEST_STATE_UNSPECIFIED', 'ASKING', 'IN_TURN', 'NOBODY_ONLINE', 'HOLDERS_FAILING', 'PEER_AWAY');
const relayErrorReason = names('RELAY_ERROR_REASON_UNSPECIFIED', 'BUSY', 'STORE_UNAVAILABLE', 'REQUESTER_KEY_UNVERIFIED', 'FAILED');
const invalidReason = names(
  'INVALID_REASON_UNSPECIFIED',
  'BAD_SIGNATURE',
  'BAD_CERTIFICATE',
  'OTHER_REED',
  'UNDECRYPTABLE',
  'CLAIM_MISMATCH',
  'UNSOLICITED',
  'CANNOT_STORE',
);
const settledOutcome = names('SETTLED_OUTCOME_UNSPECIFIED', 'HELD', 'GONE');

export type FieldKind = 'string' | 'bytes' | 'uint32' | 'int64' | 'bool' | 'optional-bool' | EnumField<string>;
export type NestedKind = { readonly message: Readonly<Record<string, FieldKind>>; readonly repeated: boolean };
export type MessageFields = Readonly<Record<string, FieldKind | NestedKind>>;

const request = { requestId: 'string', reedId: 'string' } as const;
const relay = { requesterId: 'string', requesterKeyId: 'string', attempt: 'uint32', deadlineMs: 'uint32' } as const;
const delivery = { requestId: 'string', reedId: 'string', ciphertext: 'bytes' } as const;
const notice = { requestId: 'string', certificate: 'bytes' } as const;
const noticeAck = { userId: 'string', countersignatureHash: 'string' } as const;
const user = { userId: 'string' } as const;
const reed = { reedId: 'string' } as const;
const key = { keyId: 'string' } as const;
const pipe = { tag: 'string' } as const;
const nothing = {} as const;

export const FRAMES = {
  hello: { serverId: 'string', nonce: 'string', serverTime: 'int64', protocolMin: 'uint32', protocolMax: 'uint32' },
  authenticate: { statement: 'bytes', signature: 'string', clientNonce: 'string', token: 'string' },
  welcome: {
    sessionId: 'string',
    token: 'string',
    limits: {
      message: {
        frameBytes: 'uint32',
        relayResponseBytes: 'uint32',
        openRequests: 'uint32',
        subscriptions: 'uint32',
        holderWindow: 'uint32',
      },
      repeated: false,
    },
    pingIntervalMs: 'uint32',
    resumed: 'bool',
    kid: 'string',
    signature: 'string',
  },
  ping: nothing,
  pong: nothing,
  goingAway: { retryAfterMs: 'uint32' },
  error: { code: errorCode, detail: 'string', requestId: 'string', retryAfterMs: 'uint32' },
  syncRequest: { requestId: 'string' },
  requestReed: { ...request, authorId: 'string' },
  requestThread: { requestId: 'string', threadId: 'string' },
  cancelRequest: { requestId: 'string' },
  requestAck: { ...request, state: requestState, onlineHolders: 'uint32' },
  reedNotFound: request,
  reedNotHeld: request,
  relayRequest: { ...reed, ...relay },
  relayThread: { threadId: 'string', ...relay },
  relayResponse: { ciphertext: 'bytes', attempt: 'uint32' },
  relayMiss: { attempt: 'uint32', missingReedId: 'string' },
  relayError: { attempt: 'uint32', reason: relayErrorReason },
  dataResponse: delivery,
  followReed: delivery,
  pipeReed: delivery,
  archiveReed: delivery,
  reedReply: delivery,
  mention: delivery,
  broadcastReed: { ...reed, ciphertext: 'bytes', username: 'string', skipped: 'uint32' },
  dataAck: nothing,
  dataInvalid: { reason: invalidReason },
  settled: { events: { message: { eventId: 'string', outcome: settledOutcome }, repeated: true } },
  reedRemoved: notice,
  threadRemoved: notice,
  accountRemoved: notice,
  keyRevoked: notice,
  publishReady: { ...reed, broadcast: 'optional-bool' },
  publishReadyAck: reed,
  profilePage: { ...user, page: 'uint32' },
  pageAck: { ...user, page: 'uint32', count: 'uint32', hasMore: 'bool', partial: 'optional-bool' },
  subscribeProfile: user,
  unsubscribeProfile: user,
  subscribeReed: reed,
  unsubscribeReed: reed,
  subscribePipe: pipe,
  unsubscribePipe: pipe,
  subscribeBroadcast: nothing,
  unsubscribeBroadcast: nothing,
  reedStats: {
    ...{ ...reed, echoes: 'uint32', replies: 'uint32', likes: 'uint32', coveragePercent: 'uint32' },
    holderServers: 'uint32',
  },
  eviction: reed,
  evictionAck: reed,
  keyEviction: key,
  keyEvictionAck: key,
  userBlocked: notice,
  userUnblocked: notice,
  userBlockedAck: noticeAck,
  userUnblockedAck: noticeAck,
  contentRejected: { ...reed, reason: 'string' },
  peerServerLost: { serverId: 'string' },
} as const satisfies Record<string, MessageFields>;

type Plain<K> = K extends 'string'
  ? string
  : K extends 'bytes'
    ? Uint8Array
    : K extends 'uint32' | 'int64'
      ? number
      : K extends 'bool'
        ? boolean
        : K extends EnumField<infer Name>
          ? Name
          : K extends { readonly message: infer M; readonly repeated: infer Many }
            ? Many extends true
              ? readonly PlainFields<M>[]
              : PlainFields<M>
            : never;
type OptionalField<F> = { [N in keyof F]: F[N] extends 'optional-bool' ? N : never }[keyof F];
type Flat<T> = { [N in keyof T]: T[N] };
type PlainFields<F> = Flat<
  { readonly [N in Exclude<keyof F, OptionalField<F>>]: Plain<F[N]> } & { readonly [N in OptionalField<F>]?: boolean }
>;

export type FrameType = keyof typeof FRAMES;
/** What each frame carries: absent scalars are '', 0 or false as in proto3, enums their names, bytes a view. */
export type FrameBodies = { readonly [K in FrameType]: PlainFields<(typeof FRAMES)[K]> };
/** One socket message: `id` is the event id, '' where there is none. */
export type Frame = {
  [K in FrameType]: { readonly id: string; readonly type: K; readonly body: FrameBodies[K] };
}[FrameType];
export type FrameOf<K extends FrameType> = Extract<Frame, { readonly type: K }>;

export const FRAME_TYPES = Object.keys(FRAMES) as readonly FrameType[];

/** Frames that carry one ciphertext to its reader. */
export const DELIVERY_TYPES = ['dataResponse', 'followReed', 'pipeReed', 'archiveReed', 'reedReply', 'mention'] as const;
export type DeliveryType = (typeof DELIVERY_TYPES)[number];

export type RelayErrorReason = FrameBodies['relayError']['reason'];
export type InvalidReason = FrameBodies['dataInvalid']['reason'];

/** The reasons of DATA_INVALID that accuse the copy and so whoever served it: its reader may ask for another one. */
export const ACCUSING_REASONS: ReadonlySet<string> = new Set<InvalidReason>([
  'BAD_SIGNATURE',
  'BAD_CERTIFICATE',
  'OTHER_REED',
  'UNDECRYPTABLE',
]);

export type SettledOutcome = FrameBodies['settled']['events'][number]['outcome'];
