// What the signed transport asks of the rest of the federation: who a caller is, what each leg does. Ports; composed in app.ts.
import type { ServerId } from '../wire/address.ts';
import type { TransportKeys } from './signature.ts';

export type KnownPeer = {
  readonly id: ServerId;
  /** Approved by both sides and not suspended. Any other is refused on every leg but those that say `beforeLive`. */
  readonly isLive: boolean;
  readonly keys: TransportKeys;
};

export type Peers = {
  /** The peer with this id; null: it is none, or no more. For a `kid` that is not known its document may be asked for anew. */
  find(server: ServerId, kid: string): Promise<KnownPeer | null>;
};

/** An answer of a leg. A 204 of the leg's description goes as 200 with an empty body, since every answer has an envelope. */
export type LegAnswer = { readonly status: number; readonly body?: Uint8Array };

export type Leg = {
  /** The longest body; over it 413. */
  readonly limitBytes: number;
  /** Also for peers that are not live. */
  readonly beforeLive?: boolean;
  /** The caller's signature and the digest of `body` have been verified. @throws AppError, answered with its code, detail, certificate */
  handle(peer: ServerId, body: Uint8Array): Promise<LegAnswer>;
};

/** What a caller who is no peer yet said of itself, believed because of what else it knows. */
export type Introduced = {
  readonly server: ServerId;
  readonly keys: TransportKeys;
  /** Called when one of `keys` has signed the request. */
  handle(): Promise<LegAnswer>;
};

/** A leg for callers that are no peers yet: its body is read before their signature can be verified. */
export type Introduction = {
  readonly limitBytes: number;
  /** Who it is; null answers 404, and says nothing of why. */
  introduce(body: Uint8Array): Promise<Introduced | null>;
};

export type Legs = Pick<ReadonlyMap<string, Leg>, 'get'>;
export type Introductions = ReadonlyMap<string, Introduction>;
