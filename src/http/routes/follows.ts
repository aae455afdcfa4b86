// Following somebody, and the lists of who follows whom.
import { Type } from '@fastify/type-provider-typebox';
import type { Edge } from '../../identity/follows.ts';
import { parseUserId } from '../../wire/address.ts';
import { type Api, type ApiDeps, actSchema, exactly, IdParam, memberOf, needsSession, problems, requireId, signedIn } from '../api.ts';

const ListQuery = exactly({ cursor: Type.Optional(Type.String({ maxLength: 255, description: '`next` of the page before.' })) });
const EdgeSchema = Type.Object({ id: Type.String(), username: Type.Union([Type.String(), Type.Null()]) });
const EdgePage = Type.Object({ users: Type.Array(EdgeSchema), next: Type.Union([Type.String(), Type.Null()]) });

export function followRoutes(app: Api, deps: ApiDeps): void {
  addAct(app, deps, 'follow');
  addAct(app, deps, 'unfollow');
  addList(app, deps, 'following');
  addList(app, deps, 'followers');
}

function addAct(app: Api, deps: ApiDeps, act: 'follow' | 'unfollow'): void {
  app.post(
    `/api/v1/users/:id/${act}`,
    {
      preHandler: signedIn(deps),
      schema: actSchema(
        act === 'follow' ? 'Follow a member' : 'Follow a member no more',
        'UNAUTHENTICATED',
        'FORBIDDEN',
        'INVALID',
        'NOT_FOUND',
        ...(act === 'follow' ? (['CONFLICT'] as const) : []),
        'REMOVED',
        'BLOCKED',
        'KEY_REVOKED',
      ),
    },
    async (request) => {
      const target = requireId(parseUserId, request.params.id);
      const { certificate } = await deps.identity.follows.set(memberOf(request), target, act, request.body);
      return { certificate };
    },
  );
}

function addList(app: Api, deps: ApiDeps, list: 'following' | 'followers'): void {
  app.get(
    `/api/v1/users/:id/${list}`,
    {
      preHandler: signedIn(deps),
      schema: {
        ...needsSession,
        summary: list === 'following' ? 'Whom a member follows, if they show it' : 'Who follows a member and shows it',
        params: IdParam,
        querystring: ListQuery,
        response: { 200: EdgePage, ...problems('UNAUTHENTICATED', 'FORBIDDEN', 'NOT_FOUND', 'REMOVED', 'BLOCKED') },
      },
    },
    async (request) => {
      const user = requireId(parseUserId, request.params.id);
      const after = request.query.cursor === undefined ? '' : requireId(parseUserId, request.query.cursor, 'cursor');
      const limit = deps.limits.pageItems;
      const users: Edge[] = await deps.identity.follows[list](memberOf(request).userId, user, { after, limit });
      return { users, next: users.length === limit ? (users.at(-1)?.id ?? null) : null };
    },
  );
}
