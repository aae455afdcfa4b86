// Challenges and tokens.
import { Type } from '@fastify/type-provider-typebox';
import {
  type Api,
  type ApiDeps,
  exactly,
  NoContent,
  needsSession,
  problems,
  SessionStatement,
  spend,
  Time,
  Token,
  timeText,
  tokenOf,
  trySignIn,
} from '../api.ts';

const SignIn = exactly({
  ...SessionStatement.properties,
  recoveryArmor: Type.Optional(
    Type.String({
      maxLength: 8_192,
      description: 'The recovery key that signed a session of purpose recover; its session opens two routes.',
    }),
  ),
});
const Challenge = Type.Object({ nonce: Type.String(), expiresAt: Time });

export function authRoutes(app: Api, deps: ApiDeps): void {
  const { challenges, recovery, sessions } = deps.identity;

  app.post(
    '/api/v1/auth/challenge',
    { schema: { summary: 'A nonce for one session statement', response: { 200: Challenge, ...problems() } } },
    async (request) => {
      spend(deps, 'challenge', request);
      const { nonce, expiresAtMs } = await challenges.make();
      return { nonce, expiresAt: timeText(expiresAtMs) };
    },
  );

  app.post(
    '/api/v1/auth/token',
    {
      schema: {
        summary: 'Sign in',
        body: SignIn,
        response: { 200: Token, ...problems('UNAUTHENTICATED', 'FORBIDDEN', 'KEY_REVOKED') },
      },
    },
    async (request) => {
      const { recoveryArmor, ...given } = request.body;
      const signIn = () => (recoveryArmor === undefined ? sessions.signIn(given) : recovery.signIn({ ...given, recoveryArmor }));
      const { token, expiresAtMs } = await trySignIn(deps, request, signIn);
      return { token, expiresAt: timeText(expiresAtMs) };
    },
  );

  app.delete(
    '/api/v1/auth/token',
    { schema: { ...needsSession, summary: 'Sign out', response: { 204: NoContent, ...problems('UNAUTHENTICATED') } } },
    async (request, reply) => {
      await sessions.signOut(tokenOf(request));
      return reply.code(204).send(null);
    },
  );
}
