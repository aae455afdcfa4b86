// Members' keys, to verify with or to encrypt to.
import { Type } from '@fastify/type-provider-typebox';
import { parseUserKeyId } from '../../wire/address.ts';
import { type Api, type ApiDeps, Certificate, exactly, IdParam, memberOf, needsSession, problems, requireId, signedIn } from '../api.ts';

const Link = Type.Object({ certificate: Certificate, revocation: Type.Optional(Type.Unknown()) });
const Reading = Type.Object({ ...Link.properties, chain: Type.Optional(Type.Unsafe<readonly object[]>(Type.Array(Link))) });
const Query = exactly({
  for: Type.Optional(Type.Literal('relay', { description: 'Only to encrypt with: no key allocation is recorded.' })),
  chain: Type.Optional(Type.String({ maxLength: 4, description: 'Present: all keys from the first one on, oldest first.' })),
});

export function keyRoutes(app: Api, deps: ApiDeps): void {
  app.get(
    '/api/v1/keys/:id',
    {
      preHandler: signedIn(deps),
      schema: {
        ...needsSession,
        summary: "A member's key",
        params: IdParam,
        querystring: Query,
        response: { 200: Reading, ...problems('UNAUTHENTICATED', 'NOT_FOUND') },
      },
    },
    async (request) => {
      const id = requireId(parseUserKeyId, request.params.id);
      const options = { forRelay: request.query.for === 'relay', chain: request.query.chain !== undefined };
      return deps.identity.keys.read(memberOf(request).userId, id, options);
    },
  );
}
