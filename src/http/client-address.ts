// Whose address a request is counted under: the nearest one that no trusted proxy wrote.
import type { IncomingMessage } from 'node:http';
import proxyAddr from '@fastify/proxy-addr';
import type { Config } from '../config/config.ts';

type Trust = Config['trustProxy'];

/** As fastify takes it; a number of hops is counted from us outwards. */
export const trusted = (trust: Trust): false | string[] | ((address: string, hop: number) => boolean) => {
  if (trust === false) return false;
  return typeof trust === 'number' ? (_, hop) => hop < trust : [...trust];
};

/** The client's address of an upgrade request, as the HTTP API sees it. */
export const addressOf = (trust: Trust): ((request: IncomingMessage) => string) => {
  const by = trusted(trust);
  return by === false ? (request) => request.socket.remoteAddress ?? '' : (request) => (proxyAddr(request, by) as string | undefined) ?? '';
};
