// The HTTP side of a server: API, OpenAPI, server document, health, web app. Headers, limits and errors are the same for all of it.
// Made here and not listening yet; the socket is attached to `.server` by whoever composes the process.
import { existsSync } from 'node:fs';
import type { Server } from 'node:http';
import { join } from 'node:path';
import AjvCompiler from '@fastify/ajv-compiler';
import swagger from '@fastify/swagger';
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import Fastify, { type FastifyBaseLogger, type FastifyHttpOptions, type FastifyReply, type FastifyRequest, LogController } from 'fastify';
import { AppError } from '../base/errors.ts';
import { hex, type RandomBytes } from '../base/ids.ts';
import { ActBudget } from './act-budget.ts';
import { type Api, spend } from './api.ts';
import { Connections, serverOptions, silenceMs } from './connections.ts';
import { refuseDoubtful } from './doubtful.ts';
import { secure } from './headers.ts';
import { AJV_OPTIONS, acceptJson } from './json-body.ts';
import { KnownRoutes } from './known-routes.ts';
import { sendProblem } from './problems.ts';
import { accountRoutes } from './routes/account.ts';
import { adminRoutes } from './routes/admin.ts';
import { authRoutes } from './routes/auth.ts';
import { blockRoutes } from './routes/blocks.ts';
import { deviceRoutes } from './routes/devices.ts';
import { elsewhereRoutes, type PeopleElsewhere } from './routes/elsewhere.ts';
import { FEDERATION_ROUTE, type FederationDoor, federationRoutes } from './routes/federation.ts';
import { followRoutes } from './routes/follows.ts';
import { inviteRoutes } from './routes/invites.ts';
import { keyRoutes } from './routes/keys.ts';
import { type PeerRouteDeps, peerRoutes } from './routes/peers.ts';
import { reedListRoutes } from './routes/reed-lists.ts';
import { likeRoutes, reedRoutes, removalRoutes, threadRoutes } from './routes/reeds.ts';
import { healthRoutes, serverRoutes } from './routes/server.ts';
import { userRoutes } from './routes/users.ts';
import { isPage, sendPage, serveWebApp } from './web-app.ts';

export type HttpDeps = Omit<PeerRouteDeps, 'acts'> & {
  readonly log: FastifyBaseLogger;
  readonly random: RandomBytes;
  /** As fastify takes it: which proxies' forwarded headers are believed. */
  readonly trustProxy: NonNullable<FastifyHttpOptions<Server>['trustProxy']>;
  /** The built web app; null, or a folder without one, serves none. */
  readonly webFolder: string | null;
  /** Whether the database answers. */
  readonly ready: () => Promise<boolean>;
  readonly federation: FederationDoor;
  readonly people: PeopleElsewhere;
};

const REQUEST_ID_BYTES = 8;
/** As fastify's own. Servers of one process share what it compiles, which was half of what making another one computed. */
const buildValidator = AjvCompiler();
/** Routes; the last counts by who signed. What is none of their methods is a request like any other. */
const UNCOUNTED: ReadonlySet<string | undefined> = new Set(['/healthz', '/readyz', FEDERATION_ROUTE]);

/** Builds the HTTP server, ready for `inject` and `listen`. */
export async function createHttp(deps: HttpDeps): Promise<Api> {
  const known = new KnownRoutes();
  const connections = new Connections(deps);
  const app = makeInstance(deps, connections);
  connections.watch(app.server);
  // Before anything is awaited: routes that are loaded by then keep the handler they find.
  const hasWeb = deps.webFolder !== null && existsSync(join(deps.webFolder, 'index.html'));
  app.setErrorHandler((error, request, reply) => sendProblem(error, request, reply));
  app.setNotFoundHandler((request, reply) => (hasWeb && isPage(request) ? sendPage(reply) : notFound(known, request, reply)));
  acceptJson(app, deps.limits);
  app.setSerializerCompiler(() => (data) => JSON.stringify(data));
  app.addHook('onRoute', (route) => known.add(route.url, route.method));
  addHooks(app, deps);
  await describe(app, deps);
  addRoutes(app, deps);
  if (deps.webFolder !== null && hasWeb) await serveWebApp(app, deps.webFolder);
  else if (deps.webFolder !== null) deps.log.warn('the web app is not built, so links lead nowhere: npm start builds it');
  await app.ready();
  return app;
}

function makeInstance(deps: HttpDeps, connections: Connections): Api {
  const options: FastifyHttpOptions<Server> = {
    loggerInstance: deps.log,
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: () => hex(deps.random(REQUEST_ID_BYTES)),
    trustProxy: deps.trustProxy,
    bodyLimit: deps.limits.httpBodyBytes,
    http: { ...serverOptions(deps.limits), shouldUpgradeCallback: connections.takesUpgrade },
    requestTimeout: deps.limits.httpRequestMs,
    connectionTimeout: silenceMs(deps.limits),
    forceCloseConnections: true,
    return503OnClosing: false,
    routerOptions: { maxParamLength: 1_024 },
    ajv: { customOptions: AJV_OPTIONS },
    schemaController: { compilersFactory: { buildValidator } },
    frameworkErrors: (error, request, reply) => unrouted(deps, error, request as FastifyRequest, reply as unknown as FastifyReply),
    clientErrorHandler: connections.onClientError,
  };
  return Fastify(options).withTypeProvider<TypeBoxTypeProvider>();
}

/** An address that can't be read is asked of no route and no hook. */
function unrouted(deps: HttpDeps, error: unknown, request: FastifyRequest, reply: FastifyReply): void {
  let why = error;
  try {
    spend(deps, 'request', request);
  } catch (over) {
    why = over;
  }
  sendProblem(why, request, reply);
}

function addHooks(app: Api, deps: HttpDeps): void {
  app.addHook('onRequest', async (request, reply) => {
    secure(reply.raw);
    refuseDoubtful(request, reply);
    // Node reads nothing that came in one packet behind an upgrade that was not taken.
    if (request.headers.upgrade !== undefined) reply.header('connection', 'close');
    if (!UNCOUNTED.has(request.routeOptions.url)) spend(deps, 'request', request);
  });
  app.addHook('onResponse', async (request, reply) => {
    // The route's pattern and no more: a path names members and reeds, and an address names a member.
    request.log.debug(
      { route: request.routeOptions.url ?? null, method: request.method, status: reply.statusCode, ms: Math.round(reply.elapsedTime) },
      'answered',
    );
  });
}

async function describe(app: Api, deps: HttpDeps): Promise<void> {
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: { title: 'Reedbed', version: deps.version, description: 'Errors are RFC 9457 problem documents.' },
      components: { securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } } },
    },
  });
}

function addRoutes(app: Api, given: HttpDeps): void {
  const deps = { ...given, acts: new ActBudget(given) };
  const members = [userRoutes, followRoutes, blockRoutes, authRoutes, deviceRoutes, inviteRoutes, keyRoutes, accountRoutes, adminRoutes];
  const routes = [serverRoutes, ...members, reedRoutes, reedListRoutes, likeRoutes, removalRoutes, threadRoutes];
  // In a plugin of their own: the description covers what is registered after it is loaded.
  app.register(async (inner: Api) => {
    for (const add of routes) add(inner, deps);
    peerRoutes(inner, deps);
    elsewhereRoutes(inner, deps);
    federationRoutes(inner, deps);
    healthRoutes(inner, deps.ready);
    inner.get('/openapi.json', { schema: { hide: true } }, async () => app.swagger());
  });
}

function notFound(known: KnownRoutes, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const methods = known.methodsOf(request.url.split('?', 1)[0] ?? '');
  if (methods.length === 0) return sendProblem(new AppError('NOT_FOUND', 'there is nothing at this address'), request, reply);
  reply.header('allow', methods.join(', '));
  return sendProblem(new AppError('METHOD_NOT_ALLOWED', `this address takes ${methods.join(', ')}`), request, reply);
}
