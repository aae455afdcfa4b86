// Every error of the API as a problem document (RFC 9457), made here and nowhere else. Internals go to the log; the caller gets a code,
// what was wrong with the call, and a certificate where one explains.
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { ERROR_CODES, type ErrorCode } from '../base/codes.ts';
import { AppError } from '../base/errors.ts';
import { secure } from './headers.ts';

export type Problem = {
  readonly type: 'about:blank';
  readonly title: string;
  readonly status: number;
  readonly code: ErrorCode;
  readonly detail: string;
  readonly retryAfterMs?: number;
  readonly certificate?: object;
};

const TITLES: Partial<Record<ErrorCode, string>> = {
  INTERNAL: 'Something went wrong here',
  INVALID: 'A rule is broken',
  RATE_LIMITED: 'Too much for now',
};

const title = (code: ErrorCode): string => TITLES[code] ?? code.charAt(0) + code.slice(1).toLowerCase().replaceAll('_', ' ');

export function problemOf(error: AppError): Problem {
  const { code, detail, retryAfterMs, certificate } = error;
  return {
    type: 'about:blank',
    title: title(code),
    status: ERROR_CODES[code].httpStatus,
    code,
    detail: code === 'INTERNAL' ? 'The request failed for a reason of ours; trying again may help.' : detail,
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    ...(certificate === undefined ? {} : { certificate }),
  };
}

const FASTIFY_CODES: Readonly<Record<string, ErrorCode>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: 'TOO_LARGE',
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'UNSUPPORTED_MEDIA_TYPE',
  FST_ERR_CTP_EMPTY_JSON_BODY: 'BAD_REQUEST',
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: 'BAD_REQUEST',
  FST_ERR_BAD_URL: 'BAD_REQUEST',
  FST_ERR_VALIDATION: 'BAD_REQUEST',
};

/** The AppError that an error is for the caller. What is none of ours nor of the caller's is INTERNAL. */
export function appErrorOf(error: unknown): AppError {
  if (error instanceof AppError) return error;
  const { code = '', validation, statusCode, message } = error as Partial<FastifyError>;
  if (validation !== undefined) return new AppError('BAD_REQUEST', validationDetail(error as FastifyError));
  const known = FASTIFY_CODES[code];
  if (known !== undefined) return new AppError(known, message ?? known);
  if (statusCode !== undefined && statusCode >= 400 && statusCode < 500) return new AppError('BAD_REQUEST', 'the request can not be read');
  return new AppError('INTERNAL', 'unexpected', { cause: error });
}

/** Names the place in the request, never what stands there. */
function validationDetail(error: FastifyError): string {
  const [first] = error.validation ?? [];
  const place = `${error.validationContext ?? 'request'}${first?.instancePath ?? ''}`.replaceAll('/', '.').slice(0, 80);
  return `${place}: ${first?.keyword === 'additionalProperties' ? 'has a field that is not known' : (first?.message ?? 'not valid')}`;
}

/** Answers a request with the problem that `error` is. */
export function sendProblem(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const appError = appErrorOf(error);
  const problem = problemOf(appError);
  if (problem.status >= 500 && appError.code !== 'UNIMPLEMENTED')
    request.log.error({ err: causeOf(appError), code: appError.code }, 'request failed');
  secure(reply.raw);
  if (appError.retryAfterMs !== undefined) reply.header('retry-after', Math.ceil(appError.retryAfterMs / 1_000));
  // What is left of a refused body is not read: it may be as long as its sender likes.
  if (request.raw.complete === false) reply.header('connection', 'close');
  if (appError.code === 'UNAUTHENTICATED') reply.header('www-authenticate', 'Bearer');
  return reply.code(problem.status).header('content-type', 'application/problem+json').serializer(JSON.stringify).send(problem);
}

/** Name and message of what lies behind; database failures carry no data (db/errors.ts), our own errors none of the caller's. */
const causeOf = (error: AppError): unknown => (error.cause instanceof Error ? error.cause : error);
