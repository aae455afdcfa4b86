// Members: sign-up, search, profiles, a new identity statement.
import { type Static, Type } from '@fastify/type-provider-typebox';
import { AppError } from '../../base/errors.ts';
import { parseUserId, type UserId } from '../../wire/address.ts';
import {
  type Api,
  type ApiDeps,
  Certificate,
  exactly,
  IdParam,
  memberOf,
  needsSession,
  problems,
  requireId,
  SignedStatement,
  signedIn,
  spend,
  Time,
  Token,
  timeText,
} from '../api.ts';

const SignUp = exactly({
  identity: SignedStatement,
  key: SignedStatement,
  session: SignedStatement,
  inviteSecret: Type.Optional(Type.String({ maxLength: 64, description: 'base64url of 32 bytes' })),
});
const SignedUp = Type.Object({ identity: Certificate, key: Certificate, ...Token.properties });
const Found = Type.Object({ id: Type.String(), username: Type.String(), role: Type.String() });
const Count = Type.Integer({ description: 'As far as profiles count.' });
const Profile = Type.Object({
  ...Found.properties,
  createdAt: Time,
  identity: Certificate,
  counts: Type.Object({ reeds: Count, following: Type.Union([Count, Type.Null()]), followers: Count }),
  pinned: Type.Union([Type.Object({ certificate: Certificate, publishedAt: Time }), Type.Null()]),
});
const SearchQuery = exactly({
  // Postgres keeps no NUL in a text, so nothing begins with one.
  query: Type.String({ minLength: 1, maxLength: 64, pattern: '^[^\\u0000]*$', description: 'The beginning of a name or id.' }),
  cursor: Type.Optional(Type.String({ maxLength: 255, description: '`next` of the page before.' })),
});
const SearchPage = Type.Object({ users: Type.Array(Found), next: Type.Union([Type.String(), Type.Null()]) });

export function userRoutes(app: Api, deps: ApiDeps): void {
  addSignUp(app, deps);
  addSearch(app, deps);
  addProfile(app, deps);
  addIdentity(app, deps);
}

function addSignUp(app: Api, deps: ApiDeps): void {
  app.post(
    '/api/v1/users',
    {
      schema: {
        summary: 'Sign up',
        body: SignUp,
        response: {
          201: SignedUp,
          ...problems('INVALID', 'UNAUTHENTICATED', 'SIGNUP_CLOSED', 'INVITE_INVALID', 'USERNAME_TAKEN', 'CONFLICT'),
        },
      },
    },
    async (request, reply) => {
      spend(deps, 'sign-up', request);
      return reply.code(201).send(await signUp(deps, request.body));
    },
  );
}

function addSearch(app: Api, deps: ApiDeps): void {
  app.get(
    '/api/v1/users',
    {
      preHandler: signedIn(deps),
      schema: {
        ...needsSession,
        summary: 'Find members by name or id',
        querystring: SearchQuery,
        response: { 200: SearchPage, ...problems('UNAUTHENTICATED') },
      },
    },
    async (request) => {
      const { query, cursor } = request.query;
      const after = cursor === undefined ? '' : requireId(parseUserId, cursor, 'cursor');
      const found = await deps.identity.users.search(memberOf(request).userId, query, { after, limit: deps.limits.pageItems });
      return { users: found, next: found.length === deps.limits.pageItems ? (found.at(-1)?.id ?? null) : null };
    },
  );
}

function addProfile(app: Api, deps: ApiDeps): void {
  app.get(
    '/api/v1/users/:id',
    {
      preHandler: signedIn(deps),
      schema: {
        ...needsSession,
        summary: 'A member',
        params: IdParam,
        response: { 200: Profile, ...problems('UNAUTHENTICATED', 'NOT_FOUND', 'REMOVED', 'BLOCKED') },
      },
    },
    async (request) => {
      const user = requireId(parseUserId, request.params.id);
      return profileOf(deps, memberOf(request).userId, user);
    },
  );
}

async function profileOf({ identity, reeds }: ApiDeps, viewer: UserId, user: UserId): Promise<Static<typeof Profile>> {
  const profile = await identity.users.profile(viewer, user);
  const { pinned } = profile.identity.statement;
  if (pinned !== undefined) await reeds.absent.need(pinned).catch(refusalOnly);
  const [follows, count, shown] = await Promise.all([
    identity.follows.counts(viewer, user),
    reeds.profile.count(user),
    pinned === undefined ? null : reeds.profile.pinned(user, pinned),
  ]);
  return {
    ...profile,
    createdAt: profile.createdAt.toISOString(),
    counts: { reeds: count, ...follows },
    pinned: shown === null ? null : { certificate: shown.certificate, publishedAt: shown.publishedAt.toISOString() },
  };
}

/** What was taken back is not shown. @throws whatever is no refusal */
function refusalOnly(error: unknown): void {
  if (!(error instanceof AppError)) throw error;
}

function addIdentity(app: Api, deps: ApiDeps): void {
  app.post(
    '/api/v1/users/me/identity',
    {
      preHandler: signedIn(deps),
      schema: {
        ...needsSession,
        summary: 'Say something else about yourself',
        body: SignedStatement,
        response: {
          200: Type.Object({ certificate: Certificate }),
          ...problems('UNAUTHENTICATED', 'FORBIDDEN', 'INVALID', 'USERNAME_TAKEN', 'KEY_REVOKED'),
        },
      },
    },
    async (request) => ({ certificate: (await deps.identity.users.changeIdentity(memberOf(request), request.body)).certificate }),
  );
}

async function signUp(deps: ApiDeps, body: Static<typeof SignUp>): Promise<Static<typeof SignedUp>> {
  const { identity, key, token, expiresAtMs } = await deps.identity.signUp.run(body);
  return { identity, key, token, expiresAt: timeText(expiresAtMs) };
}
