// Which deliveries this member agreed to: what it asked for is stored and answered for, what it has is confirmed, a broadcast is shown
// and let go of, and everything else is turned away.
import type { FrameType } from '../wire/frames.ts';

export type Consent =
  /** Asked for: verified, stored, acknowledged. */
  | 'keep'
  /** Here already: acknowledged and dropped. */
  | 'already'
  /** Shown while the session lasts. */
  | 'show'
  /** Never agreed to: dropped and reported. */
  | 'refuse';

/** Judges a delivery by what is known of its reed on this device. */
export function consentTo(frame: FrameType, known: { readonly requested: boolean; readonly stored: boolean }): Consent {
  if (frame === 'broadcastReed') return 'show';
  if (known.stored) return 'already';
  return known.requested ? 'keep' : 'refuse';
}
