// GET server, the server document, and how the process is.
import { Type } from '@fastify/type-provider-typebox';
import { PROTOCOL } from '../../base/protocol.ts';
import { type Api, type ApiDeps, exactly, problems, Statement, Time, timeText } from '../api.ts';

const SHOWN = [
  'frameBytes',
  'relayResponseBytes',
  'reedCodePoints',
  'reedTextBytes',
  'tags',
  'mentions',
  'threadParts',
  'openRequests',
  'subscriptions',
  'holderWindow',
  'httpBodyBytes',
  'pageItems',
] as const;

export const ServerDocumentSchema = Type.Unsafe<object>(
  Type.Object(
    { statement: Statement, signatures: Type.Array(Type.Unknown()) },
    { description: 'Signed by the identity key; no countersignature.' },
  ),
);

const Revocations = Type.Object({
  revocations: Type.Array(Type.Unsafe<object>(Type.Object({ statement: Statement, signatures: Type.Array(Type.Unknown()) })), {
    description: 'Each signed by the key that it revokes.',
  }),
});

/** For a minute: a key that is new counts much later, and one that is compromised is told of. */
const CACHED = 'public, max-age=60';

const Server = Type.Object({
  id: Type.String(),
  name: Type.String(),
  version: Type.String(),
  signup: Type.Union([Type.Literal('open'), Type.Literal('invite'), Type.Literal('closed')]),
  document: ServerDocumentSchema,
  protocol: exactly({ min: Type.Integer(), max: Type.Integer() }),
  limits: Type.Record(Type.String(), Type.Integer()),
  time: Time,
});

export function serverRoutes(app: Api, deps: ApiDeps): void {
  app.get('/api/v1/server', { schema: { summary: 'This server', response: { 200: Server, ...problems() } } }, async () => ({
    id: deps.identity.server.id,
    name: deps.name,
    version: deps.version,
    signup: deps.signup,
    document: await deps.identity.server.document(),
    protocol: PROTOCOL,
    limits: Object.fromEntries(SHOWN.map((limit) => [limit, deps.limits[limit]])),
    time: timeText(deps.clock.now()),
  }));

  app.get(
    '/.well-known/reedbed',
    { schema: { summary: 'The server document', response: { 200: ServerDocumentSchema, ...problems() } } },
    async (_request, reply) => {
      reply.header('cache-control', CACHED);
      return deps.identity.server.document();
    },
  );

  app.get(
    '/.well-known/reedbed/revocations',
    { schema: { summary: 'Identity keys of this server that were compromised', response: { 200: Revocations, ...problems() } } },
    async () => ({ revocations: [...deps.identity.server.revocations] }),
  );
}

/** Liveness: the process answers. Readiness: its database does, too. Neither counts against an address. */
export function healthRoutes(app: Api, ready: () => Promise<boolean>): void {
  const Health = Type.Object({ status: Type.String() });
  app.get('/healthz', { schema: { summary: 'The process runs', response: { 200: Health } } }, async () => ({ status: 'ok' }));
  app.get('/readyz', { schema: { summary: 'The server can serve', response: { 200: Health, 503: Health } } }, async (_request, reply) => {
    const isReady = await ready().catch(() => false);
    return reply.code(isReady ? 200 : 503).send({ status: isReady ? 'ok' : 'not ready' });
  });
}
