// Peers: the list for members, and for admins everything that they do about them by signed acts.
import { type Static, type TSchema, Type } from '@fastify/type-provider-typebox';
import type { FastifyRequest } from 'fastify';
import { AppError } from '../../base/errors.ts';
import type { ActBy, Acted } from '../../identity/admin-acts.ts';
import type { ServerDocument } from '../../identity/server-identity.ts';
import { parseServerId, parseServerKeyId, type ServerId } from '../../wire/address.ts';
import {
  type Api,
  type ApiDeps,
  exactly,
  IdParam,
  memberOf,
  needsSession,
  problems,
  requireId,
  SignedStatement,
  signedIn,
  Time,
} from '../api.ts';
import { ActedSchema, actedOf } from './admin.ts';
import { ServerDocumentSchema } from './server.ts';

const MOVES = ['approve', 'suspend', 'resume', 'revoke'] as const;
type Move = (typeof MOVES)[number];

type Listed = { readonly server: string; readonly name: string; readonly webUrl: string; readonly state: 'live' | 'away' };
type Detailed = {
  readonly server: string;
  readonly name: string;
  readonly state: string;
  readonly baseUrl: string | null;
  readonly key: string | null;
  readonly candidateKey: string | null;
  readonly begunBy: string;
  readonly begunAt: Date;
  readonly approvedBy: string | null;
  readonly approvedAt: Date | null;
  readonly approvedThereAt: Date | null;
  readonly compromisedAt: Date | null;
  readonly invitedUntil: Date | null;
  readonly away: boolean;
  readonly breaker: 'closed' | 'open' | 'half-open';
  readonly retryAt: Date | null;
  readonly failures: number;
  readonly lastFault: string | null;
  readonly lastFaultAt: Date | null;
  readonly owed: readonly string[];
  readonly endAsked: { readonly by: string; readonly at: Date; readonly until: Date } | null;
};

/** Who knows the peers. */
export type PeerDirectory = {
  list(): Promise<readonly Listed[]>;
  details(): Promise<readonly Detailed[]>;
  /** Null: that server has shown none. */
  document(server: ServerId): Promise<ServerDocument | null>;
};

/** Who does what admins decide about them. */
export type PeeringDoor = {
  invite(by: ActBy, armor: string): Promise<Acted & { readonly server: string; readonly connection: string; readonly expiresAt: Date }>;
  read(connection: string): Promise<{ server: string; name: string; baseUrl: string; key: string; keyNow: string | null; expiresAt: Date }>;
  accept(by: ActBy, connection: string): Promise<Acted & { readonly server: string; readonly state: string }>;
  move(by: ActBy, moving: Move, target: string): Promise<Acted & { readonly server: string; readonly state: string }>;
};

export type PeerRouteDeps = ApiDeps & { readonly peering: PeeringDoor; readonly peers: PeerDirectory };

const OrNull = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);
const ListedSchema = Type.Object({
  server: Type.String(),
  name: Type.String(),
  webUrl: Type.String(),
  state: Type.Union([Type.Literal('live'), Type.Literal('away')]),
});
const DetailedSchema = Type.Object({
  ...{ server: Type.String(), name: Type.String(), state: Type.String(), baseUrl: OrNull(Type.String()) },
  key: OrNull(Type.String({ description: '`fingerprint@server` of its newest identity key.' })),
  candidateKey: OrNull(Type.String({ description: 'The key that an admin has to compare, since one was compromised.' })),
  ...{ begunBy: Type.String(), begunAt: Time, approvedBy: OrNull(Type.String()), approvedAt: OrNull(Time), approvedThereAt: OrNull(Time) },
  ...{ compromisedAt: OrNull(Time), invitedUntil: OrNull(Time), away: Type.Boolean(), breaker: Type.String(), retryAt: OrNull(Time) },
  ...{ failures: Type.Integer(), owed: Type.Array(Type.String()) },
  lastFault: OrNull(Type.String({ description: 'The last fault of transport, or refusal that is of the peer itself, as one word.' })),
  lastFaultAt: OrNull(Time),
  endAsked: OrNull(
    Type.Object({ by: Type.String(), at: Time, until: Time }, { description: 'Another admin has to confirm its end, by the same act.' }),
  ),
});
const Connection = Type.String({ minLength: 1, maxLength: 32_768, description: 'The connection string of an invitation.' });
const Armor = Type.String({ minLength: 1, maxLength: 8_192, description: 'The other server’s key, as its `reedbed keys print` shows it.' });
const MovedSchema = Type.Object({ ...ActedSchema.properties, server: Type.String(), state: Type.String() });
const InvitedSchema = Type.Object({ ...ActedSchema.properties, server: Type.String(), connection: Connection, expiresAt: Time });
const ShownSchema = Type.Object({
  ...{ server: Type.String(), name: Type.String(), baseUrl: Type.String() },
  key: Type.String({ description: '`fingerprint@server`: compare it with the other admin over another channel.' }),
  keyNow: OrNull(Type.String({ description: 'The one to compare while `key` is only announced.' })),
  expiresAt: Time,
});

const when = (at: Date | null): string | null => at?.toISOString() ?? null;

const shown = (peer: Detailed): Static<typeof DetailedSchema> => {
  const { server, name, state, baseUrl, key, candidateKey, begunBy, approvedBy, away, breaker, endAsked, failures, owed } = peer;
  return {
    ...{ server, name, state, baseUrl, key, candidateKey, begunBy, approvedBy, away, breaker, failures, owed: [...owed] },
    ...{ begunAt: peer.begunAt.toISOString(), approvedAt: when(peer.approvedAt), approvedThereAt: when(peer.approvedThereAt) },
    ...{ compromisedAt: when(peer.compromisedAt), invitedUntil: when(peer.invitedUntil), retryAt: when(peer.retryAt) },
    ...{ lastFault: peer.lastFault, lastFaultAt: when(peer.lastFaultAt) },
    endAsked: endAsked && { by: endAsked.by, at: endAsked.at.toISOString(), until: endAsked.until.toISOString() },
  };
};

/** Hook of what only admins may see. @throws AppError UNAUTHENTICATED, FORBIDDEN */
const signedInAsAdmin = (deps: ApiDeps) => {
  const check = signedIn(deps);
  return async (request: FastifyRequest): Promise<void> => {
    await check(request);
    const { role } = memberOf(request);
    if (role !== 'root' && role !== 'admin') throw new AppError('FORBIDDEN', 'only admins may do this');
  };
};

const REFUSALS = ['UNAUTHENTICATED', 'FORBIDDEN', 'INVALID', 'CONFLICT', 'KEY_REVOKED'] as const;

export function peerRoutes(app: Api, deps: PeerRouteDeps): void {
  addLists(app, deps);
  addInvite(app, deps);
  addRead(app, deps);
  addAccept(app, deps);
  for (const move of MOVES) addMove(app, deps, move);
}

function addLists(app: Api, deps: PeerRouteDeps): void {
  app.get(
    '/api/v1/peers',
    {
      preHandler: signedIn(deps),
      schema: {
        ...needsSession,
        summary: 'The servers with which this one exchanges reeds',
        response: { 200: Type.Object({ peers: Type.Array(ListedSchema) }), ...problems('UNAUTHENTICATED') },
      },
    },
    async () => ({ peers: [...(await deps.peers.list())] }),
  );
  app.get(
    '/api/v1/peers/:id/document',
    {
      preHandler: signedIn(deps),
      schema: {
        ...needsSession,
        summary: 'The document of a peer, which proves its keys',
        params: IdParam,
        response: { 200: ServerDocumentSchema, ...problems('UNAUTHENTICATED', 'NOT_FOUND') },
      },
    },
    async ({ params }) => {
      const document = await deps.peers.document(requireId(parseServerId, params.id));
      if (document === null) throw new AppError('NOT_FOUND', 'that server is no peer');
      return document;
    },
  );
  app.get(
    '/api/v1/admin/peers',
    {
      preHandler: signedInAsAdmin(deps),
      schema: {
        ...needsSession,
        summary: 'Every peering, as admins see it',
        response: { 200: Type.Object({ peers: Type.Array(DetailedSchema) }), ...problems('UNAUTHENTICATED', 'FORBIDDEN') },
      },
    },
    async () => ({ peers: (await deps.peers.details()).map(shown) }),
  );
}

const InviteBody = exactly({ act: SignedStatement, key: Armor });
const ReadBody = exactly({ connection: Connection });
const AcceptBody = exactly({ act: SignedStatement, connection: Connection });

function addInvite(app: Api, deps: PeerRouteDeps): void {
  app.post(
    '/api/v1/admin/peers/invite',
    {
      preHandler: signedInAsAdmin(deps),
      schema: {
        ...needsSession,
        summary: 'Make a connection string for another server',
        body: InviteBody,
        response: { 200: InvitedSchema, ...problems(...REFUSALS, 'NOT_FOUND') },
      },
    },
    async (request) => {
      const { act, key } = request.body;
      const invited = await deps.peering.invite({ member: memberOf(request), value: act }, key);
      const { server, connection, expiresAt } = invited;
      return { ...actedOf(invited), server, connection, expiresAt: expiresAt.toISOString() };
    },
  );
}

function addRead(app: Api, deps: PeerRouteDeps): void {
  app.post(
    '/api/v1/admin/peers/read',
    {
      preHandler: signedInAsAdmin(deps),
      schema: {
        ...needsSession,
        summary: 'What a connection string says, before it is accepted',
        body: ReadBody,
        response: { 200: ShownSchema, ...problems('UNAUTHENTICATED', 'FORBIDDEN', 'INVALID', 'EXPIRED') },
      },
    },
    async (request) => {
      const { expiresAt, ...invitation } = await deps.peering.read(request.body.connection);
      return { ...invitation, expiresAt: expiresAt.toISOString() };
    },
  );
}

function addAccept(app: Api, deps: PeerRouteDeps): void {
  app.post(
    '/api/v1/admin/peers/accept',
    {
      preHandler: signedInAsAdmin(deps),
      schema: {
        ...needsSession,
        summary: 'Answer the connection string of another server',
        body: AcceptBody,
        response: { 200: MovedSchema, ...problems(...REFUSALS, 'EXPIRED') },
      },
    },
    async (request) => {
      const { act, connection } = request.body;
      const accepted = await deps.peering.accept({ member: memberOf(request), value: act }, connection);
      return { ...actedOf(accepted), server: accepted.server, state: accepted.state };
    },
  );
}

const SUMMARIES: Readonly<Record<Move, string>> = {
  approve: 'Approve a peering; once one of its keys was compromised, by the id of its new key',
  suspend: 'Pause a peering',
  resume: 'End the pause of a peering',
  revoke: 'End a peering',
};

const peerIdIn = (text: string): string | null => parseServerId(text) ?? parseServerKeyId(text);

function addMove(app: Api, deps: PeerRouteDeps, move: Move): void {
  app.post(
    `/api/v1/admin/peers/:id/${move}`,
    {
      preHandler: signedInAsAdmin(deps),
      schema: {
        ...needsSession,
        summary: SUMMARIES[move],
        params: IdParam,
        body: SignedStatement,
        response: { 200: MovedSchema, ...problems(...REFUSALS, 'NOT_FOUND') },
      },
    },
    async (request) => {
      const target = requireId(peerIdIn, (request.params as { id: string }).id);
      const moved = await deps.peering.move({ member: memberOf(request), value: request.body }, move, target);
      return { ...actedOf(moved), server: moved.server, state: moved.state };
    },
  );
}
