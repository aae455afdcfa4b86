// Request bodies: JSON that means one thing only, refused before anything looks at it. Ajv then judges the shape and changes nothing.
import type { FastifyInstance } from 'fastify';
import { AppError } from '../base/errors.ts';
import type { Limits } from '../base/limits.ts';
import { parseStrictJson } from '../wire/strict-json.ts';

/** Takes JSON bodies, and no others. */
export function acceptJson(app: FastifyInstance, limits: Limits): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(
    'application/json',
    { parseAs: 'buffer', bodyLimit: limits.httpBodyBytes },
    async (_request: unknown, body: Buffer) => {
      const parsed = parseStrictJson(body, { depth: limits.jsonDepth, bytes: limits.httpBodyBytes });
      if (!parsed.ok) throw new AppError(parsed.reason === 'too-large' ? 'TOO_LARGE' : 'BAD_REQUEST', `body: ${parsed.reason}`);
      return parsed.value;
    },
  );
}

/** Ajv as a judge: it removes, converts and fills in nothing. */
export const AJV_OPTIONS = { removeAdditional: false, coerceTypes: false, useDefaults: false, allErrors: false } as const;
