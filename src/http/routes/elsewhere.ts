// People of other servers, whom their own servers find. Each call asks many, so that it costs its member as an act does.
import { Type } from '@fastify/type-provider-typebox';
import type { UserId } from '../../wire/address.ts';
import { type Api, type ApiDeps, exactly, memberOf, needsSession, problems, signedInAtCost } from '../api.ts';

export type PeopleElsewhere = {
  elsewhere(
    viewer: UserId,
    query: string,
  ): Promise<{ readonly people: readonly { readonly id: string; readonly username: string }[]; readonly away: readonly string[] }>;
};

const Query = exactly({
  query: Type.String({ minLength: 1, maxLength: 64, pattern: '^[^\\u0000]*$', description: 'The beginning of a name or id.' }),
});
const FoundElsewhere = Type.Object({
  users: Type.Array(Type.Object({ id: Type.String(), username: Type.String() })),
  away: Type.Array(Type.String(), { description: 'Servers that did not answer.' }),
});

export function elsewhereRoutes(app: Api, deps: ApiDeps & { readonly people: PeopleElsewhere }): void {
  app.get(
    '/api/v1/users/elsewhere',
    {
      preHandler: signedInAtCost(deps),
      schema: {
        ...needsSession,
        summary: 'Find people of other servers by name or id',
        querystring: Query,
        response: { 200: FoundElsewhere, ...problems('UNAUTHENTICATED') },
      },
    },
    async (request) => {
      const { away, people } = await deps.people.elsewhere(memberOf(request).userId, request.query.query);
      return { users: [...people], away: [...away] };
    },
  );
}
