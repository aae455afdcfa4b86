// What admins do by signed acts, and the log of it that every member reads.
import { type Static, Type } from '@fastify/type-provider-typebox';
import { AppError } from '../../base/errors.ts';
import type { Acted, LoggedAct } from '../../identity/admin-acts.ts';
import { giveRole } from '../../identity/roles.ts';
import { parseUserId } from '../../wire/address.ts';
import { ROLES, type Role } from '../../wire/roles.ts';
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
  Statement,
  signedIn,
  Time,
} from '../api.ts';

const ActCertificate = Type.Unsafe<object>(
  Type.Object(
    { statement: Statement, signatures: Type.Array(Type.Unknown()), countersignature: Type.Optional(Type.Unknown()) },
    { description: "A member's act with its countersignature, or one of the operator's, signed by the server's key." },
  ),
);

/** Of every route that takes an act. */
export const ActedSchema = Type.Object({
  certificate: ActCertificate,
  outcome: Type.Union([Type.Literal('done'), Type.Literal('asked')], { description: '`asked`: another admin has to do the same.' }),
});

const LoggedSchema = Type.Object({
  number: Type.Integer(),
  by: Type.String({ description: 'A member, or `operator`.' }),
  act: Type.String(),
  target: Type.String(),
  at: Time,
  certificate: ActCertificate,
});
const Log = Type.Object({ acts: Type.Array(LoggedSchema), next: Type.Union([Type.String(), Type.Null()]) });
const Cursor = exactly({ cursor: Type.Optional(Type.String({ pattern: '^[0-9]{1,15}$', description: '`next` of the page before.' })) });

/** What an act's answer has of it. */
export const actedOf = ({ certificate, outcome }: Acted): Static<typeof ActedSchema> => ({ certificate, outcome });

const logged = ({ at, ...act }: LoggedAct): Static<typeof LoggedSchema> => ({ ...act, at: at.toISOString() });

export function adminRoutes(app: Api, deps: ApiDeps): void {
  addLog(app, deps);
  addRole(app, deps);
}

function addLog(app: Api, deps: ApiDeps): void {
  app.get(
    '/api/v1/admin/acts',
    {
      preHandler: signedIn(deps),
      schema: {
        ...needsSession,
        summary: 'What admins and the operator have done, oldest first',
        querystring: Cursor,
        response: { 200: Log, ...problems('UNAUTHENTICATED') },
      },
    },
    async (request) => {
      const after = Number(request.query.cursor ?? 0);
      const { pageItems } = deps.limits;
      const list = await deps.identity.adminActs.list({ after, limit: pageItems });
      return { acts: list.map(logged), next: list.length === pageItems ? String(list.at(-1)?.number) : null };
    },
  );
}

/** The role that an act gives; what else it says is judged when it is taken. @throws AppError INVALID */
function roleIn(body: unknown): Role {
  const { act } = (body as { readonly statement: { readonly act?: unknown } }).statement;
  const role = ROLES.find((one) => act === `role-${one}`);
  if (role === undefined) throw new AppError('INVALID', 'act: not one that gives a role');
  return role;
}

function addRole(app: Api, deps: ApiDeps): void {
  app.post(
    '/api/v1/admin/users/:id/role',
    {
      preHandler: signedIn(deps),
      schema: {
        ...needsSession,
        summary: 'Give a member another role',
        params: IdParam,
        body: SignedStatement,
        response: { 200: ActedSchema, ...problems('UNAUTHENTICATED', 'FORBIDDEN', 'INVALID', 'NOT_FOUND', 'CONFLICT', 'KEY_REVOKED') },
      },
    },
    async (request) => {
      const user = requireId(parseUserId, request.params.id);
      const by = { member: memberOf(request), value: request.body };
      return actedOf(await giveRole(deps.identity.adminActs, by, { user, to: roleIn(request.body) }));
    },
  );
}
