// Generated bad input on every route that the OpenAPI document names, with and without a session, with and without a web app: always a
// problem document with a code of the table, never a 5xx, never an error in the log. Seeds are printed on failure.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { ERROR_CODES, isErrorCode } from '../../src/base/codes.ts';
import type { Api } from '../../src/http/api.ts';
import { CONTENT_SECURITY_POLICY } from '../../src/http/headers.ts';
import { createLog } from '../../src/telemetry/log.ts';
import {
  type Answer,
  call,
  change,
  changed,
  NO_IDS,
  NO_JSON,
  NO_TOKENS,
  noId,
  noJson,
  type OpenApi,
  query,
  type Route,
  routesOf,
  WRONG_SHAPES,
  WRONG_TYPES,
} from '../support/hostile-http.ts';
import { makeHttp } from '../support/http.ts';
import { makeWorld, type Person, signUp, type World } from '../support/people.ts';
import { type RightRequest, rightRequests } from '../support/right-requests.ts';

const MANY = 1_000_000;
const ROOMY = { signUpsPerHour: MANY, challengesPerHour: MANY, failedSignInsPerMinute: MANY, httpRequestsPerMinute: MANY, actsBurst: MANY };
const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND', 'QUERY'];
const FAULTS = ['error', 'fatal'];
const REGISTERED = 'select r.id as reed, k.id as key from reeds r join keys k on k.user_id = r.author_id where r.author_id = $1';

let world: World;
let ann: Person & { token: string };
let folder: string;
let routes: Route[];
let right: Readonly<Record<string, RightRequest>>;
const lines: string[] = [];
const apps: Api[] = [];
/** One server without a web app, one with. */
const ports: number[] = [];

beforeAll(async () => {
  world = await makeWorld({ limits: ROOMY });
  folder = await mkdtemp(join(tmpdir(), 'reedbed-web-'));
  await writeFile(join(folder, 'index.html'), '<!doctype html><title>page</title>');
  const log = createLog('trace', { write: (line: string) => void lines.push(line) });
  for (const webFolder of [null, folder]) {
    const app = await makeHttp(world, { log, webFolder });
    await app.listen({ port: 0, host: '127.0.0.1' });
    apps.push(app);
    ports.push((app.server.address() as AddressInfo).port);
  }
  ann = await signUp(world);
  routes = routesOf(JSON.parse((await call(ports[0] ?? 0, { method: 'GET', url: '/openapi.json' })).body) as OpenApi);
  right = await rightRequests(world, ann);
});

afterAll(async () => {
  await Promise.all(apps.map((app) => app.close()));
  await world.close();
  await rm(folder, { recursive: true });
});

afterEach(() => {
  const errors = lines.splice(0).filter((line) => FAULTS.includes((JSON.parse(line) as { level: string }).level));
  expect(errors, 'the log is clean').toEqual([]);
});

const bearer = (): Record<string, string> => ({ authorization: `Bearer ${ann.token}` });
const json = { 'content-type': 'application/json' };
const addressOf = ({ path }: Route, id: string): string => path.replace(/\{\w+\}/, id);
const withBody = (): Route[] => routes.filter(({ takesBody }) => takesBody);
const withId = (): Route[] => routes.filter(({ path }) => path.includes('{'));
/** Not this: it would end the session that the others use. */
const harmless = (): Route[] => routes.filter(({ method, path }) => method !== 'DELETE' || path !== '/api/v1/auth/token');

const isProblem = ({ status, type, csp, body }: Answer, place: string): void => {
  expect([place, status >= 400 && status < 500]).toEqual([place, true]);
  expect([place, type]).toEqual([place, expect.stringContaining('application/problem+json')]);
  expect(csp).toBe(CONTENT_SECURITY_POLICY);
  const problem = JSON.parse(body) as { code: string; status: number; detail: unknown };
  if (!isErrorCode(problem.code)) throw new Error(`${place}: ${problem.code} is no code`);
  expect([place, problem.code, ERROR_CODES[problem.code].httpStatus, problem.status]).toEqual([place, problem.code, status, status]);
  expect(problem.detail).toEqual(expect.stringMatching(/\S/));
};

/** A call that can't be right, on both servers. */
const refused = async (wanted: Parameters<typeof call>[1]): Promise<void> => {
  for (const port of ports) isProblem(await call(port, wanted), `${wanted.method} ${wanted.url.slice(0, 80)}`);
};

/** A call that may happen to be right. */
const answered = async (wanted: Parameters<typeof call>[1]): Promise<void> => {
  for (const port of ports) {
    const answer = await call(port, wanted);
    if (answer.status >= 300) isProblem(answer, `${wanted.method} ${wanted.url.slice(0, 80)}`);
  }
};

const runs = (numRuns: number) => ({ numRuns, endOnFailure: true });
const session = fc.constantFrom('session', 'none', ...NO_TOKENS.slice(0, -1));
const headersOf = (which: string): Record<string, string> =>
  which === 'session' ? bearer() : which === 'none' ? {} : { authorization: which };

describe('each route', () => {
  test('is in the document, with a right body known here for each that takes one', () => {
    expect(routes.length).toBeGreaterThan(15);
    expect(withId().length).toBeGreaterThan(3);
    expect(
      withBody()
        .map(({ path }) => path)
        .sort(),
    ).toEqual(Object.keys(right).sort());
  });

  test('that takes a body takes none that is no JSON, of the wrong shape or of the wrong type', async () => {
    for (const route of withBody()) {
      const [method, url] = [route.method, addressOf(route, 'x')];
      for (const body of [...NO_JSON, ...WRONG_SHAPES]) await refused({ method, url, headers: { ...json, ...bearer() }, body });
      for (const type of WRONG_TYPES) await refused({ method, url, headers: { 'content-type': type, ...bearer() }, body: '{}' });
    }
  });

  test('that has an id takes none that is no id', async () => {
    for (const route of withId())
      for (const id of NO_IDS) await refused({ method: route.method, url: addressOf(route, id), headers: bearer() });
  });

  test('that needs a session takes no other authorization', async () => {
    for (const route of routes.filter(({ needsSession }) => needsSession)) {
      const wanted = { method: route.method, url: addressOf(route, encodeURIComponent(ann.user)) };
      await refused(wanted);
      // Signing out of a session that has ended already is no error.
      const judge = harmless().includes(route) ? refused : answered;
      for (const authorization of NO_TOKENS) await judge({ ...wanted, headers: { authorization } });
    }
  });

  test('takes no other method', async () => {
    const known = new Map<string, Set<string>>();
    for (const { path, method } of routes) known.set(path, new Set([...(known.get(path) ?? []), method]));
    for (const [path, methods] of known)
      for (const method of METHODS.filter((name) => !methods.has(name)))
        await refused({ method, url: path.replace(/\{\w+\}/, encodeURIComponent(ann.user)), headers: bearer() });
  });

  test('refuses what HTTP itself makes doubtful', async () => {
    for (const route of routes) {
      const wanted = { method: route.method, url: addressOf(route, 'x') };
      await refused({ ...wanted, headers: { ...json, 'content-length': 'many' } });
      await refused({ ...wanted, method: 'NONSENSE' });
    }
  });

  test('passes over an expectation that it does not know', async () => {
    for (const port of ports) {
      const known = await call(port, { method: 'GET', url: '/api/v1/server', headers: { expect: 'nonsense' } });
      expect([known.status, known.csp]).toEqual([200, CONTENT_SECURITY_POLICY]);
      isProblem(await call(port, { method: 'GET', url: '/api/v1/nothing', headers: { expect: 'nonsense' } }), 'nothing');
    }
  });
});

describe('anything generated', () => {
  test('for a body is refused', () =>
    fc.assert(
      fc.asyncProperty(fc.nat(), noJson, session, async (at, body, which) => {
        const route = withBody()[at % withBody().length] as Route;
        await refused({ method: route.method, url: addressOf(route, 'x'), headers: { ...json, ...headersOf(which) }, body });
      }),
      runs(60),
    ));

  test('for an id or a query is answered or refused', () =>
    fc.assert(
      fc.asyncProperty(fc.nat(), noId, query, session, async (at, id, search, which) => {
        const route = harmless()[at % harmless().length] as Route;
        await answered({ method: route.method, url: `${addressOf(route, id)}${search}`, headers: headersOf(which) });
      }),
      runs(120),
    ));

  test('in one place of a right body is answered or refused, and loses nothing', async () => {
    const registered = () => world.db.query({ text: REGISTERED, values: [ann.user] });
    const before = await registered();
    expect(before.length).toBeGreaterThan(0);
    await fc.assert(
      fc.asyncProperty(fc.nat(), change, async (at, how) => {
        const route = withBody()[at % withBody().length] as Route;
        const body = changed(right[route.path]?.body ?? {}, how);
        await answered({ method: route.method, url: addressOf(route, 'x'), headers: { ...json, ...bearer() }, body });
      }),
      runs(150),
    );
    expect(await registered()).toEqual(expect.arrayContaining(before));
  });
});
