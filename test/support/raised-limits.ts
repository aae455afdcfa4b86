// Limits for loads: all members are of one address, and each does nothing but ask and answer.
import type { Limits } from '../../src/base/limits.ts';

const NO_END = 1e9;

/** What one member may do in a short time. */
const OF_A_MEMBER = {
  costBurst: NO_END,
  costPerMinute: NO_END,
  freeFramesBurst: NO_END,
  freeFramesPerSecond: NO_END,
  sameReedPerHour: NO_END,
  syncIntervalMs: 0,
  actsBurst: NO_END,
} satisfies Partial<Limits>;

/** What one address may do, and how many of it may be signing in. */
const OF_AN_ADDRESS = {
  httpRequestsPerMinute: NO_END,
  signUpsPerHour: NO_END,
  challengesPerHour: NO_END,
  failedSignInsPerMinute: NO_END,
  unauthenticatedSockets: 100_000,
  unauthenticatedSocketsPerAddress: 100_000,
} satisfies Partial<Limits>;

export const RAISED_LIMITS: Partial<Limits> = { ...OF_A_MEMBER, ...OF_AN_ADDRESS };
