// Leaving for good, and coming back from that as long as it is not.
import { Type } from '@fastify/type-provider-typebox';
import { AppError } from '../../base/errors.ts';
import {
  type Api,
  type ApiDeps,
  Certificate,
  memberOf,
  needsSession,
  problems,
  recoveringOf,
  recoveringOr,
  SignedStatement,
  signedIn,
  Time,
  timeText,
} from '../api.ts';

export function accountRoutes(app: Api, deps: ApiDeps): void {
  const { accountRemovals } = deps.identity;

  app.post(
    '/api/v1/users/me/removal',
    {
      preHandler: signedIn(deps),
      schema: {
        ...needsSession,
        summary: 'Remove your account',
        description: 'It is hidden at once and every session ends. Until `dueAt` the recovery key can take it back, then it is for good.',
        body: SignedStatement,
        response: { 202: Type.Object({ dueAt: Time }), ...problems('UNAUTHENTICATED', 'FORBIDDEN', 'INVALID', 'REMOVED', 'KEY_REVOKED') },
      },
    },
    async (request, reply) => {
      const { dueAtMs } = await accountRemovals.request(memberOf(request), request.body);
      return reply.code(202).send({ dueAt: timeText(dueAtMs) });
    },
  );

  app.post(
    '/api/v1/users/me/removal-withdrawal',
    {
      preHandler: recoveringOr(deps, 'nobody'),
      schema: {
        ...needsSession,
        summary: 'Take the removal of your account back',
        description: 'Needs a session by the recovery key.',
        body: SignedStatement,
        response: {
          200: Type.Object({ certificate: Certificate }),
          ...problems('UNAUTHENTICATED', 'FORBIDDEN', 'INVALID', 'NOT_FOUND', 'REMOVED', 'KEY_REVOKED'),
        },
      },
    },
    async (request) => {
      const by = recoveringOf(request);
      if (by === null) throw new AppError('UNAUTHENTICATED', 'a session by the recovery key is needed');
      return accountRemovals.withdraw(by, request.body);
    },
  );
}
