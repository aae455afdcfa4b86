// Builds a test page like the app is built and serves it from 127.0.0.1 under the app's own policy.
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { build } from 'vite';
import { POLICY } from './policy.ts';

const TYPES: Readonly<Record<string, string>> = { '.html': 'text/html; charset=utf-8', '.js': 'text/javascript', '.css': 'text/css' };

export type PageServer = { readonly origin: string; close(): Promise<void> };

/** Serves the page whose source folder is `root` (it has an index.html). */
export async function servePage(root: string): Promise<PageServer> {
  const folder = await mkdtemp(join(tmpdir(), 'reedbed-page-'));
  await build({
    root,
    configFile: false,
    logLevel: 'warn',
    worker: { format: 'es' },
    build: {
      outDir: folder,
      emptyOutDir: true,
      target: 'es2023',
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
      chunkSizeWarningLimit: 2_000,
    },
  });
  const server = createServer((request, response) => {
    const path = new URL(request.url ?? '/', 'http://localhost').pathname;
    const name = path === '/' ? '/index.html' : path;
    readFile(join(folder, name.replaceAll('..', ''))).then(
      (body) => {
        const type = TYPES[extname(name)] ?? 'application/octet-stream';
        response.writeHead(200, { 'content-type': type, 'content-security-policy': POLICY, 'x-content-type-options': 'nosniff' }).end(body);
      },
      () => response.writeHead(404, { 'content-security-policy': POLICY }).end(),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await rm(folder, { recursive: true, force: true });
    },
  };
}
