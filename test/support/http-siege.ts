// An HTTP server under attack: real connections, everything it logs, what it has stored, and whether it still serves everybody else.
import type { AddressInfo } from 'node:net';
import { expect } from 'vitest';
import { ERROR_CODES, isErrorCode } from '../../src/base/codes.ts';
import type { Api } from '../../src/http/api.ts';
import type { HttpDeps } from '../../src/http/server.ts';
import { createLog } from '../../src/telemetry/log.ts';
import { type Call, call } from './hostile-http.ts';
import { makeHttp } from './http.ts';
import { makeWorld, type Person, signInBody, signUp, type World, type WorldOptions } from './people.ts';

const MANY = 1_000_000;
const ROOMY = { signUpsPerHour: MANY, challengesPerHour: MANY, failedSignInsPerMinute: MANY, httpRequestsPerMinute: MANY, actsBurst: MANY };
/** Statuses that stand in the status line only: their problem document has the nearest code. */
const OF_THE_CONNECTION = new Set([408, 431]);
const FAULTS = new Set(['error', 'fatal']);

export type Member = Person & { token: string };
export type Said = {
  readonly status: number;
  readonly body: string;
  readonly type?: string;
  readonly headers?: ReadonlyMap<string, string>;
};

export type Siege = {
  readonly world: World;
  readonly app: Api;
  readonly port: number;
  /** A member who has done no wrong. */
  readonly ann: Member;
  /** What was logged since it was last asked. */
  logged(): string[];
  /** Rows of every table. */
  stored(): Promise<Readonly<Record<string, number>>>;
  call(wanted: Call): Promise<Said & { readonly json: () => Record<string, unknown> }>;
  post(path: string, body: unknown, member?: Pick<Member, 'token'>): ReturnType<Siege['call']>;
  /** Fails unless a stranger, and a member with a session old and new, are served, and nothing was logged as a fault. */
  stillServes(): Promise<void>;
  connections(): Promise<number>;
  end(): Promise<void>;
};

/** Fails unless `answer` refuses: a 4xx with a problem document of the right form. @returns its code */
export function isRefusal(answer: Said | null, place: string): string {
  if (answer === null) throw new Error(`${place}: no answer`);
  expect([place, answer.status, answer.status >= 400 && answer.status < 500]).toEqual([place, answer.status, true]);
  const type = answer.type ?? answer.headers?.get('content-type');
  expect([place, type]).toEqual([place, expect.stringContaining('application/problem+json')]);
  const problem = JSON.parse(answer.body) as { code: string; status: number; detail: string };
  if (!isErrorCode(problem.code)) throw new Error(`${place}: ${problem.code} is no code`);
  expect([place, problem.status]).toEqual([place, answer.status]);
  if (!OF_THE_CONNECTION.has(answer.status)) expect([place, ERROR_CODES[problem.code].httpStatus]).toEqual([place, answer.status]);
  expect(problem.detail).toMatch(/\S/);
  return problem.code;
}

async function rowCounts({ db }: World): Promise<Record<string, number>> {
  const tables = await db.query<{ name: string }>({
    text: `select table_name::text as name from information_schema.tables where table_schema = 'public' order by 1`,
  });
  const counts = tables.map(({ name }) => `select '${name}' as name, count(*)::int as rows from "${name}"`).join(' union all ');
  const rows = await db.query<{ name: string; rows: number }>({ text: counts });
  return Object.fromEntries(rows.map((row) => [row.name, row.rows]));
}

async function assertServes(siege: Pick<Siege, 'world' | 'call' | 'ann' | 'post' | 'logged'>): Promise<void> {
  const { world, call: send, ann } = siege;
  const server = await send({ method: 'GET', url: '/api/v1/server' });
  expect([server.status, server.json()['id']]).toEqual([200, world.identity.server.id]);
  const devices = await send({ method: 'GET', url: '/api/v1/devices', headers: { authorization: `Bearer ${ann.token}` } });
  expect(devices.status).toBe(200);
  const signedIn = await siege.post('/api/v1/auth/token', await signInBody(world, ann));
  expect(signedIn.status).toBe(200);
  // Ended again: beyond the most of a member it would end the one that tests use.
  const authorization = `Bearer ${signedIn.json()['token']}`;
  expect((await send({ method: 'DELETE', url: '/api/v1/auth/token', headers: { authorization } })).status).toBe(204);
  const faults = siege.logged().filter((line) => FAULTS.has((JSON.parse(line) as { level: string }).level));
  expect(faults).toEqual([]);
}

/** @param http parts of the HTTP server that are not as usual */
export async function besiege(options: WorldOptions = {}, http: Partial<HttpDeps> = {}): Promise<Siege> {
  const world = await makeWorld({ ...options, limits: { ...ROOMY, ...options.limits } });
  const lines: string[] = [];
  const log = createLog('trace', { write: (line: string) => void lines.push(line) });
  const app = await makeHttp(world, { log, ...(options.signup === undefined ? {} : { signup: options.signup }), ...http });
  await app.listen({ port: 0, host: '127.0.0.1' });
  const { port } = app.server.address() as AddressInfo;
  const secret = options.signup === 'invite' ? await world.identity.invites.makeRootInvite() : null;
  const ann = await signUp(world, secret === null ? {} : { inviteSecret: secret });
  const send: Siege['call'] = async (wanted) => {
    const answer = await call(port, wanted);
    return { ...answer, json: () => JSON.parse(answer.body) as Record<string, unknown> };
  };
  const post: Siege['post'] = (path, body, member) =>
    send({
      method: 'POST',
      url: path,
      headers: { 'content-type': 'application/json', ...(member === undefined ? {} : { authorization: `Bearer ${member.token}` }) },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
  const siege = { world, app, port, ann, call: send, post, logged: () => lines.splice(0) };
  return {
    ...siege,
    stored: () => rowCounts(world),
    stillServes: () => assertServes(siege),
    connections: () =>
      new Promise((resolve, reject) => app.server.getConnections((error, count) => (error === null ? resolve(count) : reject(error)))),
    end: async () => {
      await app.close();
      await world.close();
    },
  };
}
