// Lists of reeds: what replies to or echoes one, and a member's own, by which a new device learns what it lacks.
import { Type } from '@fastify/type-provider-typebox';
import type { ListedReed } from '../../reeds/lists.ts';
import { parseReedId, type ReedId } from '../../wire/address.ts';
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
  signedIn,
  Time,
} from '../api.ts';

const ListQuery = exactly({ cursor: Type.Optional(Type.String({ maxLength: 255, description: '`next` of the page before.' })) });
const Next = Type.Union([Type.String(), Type.Null()]);
const Reeds = Type.Object({ reeds: Type.Array(Type.Object({ certificate: Certificate, publishedAt: Time })), next: Next });
const Ids = Type.Object({ reeds: Type.Array(Type.String()), next: Next });

export function reedListRoutes(app: Api, deps: ApiDeps): void {
  addRelated(app, deps, 'replies');
  addRelated(app, deps, 'echoes');
  addOwn(app, deps);
  addIds(app, deps, { path: 'allocations', list: 'held', summary: 'The reeds that the server counts on you to have' });
  addIds(app, deps, { path: 'likes', list: 'liked', summary: 'The reeds that you like' });
}

const afterOf = (cursor: string | undefined): string => (cursor === undefined ? '' : requireId(parseReedId, cursor, 'cursor'));

const pageOf = (listed: readonly ListedReed[], limit: number) => ({
  reeds: listed.map(({ certificate, publishedAt }) => ({ certificate, publishedAt: publishedAt.toISOString() })),
  next: listed.length === limit ? (listed.at(-1)?.id ?? null) : null,
});

function addRelated(app: Api, deps: ApiDeps, relation: 'replies' | 'echoes'): void {
  app.get(
    `/api/v1/reeds/:id/${relation}`,
    {
      preHandler: signedIn(deps),
      schema: {
        ...needsSession,
        summary: relation === 'replies' ? 'What replies to a reed itself, oldest first' : 'What echoes a reed, oldest first',
        params: IdParam,
        querystring: ListQuery,
        response: { 200: Reeds, ...problems('UNAUTHENTICATED', 'NOT_FOUND', 'REMOVED', 'BLOCKED') },
      },
    },
    async (request) => {
      const limit = deps.limits.pageItems;
      const page = { reed: requireId(parseReedId, request.params.id), after: afterOf(request.query.cursor), limit };
      await deps.reeds.absent.need(page.reed);
      return pageOf(await deps.reeds.lists.related(memberOf(request).userId, relation, page), limit);
    },
  );
}

function addOwn(app: Api, deps: ApiDeps): void {
  app.get(
    '/api/v1/users/me/reeds',
    {
      preHandler: signedIn(deps),
      schema: {
        ...needsSession,
        summary: 'What you have published, newest first',
        querystring: ListQuery,
        response: { 200: Reeds, ...problems('UNAUTHENTICATED') },
      },
    },
    async (request) => {
      const limit = deps.limits.pageItems;
      return pageOf(await deps.reeds.lists.own(memberOf(request).userId, { after: afterOf(request.query.cursor), limit }), limit);
    },
  );
}

type IdList = { readonly path: string; readonly list: 'held' | 'liked'; readonly summary: string };

function addIds(app: Api, deps: ApiDeps, { path, list, summary }: IdList): void {
  app.get(
    `/api/v1/users/me/${path}`,
    {
      preHandler: signedIn(deps),
      schema: { ...needsSession, summary, querystring: ListQuery, response: { 200: Ids, ...problems('UNAUTHENTICATED') } },
    },
    async (request) => {
      const limit = deps.limits.pageIds;
      const reeds: ReedId[] = await deps.reeds.lists[list](memberOf(request).userId, { after: afterOf(request.query.cursor), limit });
      return { reeds, next: reeds.length === limit ? (reeds.at(-1) ?? null) : null };
    },
  );
}
