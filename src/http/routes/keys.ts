// Members' keys, to verify with or to encrypt to; the next one, and the end of one.
import { Type } from '@fastify/type-provider-typebox';
import { parseUserKeyId } from '../../wire/address.ts';
import {
  type Api,
  type ApiDeps,
  Certificate,
  exactly,
  IdParam,
  memberOf,
  needsSession,
  problems,
  recoveringOf,
  recoveringOr,
  requireId,
  SignedStatement,
  signedIn,
  trySignIn,
} from '../api.ts';

const Link = Type.Object({ certificate: Certificate, revocation: Type.Optional(Type.Unknown()) });
const Reading = Type.Object({ ...Link.properties, chain: Type.Optional(Type.Unsafe<readonly object[]>(Type.Array(Link))) });
const Query = exactly({
  for: Type.Optional(Type.Literal('relay', { description: 'Only to encrypt with: no key allocation is recorded.' })),
  chain: Type.Optional(Type.String({ maxLength: 4, description: 'Present: all keys from the first one on, oldest first.' })),
});

const NextKey = exactly({ revocation: Type.Optional(SignedStatement), key: SignedStatement });
const Rotated = Type.Object({ certificate: Certificate, revocation: Certificate });

export function keyRoutes(app: Api, deps: ApiDeps): void {
  addReading(app, deps);
  addRotation(app, deps);
  addRevocation(app, deps);
}

function addReading(app: Api, deps: ApiDeps): void {
  app.get(
    '/api/v1/keys/:id',
    {
      preHandler: signedIn(deps),
      schema: {
        ...needsSession,
        summary: "A member's key",
        params: IdParam,
        querystring: Query,
        response: { 200: Reading, ...problems('UNAUTHENTICATED', 'NOT_FOUND', 'REMOVED') },
      },
    },
    async (request) => {
      const id = requireId(parseUserKeyId, request.params.id);
      const options = { forRelay: request.query.for === 'relay', chain: request.query.chain !== undefined };
      return deps.identity.keys.read(memberOf(request).userId, id, options);
    },
  );
}

function addRotation(app: Api, deps: ApiDeps): void {
  app.post(
    '/api/v1/keys',
    {
      preHandler: recoveringOr(deps, 'member'),
      schema: {
        ...needsSession,
        summary: 'Put a new key in place of yours',
        description: '201, or 200 with the first certificates for a retry. Without a revocation if the key before is revoked already.',
        body: NextKey,
        response: {
          200: Rotated,
          201: Rotated,
          ...problems('UNAUTHENTICATED', 'FORBIDDEN', 'INVALID', 'CONFLICT', 'REMOVED', 'KEY_REVOKED'),
        },
      },
    },
    async (request, reply) => {
      const by = recoveringOf(request) ?? { userId: memberOf(request).userId };
      const { certificate, revocation, isNew } = await deps.identity.rotation.rotate(by, request.body);
      return reply.code(isNew ? 201 : 200).send({ certificate, revocation });
    },
  );
}

function addRevocation(app: Api, deps: ApiDeps): void {
  app.post(
    '/api/v1/keys/:id/revocation',
    {
      schema: {
        summary: 'Revoke a key',
        description: 'Whoever brings the signed statement may. The account is frozen until its recovery key makes a new one.',
        params: IdParam,
        body: SignedStatement,
        response: { 200: Type.Object({ certificate: Certificate }), ...problems('INVALID', 'REMOVED', 'KEY_REVOKED') },
      },
    },
    async (request) => {
      const id = requireId(parseUserKeyId, request.params.id);
      return trySignIn(deps, request, () => deps.identity.rotation.revoke(id, request.body));
    },
  );
}
