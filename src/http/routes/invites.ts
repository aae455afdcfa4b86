// Invites: a member's own, and the check of one by whoever holds its secret.
import { Type } from '@fastify/type-provider-typebox';
import { AppError } from '../../base/errors.ts';
import type { Invite } from '../../identity/invites.ts';
import { parseInviteId } from '../../wire/address.ts';
import {
  type Api,
  type ApiDeps,
  Certificate,
  exactly,
  IdParam,
  memberOf,
  NoContent,
  needsSession,
  problems,
  requireId,
  SignedStatement,
  signedIn,
  Time,
  trySignIn,
} from '../api.ts';

const OrNull = (schema: typeof Time | ReturnType<typeof Type.String>) => Type.Union([schema, Type.Null()]);
const InviteSchema = Type.Object({
  id: Type.String(),
  role: Type.String(),
  createdAt: Time,
  expiresAt: Time,
  claimedBy: OrNull(Type.String()),
  claimedAt: OrNull(Time),
  revokedAt: OrNull(Time),
});
const Page = Type.Object({ invites: Type.Array(InviteSchema), next: OrNull(Type.String()) });
const Cursor = exactly({ cursor: Type.Optional(Type.String({ maxLength: 255 })) });
const Secret = exactly({ secret: Type.String({ maxLength: 64 }), invite: Type.Optional(Type.String({ maxLength: 255 })) });
const Open = Type.Object({
  id: Type.String(),
  role: Type.String(),
  inviter: OrNull(Type.String()),
  inviterName: OrNull(Type.String()),
  expiresAt: Time,
});

const shown = (invite: Invite) => ({
  ...invite,
  createdAt: invite.createdAt.toISOString(),
  expiresAt: invite.expiresAt.toISOString(),
  claimedAt: invite.claimedAt?.toISOString() ?? null,
  revokedAt: invite.revokedAt?.toISOString() ?? null,
});

export function inviteRoutes(app: Api, deps: ApiDeps): void {
  addList(app, deps);
  addCreate(app, deps);
  addCheck(app, deps);
  addRevoke(app, deps);
}

function addList(app: Api, deps: ApiDeps): void {
  app.get(
    '/api/v1/invites',
    {
      preHandler: signedIn(deps),
      schema: { ...needsSession, summary: 'Your invites', querystring: Cursor, response: { 200: Page, ...problems('UNAUTHENTICATED') } },
    },
    async (request) => {
      const after = request.query.cursor === undefined ? null : requireId(parseInviteId, request.query.cursor, 'cursor');
      const list = await deps.identity.invites.list(memberOf(request).userId, { after, limit: deps.limits.pageItems });
      return { invites: list.map(shown), next: list.length === deps.limits.pageItems ? (list.at(-1)?.id ?? null) : null };
    },
  );
}

function addCreate(app: Api, deps: ApiDeps): void {
  app.post(
    '/api/v1/invites',
    {
      preHandler: signedIn(deps),
      schema: {
        ...needsSession,
        summary: 'Invite somebody',
        body: SignedStatement,
        response: {
          200: Type.Object({ certificate: Certificate }),
          201: Type.Object({ certificate: Certificate }),
          ...problems('UNAUTHENTICATED', 'FORBIDDEN', 'INVALID', 'CONFLICT', 'SIGNUP_CLOSED', 'TOO_MANY_OPEN'),
        },
      },
    },
    async (request, reply) => {
      const { certificate, isNew } = await deps.identity.invites.create(memberOf(request), request.body);
      return reply.code(isNew ? 201 : 200).send({ certificate });
    },
  );
}

function addCheck(app: Api, deps: ApiDeps): void {
  app.post(
    '/api/v1/invites/check',
    { schema: { summary: 'Whether an invite still opens', body: Secret, response: { 200: Open, ...problems('INVITE_INVALID') } } },
    async (request) => {
      const open = await trySignIn(deps, request, () => deps.identity.invites.check(request.body.secret));
      if (request.body.invite !== undefined && request.body.invite !== open.id)
        throw new AppError('INVITE_INVALID', 'the secret is of another invite');
      return { ...open, expiresAt: open.expiresAt.toISOString() };
    },
  );
}

function addRevoke(app: Api, deps: ApiDeps): void {
  app.post(
    '/api/v1/invites/:id/revoke',
    {
      preHandler: signedIn(deps),
      schema: {
        ...needsSession,
        summary: 'Take an invite back',
        params: IdParam,
        response: { 204: NoContent, ...problems('UNAUTHENTICATED', 'NOT_FOUND', 'CONFLICT') },
      },
    },
    async (request, reply) => {
      await deps.identity.invites.revoke(memberOf(request).userId, requireId(parseInviteId, request.params.id));
      return reply.code(204).send(null);
    },
  );
}
