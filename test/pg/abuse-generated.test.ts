// Input generated from the OpenAPI document, for every route that it names: each body and query wrong in one place, statements wrong in one field,
// and anything at all. Always a problem document or an answer, never a fault, and nothing stored of what was refused.
import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { besiege, isRefusal, type Siege } from '../support/http-siege.ts';
import { byTurns, upTo } from '../support/length.ts';
import {
  type ApiRoute,
  addressFor,
  anyAddress,
  anyBody,
  bodyFor,
  readRoutes,
  wrongBodies,
  wrongQueries,
} from '../support/openapi-input.ts';
import { type RightRequest, rightRequests } from '../support/right-requests.ts';

// Hundreds of calls in a test: a loaded machine needs its time for them.
vi.setConfig({ testTimeout: 90_000 });

const RUNS_PER_ROUTE = upTo(30);
const JSON_TYPE = { 'content-type': 'application/json' };

let siege: Siege;
let routes: ApiRoute[];
let right: Readonly<Record<string, RightRequest>>;
beforeAll(async () => {
  siege = await besiege();
  routes = readRoutes((await siege.call({ method: 'GET', url: '/openapi.json' })).json());
  right = await rightRequests(siege.world, siege.ann);
});
afterEach(() => siege.stillServes());
afterAll(() => siege.end());

const session = (token = siege.ann.token): Record<string, string> => ({ authorization: `Bearer ${token}` });
/** Without a session where it would end Ann's. */
const sessionOf = ({ method, path }: ApiRoute): Record<string, string> => (method === 'DELETE' ? {} : session(right[path]?.token));
const withBody = (): ApiRoute[] => routes.filter(({ body }) => body !== null);
const send = (route: ApiRoute, body: string, url = right[route.path]?.url ?? addressFor(route, siege.ann.user)) =>
  siege.call({ method: route.method, url, headers: { ...JSON_TYPE, ...sessionOf(route) }, body });
const place = ({ method, path }: ApiRoute, what: string): string => `${method} ${path} ${what}`;

describe('every route', () => {
  test('that takes a body takes none that is wrong in one place: extra, missing, null, of another type, too long', async () => {
    const before = await siege.stored();
    expect(withBody().length).toBeGreaterThan(7);
    for (const route of withBody()) {
      const wrongs = wrongBodies(route);
      expect([route.path, wrongs.length > 10]).toEqual([route.path, true]);
      for (const { what, value } of wrongs)
        expect([place(route, what), isRefusal(await send(route, JSON.stringify(value)), place(route, what))]).toEqual([
          place(route, what),
          'BAD_REQUEST',
        ]);
      // What is right in form is not refused for its form, so that the above were refused for what was wrong.
      expect([route.path, (await send(route, JSON.stringify(bodyFor(route)))).status]).not.toEqual([route.path, 400]);
    }
    expect(await siege.stored()).toEqual(before);
  });

  test('that takes a query takes none that is wrong in one place', async () => {
    const asked = routes.filter(({ query }) => query.length > 0);
    expect(asked.length).toBeGreaterThan(2);
    for (const route of asked)
      for (const query of wrongQueries(route)) {
        const url = `${addressFor(route, siege.ann.keyId).split('?')[0]}${query}`;
        const answer = await siege.call({ method: route.method, url, headers: session() });
        expect([url, isRefusal(answer, url)]).toEqual([url, 'BAD_REQUEST']);
      }
  });

  test('that takes a body takes none of 5,000 levels, wherever they are', async () => {
    const deep = [`${'['.repeat(5_000)}${']'.repeat(5_000)}`, `${'{"a":'.repeat(5_000)}1${'}'.repeat(5_000)}`];
    for (const route of withBody())
      for (const nest of deep) {
        const whole = JSON.stringify(bodyFor(route));
        const places = [whole.replace('{}', `{"deep":${nest}}`), whole.replace('""', nest)].filter((body) => body !== whole);
        for (const body of [nest, ...places, '['.repeat(60_000)])
          expect(isRefusal(await send(route, body), route.path)).toBe('BAD_REQUEST');
      }
  });

  test('answers or refuses anything for a body', async () => {
    for (const route of withBody())
      await fc.assert(
        fc.asyncProperty(anyBody(route), async (body) => {
          const answer = await send(route, JSON.stringify(body) ?? 'null');
          if (answer.status >= 300) isRefusal(answer, place(route, JSON.stringify(body)?.slice(0, 200) ?? ''));
        }),
        { numRuns: RUNS_PER_ROUTE, endOnFailure: true },
      );
  });

  test('answers or refuses anything in its address and query', async () => {
    for (const route of routes)
      await fc.assert(
        fc.asyncProperty(anyAddress(route), async (url) => {
          const body = route.body === null ? {} : { body: JSON.stringify(bodyFor(route)) };
          const headers = { ...(route.body === null ? {} : JSON_TYPE), ...sessionOf(route) };
          const answer = await siege.call({ method: route.method, url, headers, ...body });
          if (answer.status >= 300) isRefusal(answer, place(route, url));
        }),
        { numRuns: RUNS_PER_ROUTE, endOnFailure: true },
      );
  });
});

type Spot = { readonly path: readonly string[]; readonly value: unknown };
const spotsIn = (value: unknown, path: readonly string[] = []): Spot[] =>
  typeof value !== 'object' || value === null
    ? [{ path, value }]
    : [{ path, value }, ...Object.entries(value).flatMap(([key, inner]) => spotsIn(inner, [...path, key]))];

/** The body with what stands at `path` replaced; undefined removes it. */
function replaced(body: unknown, [key, ...rest]: readonly string[], value: unknown): unknown {
  if (key === undefined) return value;
  const copy = (Array.isArray(body) ? [...body] : { ...(body as object) }) as Record<string, unknown>;
  if (rest.length === 0 && value === undefined) delete copy[key];
  else copy[key] = replaced(copy[key], rest, value);
  return copy;
}

const lies = ({ value }: Spot): readonly unknown[] =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? [null, [value], JSON.stringify(value), { ...value, extra: 1 }]
    : [null, undefined, [value], { value }, value === 1 ? '1' : 1, value === true ? 'true' : true, `${value} `, ''];

describe('a statement', () => {
  test('has a right example here for each route that takes one', () => {
    expect(
      withBody()
        .map(({ path }) => path)
        .sort(),
    ).toEqual(Object.keys(right).sort());
  });

  test('wrong in any one field, for any route, is refused, and nothing of it is stored', async () => {
    const { used_challenges: _before, ...before } = await siege.stored();
    for (const route of withBody()) {
      const body = right[route.path]?.body;
      const spots = spotsIn(body).filter(({ path }) => path.some((key) => key === 'statement'));
      for (const spot of spots)
        for (const lie of byTurns(lies(spot), 3)) {
          if (lie === spot.value) continue;
          const where = place(route, `${spot.path.join('.')} = ${JSON.stringify(lie)}`);
          isRefusal(await send(route, JSON.stringify(replaced(body, spot.path, lie))), where);
        }
    }
    expect(await siege.stored()).toMatchObject(before);
  });

  test('is taken when it is right, so that the lies were refused for being lies', async () => {
    // One asks for an invite that is not there, the other for a server that does not answer.
    const unanswered = ['/api/v1/invites/check', '/api/v1/admin/peers/accept'];
    for (const route of withBody().filter(({ path }) => !unanswered.includes(path))) {
      const answer = await send(route, JSON.stringify(right[route.path]?.body));
      expect([route.path, answer.status < 300 ? 'taken' : answer.body]).toEqual([route.path, 'taken']);
    }
  });
});
