// From AUTHENTICATE to WELCOME. The order matters: who it is, the answer's signature, presence committed, then the hub, then
// WELCOME as the first frame, then what the member is owed. A socket or session that ends on the way leaves nothing behind.
import type { Logger } from 'pino';
import type { CloseCode } from '../base/codes.ts';
import { AppError } from '../base/errors.ts';
import { fromBase64url } from '../base/ids.ts';
import type { Limits } from '../base/limits.ts';
import type { Result } from '../base/result.ts';
import type { EndSessions } from '../bus/port.ts';
import type { Member, SessionEnd } from '../identity/sessions.ts';
import type { Arrival, Presence } from '../presence/presence.ts';
import type { MemberFrames } from '../relay/port.ts';
import type { UserId } from '../wire/address.ts';
import type { FrameBodies } from '../wire/frames.ts';
import type { Hub, Seated } from './hub.ts';

/** A connection, as the sign-in sees it. */
export interface SigningIn extends Seated {
  readonly connectionId: string;
  readonly nonce: string;
  readonly address: string;
  /** Ending or ended. */
  readonly over: boolean;
  /** Presence may have been written. */
  readonly written: boolean;
  /** Presence is about to be written: from here on the connection's end ends it. */
  present(member: Member): void;
  /** The code with which the member's session ended while it was being opened. */
  endedMeanwhile(member: Member): CloseCode | null;
  welcome(body: FrameBodies['welcome']): void;
  /** Answers why not; the client may try again while it has frames left. */
  refuse(id: string, error: unknown): void;
  end(code: CloseCode): void;
  goAway(code: CloseCode): void;
}

/** How sockets find out who it is; src/identity implements it. */
export interface Sessions {
  /** A session statement of purpose `socket` over the nonce of this connection's HELLO; answers with a token. */
  authenticateStatement(
    input: { readonly statement: Uint8Array; readonly signature: string },
    helloNonce: string,
  ): Promise<Result<Member & { readonly token: string }>>;
  authenticateToken(token: string): Promise<Member | null>;
  /** Why nobody may be signed in as these any more, in their order; null where one still may. */
  endedOf(members: readonly Member[]): Promise<readonly (SessionEnd | null)[]>;
}

/** Tries a sign-in of an address; over its limit of failed ones it throws RATE_LIMITED instead. Shared with the HTTP API. */
export type TrySignIn = <T>(address: string, signIn: () => Promise<T>) => Promise<T>;

export type SignInDeps = {
  readonly sessions: Sessions;
  readonly trySignIn: TrySignIn;
  readonly signWelcome: (session: string, clientNonce: string) => Promise<{ readonly kid: string; readonly signature: string }>;
  readonly presence: Presence;
  readonly replicaId: () => string;
  readonly hub: Hub;
  readonly endSessions: (userId: UserId, options: EndSessions) => void;
  readonly frames: MemberFrames;
  readonly limits: Limits;
  readonly log: Logger;
};

const NONCE_BYTES = { least: 16, most: 64 };
const TOKEN_CHARS = 256;

type Known = { readonly member: Member; readonly token: string };

/** @throws AppError BAD_REQUEST; that counts as no failed sign-in */
function requireShape({ clientNonce, statement, token }: FrameBodies['authenticate']): void {
  const nonceBytes = clientNonce.length <= NONCE_BYTES.most * 2 ? (fromBase64url(clientNonce)?.length ?? 0) : 0;
  if (nonceBytes < NONCE_BYTES.least || nonceBytes > NONCE_BYTES.most) {
    throw new AppError('BAD_REQUEST', 'client_nonce: 16 to 64 bytes as base64url');
  }
  if ((token !== '') === statement.length > 0) throw new AppError('BAD_REQUEST', 'either a token or a statement');
}

export class SignIn {
  readonly #deps: SignInDeps;

  constructor(deps: SignInDeps) {
    this.#deps = deps;
  }

  /** Signs a connection in, or answers why not. Never rejects. */
  async run(connection: SigningIn, id: string, body: FrameBodies['authenticate']): Promise<void> {
    const { hub, log } = this.#deps;
    hub.signingIn(connection);
    try {
      await this.#signIn(connection, body);
    } catch (error) {
      if (!(error instanceof AppError) || (error.code === 'INTERNAL' && !error.isLogged)) log.error({ err: error }, 'a sign-in failed');
      connection.refuse(id, error);
      // Whether it was written is not known: this connection's end sees to it, and another one may try.
      if (connection.written) connection.goAway('CLOSE_INTERNAL');
    } finally {
      hub.signedIn(connection);
    }
  }

  async #signIn(connection: SigningIn, body: FrameBodies['authenticate']): Promise<void> {
    const { endSessions, frames, hub, limits, presence, signWelcome, trySignIn } = this.#deps;
    requireShape(body);
    // A token can't be guessed, and one look-up is cheap: after a crash all tokens of a household are void at once, and that locks nobody out.
    const identify = (): Promise<Known | null> => this.#identify(connection, body);
    const known = await (body.token === '' ? trySignIn(connection.address, identify) : identify());
    if (known === null) return;
    const { member, token } = known;
    const signature = await signWelcome(connection.connectionId, body.clientNonce);
    if (connection.over) return;
    connection.present(member);
    const arrival = await presence.arrive({ connectionId: connection.connectionId, userId: member.userId, deviceId: member.deviceId });
    if (!this.#stands(connection, member, arrival)) return;
    connection.welcome({
      sessionId: connection.connectionId,
      token,
      limits: {
        frameBytes: limits.frameBytes,
        relayResponseBytes: limits.relayResponseBytes,
        openRequests: limits.openRequests,
        subscriptions: limits.subscriptions,
        holderWindow: limits.holderWindow,
      },
      pingIntervalMs: limits.pingIntervalMs,
      resumed: arrival.resumed,
      ...signature,
    });
    hub.add(connection, member.userId);
    if (arrival.replaced) endSessions(member.userId, { exceptDeviceId: member.deviceId, code: 'CLOSE_REPLACED' });
    frames.arrived(member.userId, !arrival.resumed).catch((error: unknown) => {
      this.#deps.log.error({ err: error }, 'the look after an arrival failed');
    });
  }

  /** Null: the connection ended while it waited for its turn. */
  async #identify(connection: SigningIn, body: FrameBodies['authenticate']): Promise<Known | null> {
    const { sessions } = this.#deps;
    if (connection.over) return null;
    const byToken = body.token !== '';
    if (byToken) {
      const member = body.token.length > TOKEN_CHARS ? null : await sessions.authenticateToken(body.token);
      if (member) return { member, token: body.token };
    } else {
      const known = await sessions.authenticateStatement({ statement: body.statement, signature: body.signature }, connection.nonce);
      if (known.ok) return { member: known.value, token: known.value.token };
    }
    throw new AppError('UNAUTHENTICATED', byToken ? 'this token opens no session' : 'this statement opens no session here');
  }

  /** Whether the connection may go on after its presence is committed. If not it is being closed, and its presence with it. */
  #stands(connection: SigningIn, member: Member, arrival: Arrival): boolean {
    const { limits, replicaId } = this.#deps;
    if (connection.over) return false;
    const ended = connection.endedMeanwhile(member);
    if (ended !== null) connection.end(ended);
    else if (arrival.replicaId !== replicaId()) connection.goAway('CLOSE_PRESENCE_LOST');
    else if (arrival.connections > limits.connectionsPerMember) connection.end('CLOSE_TOO_MANY_CONNECTIONS');
    else return true;
    return false;
  }
}
