// Clients that are gone before their request is looked at: no fault of ours, so none in the log.
import { once } from 'node:events';
import { connect } from 'node:net';
import pino from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Api } from '../../src/http/api.ts';
import { makeHttp } from '../support/http.ts';
import { makeWorld, type World } from '../support/people.ts';

let world: World;
let app: Api;
let port: number;
const lines: string[] = [];

beforeAll(async () => {
  world = await makeWorld();
  app = await makeHttp(world, { log: pino({ level: 'trace' }, { write: (line: string) => void lines.push(line) }) });
  await app.listen({ host: '127.0.0.1', port: 0 });
  ({ port } = app.server.address() as { port: number });
});

afterAll(async () => {
  await app.close();
  await world.close();
});

test.each([
  ['GET', 'server'],
  ['POST', 'auth/challenge'],
  ['POST', 'invites/check'],
])('%s %s of a client that is gone fails nothing', async (method, path) => {
  app.server.prependOnceListener('request', (request) => request.socket.destroy());
  const client = connect(port, '127.0.0.1');
  const closed = once(client, 'close');
  client.on('error', () => undefined);
  client.write(`${method} /api/v1/${path} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}`);
  await closed;
  // Whoever comes next is served, and has the log to itself.
  expect((await fetch(`http://127.0.0.1:${port}/api/v1/server`)).status).toBe(200);
  expect(lines.filter((line) => JSON.parse(line).level >= 40)).toEqual([]);
});
