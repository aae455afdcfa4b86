// The way in for other servers: POST /federation/v1/<leg>. Their bodies are nobody's JSON: they go on unread, in pieces, to whoever verifies
// their signature first.

import type { ErrorCode } from '../../base/codes.ts';
import { AppError } from '../../base/errors.ts';
import { type Api, type ApiDeps, spend } from '../api.ts';

type Signed = {
  readonly kind: 'signed';
  readonly status: number;
  readonly fields: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  /** The request was read to its end. */
  readonly isRead: boolean;
};

/** Who answers other servers. */
export type FederationDoor = {
  answer(call: {
    readonly leg: string;
    readonly target: string;
    readonly fields: readonly string[];
    readonly body: AsyncIterable<Uint8Array>;
    readonly countStranger: () => void;
  }): Promise<Signed | { readonly kind: 'stranger'; readonly code: ErrorCode }>;
};

const PREFIX = '/federation/v1/';

/** Its requests are counted by who signed them, not by the address that they come from. */
export const FEDERATION_ROUTE = `${PREFIX}:leg`;

export function federationRoutes(app: Api, deps: ApiDeps & { readonly federation: FederationDoor }): void {
  app.register(async (inner: Api) => {
    inner.removeAllContentTypeParsers();
    inner.addContentTypeParser('*', (_request: unknown, payload: unknown, done: (error: null, body: unknown) => void) =>
      done(null, payload),
    );
    inner.post<{ Params: { leg: string } }>(FEDERATION_ROUTE, { schema: { hide: true } }, async (request, reply) => {
      const { raw, params } = request;
      const answer = await deps.federation.answer({
        leg: params.leg,
        target: raw.url ?? '',
        fields: raw.rawHeaders,
        // Whoever stops reading still has to answer, and may read on.
        body: { [Symbol.asyncIterator]: () => raw.iterator({ destroyOnReturn: false }) },
        countStranger: () => spend(deps, 'request', request),
      });
      if (answer.kind === 'stranger') throw new AppError(answer.code, '');
      if (!answer.isRead) reply.header('connection', 'close');
      return reply.code(answer.status).headers(answer.fields).send(Buffer.from(answer.body));
    });
  });
}
