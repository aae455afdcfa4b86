// Requests that two readers of HTTP could understand differently, though Node's parser takes them: refused before a route is asked, and the
// connection with them.
import type { IncomingMessage } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AppError } from '../base/errors.ts';

/** RFC 3986's host and port, as far as a Host field may have them. */
const HOST = /^(?:\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._~%!$&'()*+,;=-]+)(?::\d{0,5})?$/;
const BODILESS = new Set(['GET', 'HEAD', 'TRACE']);

/** What could be understood differently; null: nothing. */
export function doubt(raw: IncomingMessage): string | null {
  const hosts = raw.rawHeaders.filter((_value, at) => at % 2 === 1 && raw.rawHeaders[at - 1]?.toLowerCase() === 'host');
  const isMissing = hosts.length === 0 && raw.httpVersion === '1.1';
  if (isMissing || hosts.length > 1 || !hosts.every((host) => HOST.test(host))) return 'host: exactly one, and a host';
  const { 'content-length': length = '0', 'transfer-encoding': coding } = raw.headers;
  // What such a body means is nowhere said; read and thrown away it would cost what a longer one costs.
  return BODILESS.has(raw.method ?? '') && (length !== '0' || coding !== undefined) ? 'this method has no body' : null;
}

/** @throws AppError BAD_REQUEST; nothing more is read from the connection then */
export function refuseDoubtful(request: FastifyRequest, reply: FastifyReply): void {
  const found = doubt(request.raw);
  if (found === null) return;
  reply.header('connection', 'close');
  throw new AppError('BAD_REQUEST', found);
}
