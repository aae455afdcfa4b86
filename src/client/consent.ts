// What this member agreed to keep. Opening a reed means keeping it for others; nothing else is kept that was not asked for.
// A broadcast is for the session only: it is shown and never stored.
import type { FrameType } from '../wire/frames.ts';

export type Consent =
  /** Asked for: verified, stored, acknowledged. */
  | 'keep'
  /** Here already: acknowledged without storing it twice. */
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
