// The web app's files: hashed assets for ever, everything else asked for anew, and its one page for every address that is a page's.
import { join } from 'node:path';
import fastifyStatic from '@fastify/static';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Api } from './api.ts';

const IMMUTABLE = 'public, max-age=31536000, immutable';
const NOT_PAGES = /^\/(?:api|federation|socket|metrics|healthz|readyz|openapi\.json|\.well-known|assets)(?:\/|$)/;

export async function serveWebApp(app: Api, folder: string): Promise<void> {
  const assets = join(folder, 'assets');
  await app.register(fastifyStatic, {
    root: folder,
    cacheControl: false,
    dotfiles: 'ignore',
    setHeaders: (reply, path) => {
      reply.header('cache-control', path.startsWith(assets) ? IMMUTABLE : 'no-store');
    },
  });
}

/** Whether an address without a file is one of the app's pages. */
export function isPage(request: FastifyRequest): boolean {
  const path = request.url.split(/[?#]/, 1)[0] ?? '/';
  const isRead = request.method === 'GET' || request.method === 'HEAD';
  return isRead && !NOT_PAGES.test(path) && !/\.[a-z0-9]{1,12}$/i.test(path) && /text\/html|\*\/\*/.test(request.headers.accept ?? '*/*');
}

export const sendPage = (reply: FastifyReply): FastifyReply => reply.code(200).sendFile('index.html');
