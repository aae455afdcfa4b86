// A member's devices.
import { Type } from '@fastify/type-provider-typebox';
import {
  type Api,
  type ApiDeps,
  memberOf,
  needsSession,
  problems,
  SessionStatement,
  signedIn,
  Time,
  Token,
  timeText,
  trySignIn,
} from '../api.ts';

const Device = Type.Object({ id: Type.String(), linkedAt: Time, unlinkedAt: Type.Union([Time, Type.Null()]) });
const Linked = Type.Object({ device: Type.String(), ...Token.properties });

export function deviceRoutes(app: Api, deps: ApiDeps): void {
  const { devices } = deps.identity;

  app.get(
    '/api/v1/devices',
    {
      preHandler: signedIn(deps),
      schema: {
        ...needsSession,
        summary: 'Your devices',
        response: { 200: Type.Object({ devices: Type.Array(Device) }), ...problems('UNAUTHENTICATED') },
      },
    },
    async (request) => {
      const list = await devices.list(memberOf(request).userId);
      return {
        devices: list.map(({ id, linkedAt, unlinkedAt }) => ({
          id,
          linkedAt: linkedAt.toISOString(),
          unlinkedAt: unlinkedAt?.toISOString() ?? null,
        })),
      };
    },
  );

  app.post(
    '/api/v1/devices',
    {
      schema: {
        summary: 'Link this device, unlinking the one before',
        description: 'The session statement (purpose link-device) is the proof; the new device has no session yet.',
        body: SessionStatement,
        response: { 201: Linked, ...problems('UNAUTHENTICATED', 'KEY_REVOKED') },
      },
    },
    async (request, reply) => {
      const { device, token, expiresAtMs } = await trySignIn(deps, request, () => devices.link(request.body));
      return reply.code(201).send({ device, token, expiresAt: timeText(expiresAtMs) });
    },
  );
}
