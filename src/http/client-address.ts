// Where a request comes from: the socket's other end, or what proxies that are trusted say of it. The HTTP API and the socket see the same.
import type { IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import proxyAddr from '@fastify/proxy-addr';

/** Whose word about a client's address counts: nobody's, that of so many hops before us, that of these networks. */
type Trust = false | number | readonly string[];

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

export const hostOf = ({ address, family, port }: AddressInfo): string => {
  const shown = address === '0.0.0.0' || address === '::' ? '127.0.0.1' : address;
  return family === 'IPv6' && shown !== '127.0.0.1' ? `[${shown}]:${port}` : `${shown}:${port}`;
};
