// Blocking somebody, and one's own list of blocks.
import { Type } from '@fastify/type-provider-typebox';
import { parseUserId } from '../../wire/address.ts';
import { type Api, type ApiDeps, actSchema, Certificate, exactly, memberOf, needsSession, problems, requireId, signedIn } from '../api.ts';

const ListQuery = exactly({ cursor: Type.Optional(Type.String({ maxLength: 255, description: '`next` of the page before.' })) });
const BlockSchema = Type.Object({ id: Type.String(), username: Type.Union([Type.String(), Type.Null()]), certificate: Certificate });
const BlockPage = Type.Object({ blocks: Type.Array(BlockSchema), next: Type.Union([Type.String(), Type.Null()]) });

export function blockRoutes(app: Api, deps: ApiDeps): void {
  addAct(app, deps, 'block');
  addAct(app, deps, 'unblock');
  addList(app, deps);
}

function addAct(app: Api, deps: ApiDeps, act: 'block' | 'unblock'): void {
  app.post(
    `/api/v1/users/:id/${act}`,
    {
      preHandler: signedIn(deps),
      schema: actSchema(
        act === 'block' ? 'Cut a member off from yourself' : 'Let a member back in',
        'UNAUTHENTICATED',
        'FORBIDDEN',
        'INVALID',
        'NOT_FOUND',
        'REMOVED',
        'KEY_REVOKED',
      ),
    },
    async (request) => {
      const target = requireId(parseUserId, request.params.id);
      const { certificate } = await deps.identity.blocks.set(memberOf(request), target, act, request.body);
      return { certificate };
    },
  );
}

function addList(app: Api, deps: ApiDeps): void {
  app.get(
    '/api/v1/users/me/blocks',
    {
      preHandler: signedIn(deps),
      schema: {
        ...needsSession,
        summary: 'Whom you block',
        querystring: ListQuery,
        response: { 200: BlockPage, ...problems('UNAUTHENTICATED') },
      },
    },
    async (request) => {
      const after = request.query.cursor === undefined ? '' : requireId(parseUserId, request.query.cursor, 'cursor');
      const limit = deps.limits.pageItems;
      const blocks = await deps.identity.blocks.list(memberOf(request).userId, { after, limit });
      return { blocks, next: blocks.length === limit ? (blocks.at(-1)?.id ?? null) : null };
    },
  );
}
