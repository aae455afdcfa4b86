// Every bound of the system with what happens at it (I8). A running server takes them from here, changed by `[limits]` in reedbed.toml.
// Sizes end in Bytes, durations in Ms; the rest are counts.

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const KIB = 1024;
const MIB = 1024 * KIB;

export const DEFAULT_LIMITS = {
  // Frames. Over one of these: CLOSE_FRAME_TOO_LARGE.
  relayResponseBytes: MIB,
  frameBytes: 16 * KIB,
  unauthenticatedBytes: 32 * KIB,
  unauthenticatedReadBytes: 128, // what each read counts as at least: keeping it costs more than its bytes

  // Sockets. Over one of these: a close code of its own, named beside.
  authenticationMs: 10 * SECOND, // CLOSE_AUTHENTICATION_TIMEOUT
  authenticationFrames: 3, // CLOSE_UNAUTHENTICATED
  connectionsPerMember: 10, // CLOSE_TOO_MANY_CONNECTIONS
  unauthenticatedSockets: 1_000, // 503 at the upgrade
  unauthenticatedSocketsPerAddress: 100, // 429 at the upgrade
  turnedAwayMaxMs: MINUTE, // the longest Retry-After of these two
  pingIntervalMs: 5 * SECOND,
  pongWaitMs: 3 * SECOND, // CLOSE_SILENT
  pongWaitPer16KibMs: SECOND,
  pongWaitMaxMs: MINUTE,
  sendBufferFullBytes: MIB, // no new events for this member
  sendBufferMaxBytes: 4 * MIB, // CLOSE_SLOW_READER
  sendStalledMs: 10 * SECOND, // CLOSE_SLOW_READER
  reconnectSpreadMs: 3 * SECOND,
  reconnectsPerSecond: 500,
  closeWaitMs: 2 * SECOND, // for the other side's close, then the socket is cut
  wheelTickMs: 250,
  frameChunks: 8_192, // of one message, as they were read; over it: CLOSE_MALFORMED_FRAME
  pendingFrames: 64, // of one connection; over it, or over the bytes: the socket is read no further
  pendingFrameBytes: 2 * MIB,

  // A member's budgets. Over one of these: ERROR RATE_LIMITED with retry_after_ms; persisting closes with CLOSE_RATE_LIMITED.
  costPerMinute: 60,
  costBurst: 300,
  requestCost: 1,
  threadCost: 10,
  pageCost: 10,
  syncCost: 20,
  syncIntervalMs: 5 * SECOND,
  sameReedPerHour: 5, // counted among the last requestsRemembered; a limit above that limits nothing
  sameReedAgainPerHour: 60, // under a request id that came on another connection before
  rateLimitedFramesBeforeClose: 100,
  freeFramesPerSecond: 50, // frames without a cost of their own, beside the budget
  freeFramesBurst: 1_000,
  requestsRemembered: 4_096, // of one member, for the hour; the oldest is forgotten
  asksRemembered: 1_024, // of one member; an answer to a forgotten one costs like a request
  budgetMembers: 100_000, // the longest untouched is forgotten
  openRequests: 64, // TOO_MANY_OPEN
  subscriptions: 50,

  // A member's acts over HTTP, from whatever addresses. Over it: 429.
  actsPerMinute: 60,
  actsBurst: 300,

  // Without a session, per address (IPv6: per /64). Over one of these: 429.
  signUpsPerHour: 10,
  challengesPerHour: 60,
  failedSignInsPerMinute: 5,
  httpRequestsPerMinute: 600,
  httpBodyBytes: 64 * KIB, // 413
  httpRequestMs: 30 * SECOND, // a request that takes longer to arrive is cut off

  // Identity.
  challengeMs: MINUTE,
  tokenIdleMs: HOUR,
  tokenLifeMs: DAY,
  inviteMs: 14 * DAY,
  rootInviteMs: DAY,
  openInvitesPerMember: 20,
  clockAheadMs: 5 * MINUTE,
  usernameReservedMs: 365 * DAY,
  documentLifeMs: 90 * DAY,
  documentRenewMs: 45 * DAY, // issued anew when less is left
  sessionsPerMember: 32, // the oldest ends
  sessionWriteEveryMs: MINUTE,
  sessionLookMs: 30 * SECOND, // at whether those of open sockets still stand
  knownKeys: 4_096, // parsed public keys in memory; the oldest leaves
  keyChain: 100, // keys of one member on its chain, the first included; then no rotation is taken
  rotationEveryMs: DAY, // between two rotations by ordinary keys: RATE_LIMITED
  recoveryReplacesMs: 7 * DAY, // so much younger a rotation by the recovery key takes the place of another
  replacedKeyKeptMs: 7 * DAY, // on the device, for what was sealed to it
  accountRemovalMs: DAY, // hidden, and to be withdrawn; then countersigned
  accountRemovalsPerSweep: 16,
  followsPerMember: 5_000, // 409
  endedPerPage: 500, // statements or reeds that one transaction takes back
  addressesCounted: 50_000, // the oldest leaves
  cleanUpRows: 64, // expired rows that one write removes on its way
  jsonDepth: 16, // 400

  // Reeds.
  reedCodePoints: 5_000,
  reedTextBytes: 20_000,
  bioCodePoints: 500,
  noteCodePoints: 140,
  tags: 20,
  tagCodePoints: 50,
  mentions: 30,
  threadParts: 30,
  armorBytes: 8 * KIB,
  signatureBytes: 2 * KIB,
  backupBytes: 4 * MIB,
  statementBytes: 16 * KIB,
  statementDepth: 4,
  idChars: 255,
  pageItems: 50,
  pageIds: 1_000, // of a list that is nothing but ids
  profileCounts: 10_000, // as far as a profile counts reeds and follows
  profilePages: 10_000,

  // Ledger. What waits at a limit is named in src/ledger/state.ts.
  holderWindow: 4,
  holderWindowExplicitReserve: 1,
  awakeEventsPerMember: 16,
  eventsPerMember: 1_000,
  allocationsSampled: 256,
  candidates: 8,
  candidatesLookedAt: 32,
  exactSearchEveryMs: 10 * SECOND,
  exactSearchesRemembered: 1_000,
  holderFailuresPerEvent: 8,
  failureBackoffFirstMs: 2 * SECOND,
  failureBackoffMaxMs: 5 * MINUTE,
  waitingFirstMs: 5 * SECOND,
  waitingMaxMs: MINUTE,
  requesterFullMs: 5 * SECOND,
  dormantLookMs: 10 * MINUTE,
  explicitLifeMs: DAY,
  dispatchDeadlineMs: 5 * SECOND,
  threadDeadlineMs: 30 * SECOND,
  deadlinePushEveryMs: 2 * SECOND,
  deadlineMaxMs: MINUTE,
  acknowledgeMs: 30 * SECOND,
  acknowledgeMaxMs: 10 * MINUTE,
  relaysPerEvent: 2,
  undeliverableRetryMs: SECOND,
  strikeLifeMs: DAY, // chosen last for so long
  strikeKeptMs: 30 * DAY,
  wakeReedsPerStep: 512,
  wakeEventsPerStep: 64,
  wakeHoldersPerBatch: 64,

  // Fan-out.
  fanoutItems: 1_024, // deliveries that one statement writes
  fanoutLeaseMs: 30 * SECOND, // then another replica takes it up
  fanoutsPerSweep: 16,
  removalSecondLookMs: 10 * SECOND, // longer than any statement lasts
  noticesPerEvent: 3, // sendings; then it is owed again at the next sync
  replyAncestors: 1_000, // whose watchers are told of a reply
  broadcastListeners: 100, // of one publication; the rest are told how many they were not sent
  broadcastPauseMs: SECOND,
  broadcastLifeMs: MINUTE,

  // Stats.
  statsEveryMs: SECOND,
  membersCountedEveryMs: 10 * SECOND,

  // Catch-up. What a member is owed is opened page by page, so that no absence is too long.
  catchupRows: 1_000, // that one page looks at
  catchupServed: 200, // being served for one member; over it nothing new is opened
  catchupBelow: 100, // then the next page
  catchupMembers: 64, // whose pages one round opens
  catchupLeaseMs: 10 * SECOND, // then another replica takes a page up
  catchupRetryFirstMs: SECOND,
  catchupRetryMaxMs: 5 * MINUTE,
  behindLookMs: 5 * MINUTE, // a member with eventsPerMember is looked at again

  // Batches. Over three quarters of the queue the replica stops reading sockets.
  batchItems: 256,
  batchQueueItems: 4_096,
  batchQueueBytes: 64 * MIB,
  frameTransactions: 4, // at once, of frames that take one each, and one of a member; the others wait for their turn
  lockedTries: 16, // of a step whose row others have, over 2 s: longer than any of our statements takes; then UNAVAILABLE
  lockedPauseFirstMs: 2, // after the second try, doubling
  lockedPauseMaxMs: 250,
  assignItems: 128,
  assignTargets: 16,
  postponedMembers: 64,
  probeGraceMs: 5,
  sweepEveryMs: 500,
  auditEveryMs: MINUTE,

  // Presence.
  replicaLeaseMs: 8 * SECOND,
  replicaRefreshMs: 2 * SECOND,
  clockMeasureEveryMs: MINUTE,

  // A member's device. Over one of these a holder answers RELAY_ERROR busy, which is no failure; a viewer lets requests wait.
  holderQueue: 32,
  holderBytesPerMinute: 64 * MIB,
  holderBytesPerMinutePerRequester: 16 * MIB,
  invalidCopiesPerRequest: 3, // asked again so often, then the request fails
  keyChainsCached: 1_000,
  ackedEventsRemembered: 4_096,
  deliveriesAtOnce: 4, // that a device decrypts and verifies
  deliveriesQueued: 256, // that wait for it; over it one is left unanswered, and comes again
  broadcastsQueued: 16, // over it the community stream loses some
  broadcastsShown: 200, // of the community stream, for the session; the oldest goes
  catchingUpMs: 10 * SECOND, // without a delivery; then a member counts as caught up
  syncAgainMs: MINUTE, // after something could not be taken
  recallsAtOnce: 8, // reeds that a new device asks back at the same time
  recallPauseMs: 1_500, // between two of them, so that people's own requests have their share of the budget
  recallAgainMs: 10 * MINUTE, // those whose holders were not online
  evictionsAtOnce: 64, // announced and not answered yet
  declinedRemembered: 100, // reeds of one muted member that were turned away, to be asked for when they are muted no more; the oldest is forgotten
  quotaLookMs: MINUTE, // between two looks at how much of the device's space is used
  quotaFreeFromPercent: 85, // of the space: then authors are let go of
  quotaFreeToPercent: 80, // until no more than this is used

  // Calls between servers. What a caller has too much of is answered 429 with Retry-After.
  peerCallMs: 10 * SECOND, // of ours, the wait for a connection included; then it counts as not answered
  peerCallsAtOnce: 8, // of ours to one peer; further ones wait
  peerCallsWaiting: 64, // over it a call fails at once
  peerCallsPerSecond: 40, // of ours to one peer, fewer than it takes; further ones wait
  peerPoolIdleMs: 5 * MINUTE, // then connections that nobody uses are closed
  peerPauseMaxMs: 15 * MINUTE, // the longest that a peer's Retry-After is heeded for
  peerFaultNotedMs: MINUTE, // the same refusal of a peer is noted anew for its operator
  peerAnswerBytes: MIB, // of an answer to us; cut off
  peerRequestsAtOnce: 8, // of one peer to us
  peerRequestsPerSecond: 50, // of one peer
  peerBytesPerMinute: 128 * MIB, // of one peer, both ways
  watchedPerLook: 1_000, // subscriptions and registrations of reeds elsewhere that one look reads
  keyProofsPerMinute: 2_000, // certificates of keys that are verified for one peer: 429, or later
  peerFaultBytes: MIB, // that a call counts as which does not hold: so many bytes in vain cost most
  peerClockMs: 5 * MINUTE, // that clocks of servers may differ by
  peerSignatureMs: MINUTE, // the longest that a signed request says it is good for
  peerNonceMs: 15 * MINUTE, // remembered; longer than a request can be good for by either clock
  peerNoncesPerSweep: 4_096, // forgotten by one round, once their time is over
  peerEpochChars: 64, // of a ledger's epoch; a longer one makes no answer
  introductionsAtOnce: 4, // proofs of callers that are no peers yet

  // Peering.
  peeringInviteMs: 7 * DAY, // then its secret opens nothing
  newAdminMs: 7 * DAY, // so long nobody confirms what the admin began who made or invited them
  adminRequestMs: 7 * DAY, // that an act which needs two waits for the second
  adminActMs: 10 * MINUTE, // that an act may be dated away from the clock here
  serverKeyAnnouncedMs: 3 * DAY, // from when others see a new identity key until it counts
  serverKeyMarginMs: HOUR, // so much later we sign with it
  transportKeyAnnouncedMs: 10 * MINUTE, // in the document before it signs
  transportKeyKeptMs: DAY, // in the document after another took its place
  serverKeysReadEveryMs: MINUTE, // by a running server, for keys that a command has made
  peerDocumentEveryMs: 5 * MINUTE, // a peer's document is asked for at most, when a key is not known
  peerDocumentAgeMs: DAY, // then it is asked for anew
  peerBackoffFirstMs: SECOND,
  peerBackoffMaxMs: 15 * MINUTE,
  peerSweepEveryMs: SECOND,
  peersPerSweep: 64, // told something, probed or asked for their document in one round
  goodbyeMs: 2 * SECOND, // of the drain, for telling peers
  connectBytes: 64 * KIB, // 404
  noticeBytes: 64 * KIB, // 413
  peerReturnsAtOnce: 4, // of one peer that says again and again that it is back; then one in peerReturnMs counts
  peerReturnMs: 10 * SECOND,
  peeringTextBytes: 32 * KIB, // of a connection string

  // Streams of authors to peers.
  streamItems: 100, // of one request; halved after a fault
  streamBytes: MIB, // of one request, about; a single item may be as long as it is
  streamStepsAtOnce: 4, // in the database, of all peers together; the others wait for their turn
  streamsPerPeer: 8, // authors whose items are on the wire to one peer
  streamBytesHeld: 128 * MIB, // of items that are on their way, to all peers; over it a peer has one author at a time
  streamLeaseMs: 30 * SECOND, // longer than a call; then another replica sends
  streamRetryFirstMs: SECOND,
  streamRetryMaxMs: 15 * MINUTE,
  streamEveryMs: 30 * SECOND, // then what is due at each peer is looked at, whatever nobody said
  streamPassEveryMs: 10 * MINUTE, // then all authors are looked at, for each peer
  streamNames: 1_000, // authors to be looked at for one peer; more are all of them
  streamHeardEveryMs: 10 * SECOND, // because something came from the peer
  streamFaults: 5, // of one item alone; then it is parked
  streamLaterMs: DAY, // that a peer takes an item not yet; then it is parked
  streamBackMs: HOUR, // between two times that a peer has an author's stream sent to it again
  streamBacksAtOnce: 3, // of them, one right after the other, as when a backup was the wrong one
  streamLiftNumbers: 1_000_000_000, // that a stream's numbers are lifted by at once; a peer that has more is not believed
  positionsEveryMs: DAY,
  positionsPerCall: 1_000,
  owedLegsPerRound: 64,
  // What members see of peers' people, and peers of ours.
  peerSubscriptions: 5_000, // reeds that one peer watches here: TOO_MANY_OPEN
  countsPerPeer: 10, // reeds of which one peer is told in a second; the others wait
  countsPerRound: 1_000, // subscriptions of peers that one look takes
  registrationsAtOnce: 4, // reeds watched at a peer that is back
  registrationPauseMs: 100, // between so many and the next
  registrationMs: 10 * MINUTE, // then what is watched at a peer is registered once more
  watchedLookMs: 30 * SECOND, // at what is watched no more
  peersPerSearch: 64, // that one search asks
  peerSearchMs: 2 * SECOND, // for each one's answer
  foundPerPeer: 20, // people, of one search
  searchChars: 64,
  notHadMs: 30 * SECOND, // before a home is asked again for the certificate or key that it did not give
  notHadRemembered: 1_000, // of which that is remembered
  foreignProfileMs: HOUR, // that a profile of a peer's member is shown without asking again

  // The fold: copies that cross between two servers.
  inLineLookMs: MINUTE, // what waits for a slot or a peer is looked at again
  inLinePerLook: 256, // that one round looks at; the others follow
  linePerPromotion: 64, // of one subject that one look takes, or wakes
  crossingsPerPeer: 192, // awake, of one server that is asked; more wait in line
  crossingsKnown: 16_384, // that it is remembered of which events cross; of another one the audit finds that it is over
  crossingMs: MINUTE, // without a delivery: asked once more by the same id, then given up
  crossingSendMs: 15 * SECOND, // for the answer to a request; then it is sent again
  carrierFaultMs: HOUR, // whose crossing ended by silence or as invalid carries that reed no more
  invalidCrossings: 8, // of one reed within that time; then it crosses once in invalidPauseMs
  invalidPauseMs: MINUTE,
  crossingsListMs: MINUTE, // between two comparisons of what is open with a peer
  crossingGraceMs: MINUTE, // an event of a peer that it does not name, and is older, ends
  cancelRememberedMs: 10 * MINUTE, // of a request that may still come
  forwardMs: 15 * SECOND, // a copy is passed on to a peer, or dropped
  forwardAgainMs: 5 * SECOND, // left of it: then it is tried once more
  forwardBytesPerPeer: 32 * MIB, // in memory, twice what copies are long that are being passed on to one peer; over it they are dropped, and asked for again later
  forwardBytes: 128 * MIB, // to all peers; over it a peer has one at a time
  fallbackForwardMs: 8 * SECOND, // one try, of a copy that itself came over a border
  fallbackServers: 5, // asked one after the other when no holder is online at home
  foreignAcknowledgeMs: 10 * MINUTE, // for a peer's ack, cancel or list after a copy was passed on
  peerAwakeEvents: 256, // of one peer, being served: 429
  peerDormantEvents: 4_096, // of one peer, for which nobody is online: 429
  owedRetryFirstMs: SECOND, // acks, cancels, words to a peer that it did not answer, doubling
  owedRetryMaxMs: 15 * MINUTE,
  peerAwayMs: SECOND, // a server that could not answer, and says of no time, is asked again
  peerAwayMaxMs: 15 * MINUTE,
  foldRequestBytes: 64 * KIB, // 413; a longer chain of keys is asked for at the requester's home
  foldCallsWaiting: 256, // of the fold to one peer; over it a call fails at once
  foldItems: 64, // owed or due that one round takes up
  foldAuditEveryMs: 5 * SECOND, // crossings whose events are gone

  // Shutdown.
  drainMs: 5 * SECOND,
} as const satisfies Record<string, number>;

export type LimitName = keyof typeof DEFAULT_LIMITS;
export type Limits = Readonly<Record<LimitName, number>>;
