// Registering and reading reeds and threads. Publishing itself is a socket frame.
import { Type } from '@fastify/type-provider-typebox';
import { parseReedId } from '../../wire/address.ts';
import {
  type Api,
  type ApiDeps,
  actSchema,
  Certificate,
  IdParam,
  memberOf,
  needsSession,
  problems,
  requireId,
  SignedStatement,
  signedIn,
  Time,
} from '../api.ts';

const Mention = Type.Object({ user: Type.String(), accepted: Type.Boolean(), reason: Type.Optional(Type.String()) });
const Registered = Type.Object({ certificate: Certificate, mentions: Type.Array(Mention) });
const Published = Type.Object({ certificate: Certificate, publishedAt: Time });

export function reedRoutes(app: Api, deps: ApiDeps): void {
  const { absent, register, reading } = deps.reeds;
  const preHandler = signedIn(deps);

  app.post(
    '/api/v1/reeds',
    {
      preHandler,
      schema: {
        ...needsSession,
        summary: 'Register a reed',
        description: '201, or 200 with the first certificate for a retry. Nobody sees it before PUBLISH_READY.',
        body: SignedStatement,
        response: {
          200: Registered,
          201: Registered,
          ...problems('UNAUTHENTICATED', 'FORBIDDEN', 'INVALID', 'CONFLICT', 'TIP_MISMATCH', 'BLOCKED', 'REMOVED', 'KEY_REVOKED'),
        },
      },
    },
    async (request, reply) => {
      const { certificate, mentions, isNew } = await register.reed(memberOf(request), request.body);
      return reply.code(isNew ? 201 : 200).send({ certificate, mentions: [...mentions] });
    },
  );

  app.get(
    '/api/v1/reeds/:id',
    {
      preHandler,
      schema: {
        ...needsSession,
        summary: "A published reed's certificate",
        params: IdParam,
        response: { 200: Published, ...problems('UNAUTHENTICATED', 'NOT_FOUND', 'REMOVED', 'BLOCKED') },
      },
    },
    async (request) => {
      const id = requireId(parseReedId, request.params.id);
      await absent.need(id);
      const { certificate, publishedAt } = await reading.reed(memberOf(request).userId, id);
      return { certificate, publishedAt: publishedAt.toISOString() };
    },
  );
}

export function likeRoutes(app: Api, deps: ApiDeps): void {
  for (const act of ['like', 'unlike'] as const) {
    app.post(
      `/api/v1/reeds/:id/${act}`,
      {
        preHandler: signedIn(deps),
        schema: actSchema(
          act === 'like' ? 'Like a reed' : 'Like a reed no more',
          'UNAUTHENTICATED',
          'FORBIDDEN',
          'INVALID',
          'NOT_FOUND',
          'REMOVED',
          'BLOCKED',
          'KEY_REVOKED',
        ),
      },
      async (request) => {
        const target = requireId(parseReedId, request.params.id);
        if (act === 'like') await deps.reeds.absent.need(target);
        const { certificate } = await deps.reeds.likes.set(memberOf(request), target, act, request.body);
        return { certificate };
      },
    );
  }
}

export function removalRoutes(app: Api, deps: ApiDeps): void {
  for (const [what, kind] of [
    ['reeds', 'reed-removal'],
    ['threads', 'thread-removal'],
  ] as const) {
    app.post(
      `/api/v1/${what}/:id/removal`,
      {
        preHandler: signedIn(deps),
        schema: {
          ...needsSession,
          summary: what === 'reeds' ? 'Take a reed back' : 'Take a thread back, with all its parts',
          params: IdParam,
          body: SignedStatement,
          response: {
            200: Type.Object({ certificate: Certificate }),
            ...problems('UNAUTHENTICATED', 'FORBIDDEN', 'INVALID', 'NOT_FOUND', 'CONFLICT', 'REMOVED', 'KEY_REVOKED'),
          },
        },
      },
      async (request) => {
        const subject = requireId(parseReedId, request.params.id);
        const { certificate } = await deps.reeds.removal.remove(memberOf(request), kind, subject, request.body);
        return { certificate };
      },
    );
  }
}

export function threadRoutes(app: Api, deps: ApiDeps): void {
  const { absent, threads, reading } = deps.reeds;
  const preHandler = signedIn(deps);
  const Record = Type.Object({ certificate: Certificate });

  app.post(
    '/api/v1/threads',
    {
      preHandler,
      schema: {
        ...needsSession,
        summary: "Register a thread's record",
        body: SignedStatement,
        response: { 200: Record, 201: Record, ...problems('UNAUTHENTICATED', 'FORBIDDEN', 'INVALID', 'CONFLICT', 'KEY_REVOKED') },
      },
    },
    async (request, reply) => {
      const { certificate, isNew } = await threads.register(memberOf(request), request.body);
      return reply.code(isNew ? 201 : 200).send({ certificate });
    },
  );

  app.get(
    '/api/v1/threads/:id',
    {
      preHandler,
      schema: {
        ...needsSession,
        summary: "A published thread's record and the certificates of its parts",
        params: IdParam,
        response: {
          200: Type.Object({ ...Published.properties, reeds: Type.Unsafe<readonly object[]>(Type.Array(Certificate)) }),
          ...problems('UNAUTHENTICATED', 'NOT_FOUND', 'REMOVED', 'BLOCKED'),
        },
      },
    },
    async (request) => {
      const id = requireId(parseReedId, request.params.id);
      await absent.need(id);
      const { certificate, publishedAt, reeds } = await reading.thread(memberOf(request).userId, id);
      return { certificate, publishedAt: publishedAt.toISOString(), reeds };
    },
  );
}
