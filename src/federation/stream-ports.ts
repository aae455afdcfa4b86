// What streams ask of the rest of the federation. Ports; composed in app.ts.
import type { ErrorCode } from '../base/codes.ts';
import type { ServerId, UserKeyId } from '../wire/address.ts';
import type { KeyLink } from '../wire/streams.ts';

/** What came back of a call. transport: nothing is known. held: it was not made. */
export type Called =
  | {
      readonly kind: 'answer';
      readonly status: number;
      readonly body: Uint8Array;
      /** Of the peer's ledger; none or empty: it did not know. */
      readonly epoch?: string;
      readonly refusal?: { readonly code?: ErrorCode; readonly retryAfterMs: number; readonly certificate?: object };
    }
  /** untilMs: nothing is tried before. */
  | { readonly kind: 'transport'; readonly reason?: string; readonly untilMs?: number }
  /** isSated: since the peer has enough. untilMs null: it is no peer that may be called. */
  | { readonly kind: 'held'; readonly untilMs?: number | null; readonly isSated?: boolean };

export interface PeerCalls {
  /** @throws only what the database does, in which peers stand: nothing was learned then */
  call(peer: ServerId, leg: string, body: Uint8Array, options?: { readonly signal?: AbortSignal }): Promise<Called>;
}

export interface PeerStates {
  /** Peers that are live and answered when they were last called, or may be tried again. */
  near(): Promise<readonly ServerId[]>;
  /** The other live ones: they said that they stop, or did not answer, and are called again later. */
  far(): Promise<readonly ServerId[]>;
}

export type LegAnswer = { readonly status: number; readonly body?: Uint8Array };

/** Answers a leg for a live peer. */
export type Leg = {
  readonly limitBytes: number;
  /** @throws AppError, answered with its code, detail and certificate */
  handle(peer: ServerId, body: Uint8Array): Promise<LegAnswer>;
};

/** Asks the home of a key for its chain; null if it can't say now. */
export type AskForChain = (key: UserKeyId) => Promise<readonly KeyLink[] | null>;
