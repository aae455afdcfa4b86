// What every route file shares: the typed instance, who is signed in, what a call costs its address, ids in paths, schemas that repeat.

import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Static, type TSchema, Type, type TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import type { FastifyBaseLogger, FastifyInstance, FastifyRequest, RawServerDefault } from 'fastify';
import type { Clock } from '../base/clock.ts';
import { ERROR_CODES, type ErrorCode } from '../base/codes.ts';
import { AppError } from '../base/errors.ts';
import type { Limits } from '../base/limits.ts';
import type { AddressBudget, Counted } from '../identity/address-budget.ts';
import type { Identity } from '../identity/identity.ts';
import type { SignupMode } from '../identity/mode.ts';
import type { Recovering } from '../identity/recovery.ts';
import type { Member } from '../identity/sessions.ts';
import type { Reeds } from '../reeds/reeds.ts';
import type { UserId } from '../wire/address.ts';
import type { ActBudget } from './act-budget.ts';

export type Api = FastifyInstance<RawServerDefault, IncomingMessage, ServerResponse, FastifyBaseLogger, TypeBoxTypeProvider>;

export type ApiDeps = {
  readonly identity: Identity;
  readonly reeds: Reeds;
  readonly clock: Clock;
  readonly limits: Limits;
  readonly signup: SignupMode;
  readonly name: string;
  readonly version: string;
  readonly addresses: AddressBudget;
  readonly acts: ActBudget;
};

const members = new WeakMap<FastifyRequest, Member>();

/** The bearer token of a request, from the Authorization header only. */
export function tokenOf(request: FastifyRequest): string {
  const token = /^Bearer ([A-Za-z0-9_-]{1,128})$/.exec(request.headers.authorization ?? '')?.[1];
  if (token === undefined) throw new AppError('UNAUTHENTICATED', 'a session is needed');
  return token;
}

/** Counts an act of a member's: whatever it sends to be carried out. @throws AppError RATE_LIMITED */
function countAct(acts: ActBudget, request: FastifyRequest, userId: UserId, by: 'member' | 'recovery'): void {
  if (request.method === 'POST') spendAct(acts, userId, by);
}

/** @throws AppError RATE_LIMITED */
function spendAct(acts: ActBudget, userId: UserId, by: 'member' | 'recovery'): void {
  const retryAfterMs = acts.spend(userId, by);
  if (retryAfterMs > 0) throw new AppError('RATE_LIMITED', 'too many acts of yours at once', { retryAfterMs });
}

/** Hook of routes that need a session; one that takes an act costs the member. @throws AppError UNAUTHENTICATED, RATE_LIMITED */
export const signedIn =
  ({ acts, identity }: ApiDeps) =>
  async (request: FastifyRequest): Promise<void> => {
    const member = await identity.sessions.authenticateToken(tokenOf(request));
    if (member === null) throw new AppError('UNAUTHENTICATED', 'the session has ended');
    countAct(acts, request, member.userId, 'member');
    members.set(request, member);
  };

/** Hook of what is only read, and costs as much as an act. @throws AppError UNAUTHENTICATED, RATE_LIMITED */
export const signedInAtCost = (deps: ApiDeps) => {
  const check = signedIn(deps);
  return async (request: FastifyRequest): Promise<void> => {
    await check(request);
    spendAct(deps.acts, memberOf(request).userId, 'member');
  };
};

const recovering = new WeakMap<FastifyRequest, Recovering>();

/** Hook of the routes that a session by a recovery key opens; `or`: those of members, too. @throws AppError UNAUTHENTICATED, RATE_LIMITED */
export const recoveringOr =
  ({ acts, identity }: ApiDeps, or: 'member' | 'nobody') =>
  async (request: FastifyRequest): Promise<void> => {
    const token = tokenOf(request);
    const by = await identity.recovery.authenticateToken(token);
    const member = by === null && or === 'member' ? await identity.sessions.authenticateToken(token) : null;
    const who = by ?? member;
    if (who === null) throw new AppError('UNAUTHENTICATED', 'the session has ended');
    countAct(acts, request, who.userId, by === null ? 'member' : 'recovery');
    if (by !== null) recovering.set(request, by);
    if (member !== null) members.set(request, member);
  };

/** The session by a recovery key, on a route with `recoveringOr`; null if it is a member's. */
export const recoveringOf = (request: FastifyRequest): Recovering | null => recovering.get(request) ?? null;

/** Who is signed in, on a route with `signedIn`. */
export function memberOf(request: FastifyRequest): Member {
  const member = members.get(request);
  if (member === undefined) throw new Error('a route without a session asks for its member');
  return member;
}

/** The client's address. Unlike its type says there is none once the connection is gone: whoever left counts as one address. */
const addressOf = (request: FastifyRequest): string => (request.ip as string | undefined) ?? '';

/** @throws AppError RATE_LIMITED if the address may not do this now; counts one otherwise */
export function spend({ addresses }: Pick<ApiDeps, 'addresses'>, counted: Counted, request: FastifyRequest): void {
  const address = addressOf(request);
  const retryAfterMs = addresses.waitMs(counted, address);
  if (retryAfterMs > 0) throw new AppError('RATE_LIMITED', `too many of these from your address: ${counted}`, { retryAfterMs });
  addresses.count(counted, address);
}

/** Runs a sign-in; each that fails is counted, and over the limit none is tried. @throws AppError RATE_LIMITED */
export function trySignIn<T>({ addresses }: ApiDeps, request: FastifyRequest, signIn: () => Promise<T>): Promise<T> {
  return addresses.trySignIn(addressOf(request), signIn);
}

/** An id from a path or query. @throws AppError BAD_REQUEST naming the parameter */
export function requireId<T>(parse: (text: string) => T | null, text: string, parameter = 'id'): T {
  const id = parse(text);
  if (id === null) throw new AppError('BAD_REQUEST', `${parameter}: not an id of that kind`);
  return id;
}

const CLOSED = { additionalProperties: false } as const;

/** An object with exactly these fields. */
export const exactly = <P extends Record<string, TSchema>>(properties: P) => Type.Object(properties, CLOSED);

export const Statement = Type.Object(
  {},
  { additionalProperties: true, description: 'A statement: its fields are those of its type and no others.' },
);

export const SignedStatement = exactly({
  statement: Statement,
  signatures: Type.Array(exactly({ key: Type.String({ maxLength: 255 }), signature: Type.String({ maxLength: 8_192 }) }), {
    minItems: 1,
    maxItems: 2,
  }),
});

export const SessionStatement = exactly({ statement: Statement, signature: Type.String({ maxLength: 8_192 }) });

export const Certificate = Type.Unsafe<object>(
  Type.Object(
    { statement: Statement, signatures: Type.Array(Type.Unknown()), countersignature: Type.Unknown() },
    { description: 'A signed statement with the countersignature of its server.' },
  ),
);

export const Time = Type.String({ format: 'date-time' });
export const Token = Type.Object({ token: Type.String(), expiresAt: Time });
export const IdParam = exactly({ id: Type.String({ maxLength: 255, description: 'Percent-encoded.' }) });
export type IdParam = Static<typeof IdParam>;

const ProblemSchema = Type.Object(
  {
    type: Type.String(),
    title: Type.String(),
    status: Type.Integer(),
    code: Type.String(),
    detail: Type.String(),
    retryAfterMs: Type.Optional(Type.Integer()),
    certificate: Type.Optional(Type.Unknown()),
  },
  { description: 'RFC 9457 problem document.' },
);

/** Codes that any route may answer with. */
const ALWAYS: readonly ErrorCode[] = ['BAD_REQUEST', 'RATE_LIMITED', 'INTERNAL', 'UNAVAILABLE'];

/** The problem answers of a route, by status, each with the codes that it may have. */
export function problems(...codes: readonly ErrorCode[]): Record<string, unknown> {
  const byStatus = new Map<number, ErrorCode[]>();
  for (const code of [...ALWAYS, ...codes]) {
    const { httpStatus } = ERROR_CODES[code];
    byStatus.set(httpStatus, [...(byStatus.get(httpStatus) ?? []), code]);
  }
  return Object.fromEntries(
    [...byStatus].map(([status, of]) => [
      status,
      { description: of.join(', '), content: { 'application/problem+json': { schema: ProblemSchema } } },
    ]),
  );
}

export const NoContent = Type.Null({ description: 'Nothing.' });
export const BEARER = [{ bearer: [] }];

/** The schema parts of a route that needs a session. */
export const needsSession = { security: BEARER } as const;

/** RFC 3339 in UTC with milliseconds. */
export const timeText = (ms: number): string => new Date(ms).toISOString();

/** Of a route that takes a statement about what its path names and answers with the certificate. */
export const actSchema = (summary: string, ...codes: readonly ErrorCode[]) => ({
  ...needsSession,
  summary,
  params: IdParam,
  body: SignedStatement,
  response: { 200: Type.Object({ certificate: Certificate }), ...problems(...codes) },
});
