// What a hostile client may send over HTTP, generated: bodies that are no JSON or the wrong JSON, addresses that are no ids, headers that
// mean nothing. Requests go over a real connection, so that nothing is tidied up on the way.
import { request } from 'node:http';
import fc from 'fast-check';

export type Route = {
  readonly method: string;
  /** As in the OpenAPI document, parameters in braces. */
  readonly path: string;
  readonly takesBody: boolean;
  readonly needsSession: boolean;
};

type Operation = { readonly requestBody?: unknown; readonly security?: readonly unknown[] };
export type OpenApi = { readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>> };

/** Every operation that the document describes. */
export const routesOf = ({ paths }: OpenApi): Route[] =>
  Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, { requestBody, security }]) => ({
      method: method.toUpperCase(),
      path,
      takesBody: requestBody !== undefined,
      needsSession: security !== undefined,
    })),
  );

export type Call = {
  readonly method: string;
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
};
export type Answer = { readonly status: number; readonly type: string; readonly csp: string; readonly body: string };

export const call = (port: number, { method, url, headers, body }: Call): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };
    const sent = request({ host: '127.0.0.1', port, method, path: url, agent: false, headers: { ...length, ...headers } }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          type: response.headers['content-type'] ?? '',
          csp: String(response.headers['content-security-policy'] ?? ''),
          body: Buffer.concat(chunks).toString(),
        }),
      );
      response.on('error', reject);
    });
    sent.on('error', reject);
    sent.end(body);
  });

const nested = (levels: number, open: string, close: string): string => `${open.repeat(levels)}1${close.repeat(levels)}`;

/** Bodies that no route takes, whatever their shape should be. */
export const NO_JSON: readonly (string | Buffer)[] = [
  '',
  ' ',
  'nonsense',
  '{',
  '{"statement":',
  '{}{}',
  "{'statement':1}",
  '{"a":1,}',
  '{"a":01}',
  '{"a":1e}',
  '{"a":NaN}',
  '\ufeff{}',
  '{"a":"\u0001"}',
  '{"a":1,"a":2}',
  '{"statement":{},"st\\u0061tement":{}}',
  '{"a":"\\ud800"}',
  '{"\\udc00":1}',
  nested(17, '[', ']'),
  nested(5_000, '{"a":', '}'),
  nested(20_000, '[', ']'),
  Buffer.from([0x7b, 0x22, 0xc0, 0xaf, 0x22, 0x3a, 0x31, 0x7d]),
  Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22]),
  Buffer.from([0xff, 0xfe, 0x7b, 0x00, 0x7d, 0x00]),
  `{"a":"${'x'.repeat(70 * 1_024)}"}`,
];

/** JSON of shapes that no route with a body takes. */
export const WRONG_SHAPES: readonly string[] = [
  'null',
  '0',
  '"text"',
  'true',
  '[]',
  '[{}]',
  '{}',
  '{"__proto__":{}}',
  '{"constructor":1}',
  '{"extra":1}',
];

export const WRONG_TYPES = [
  '',
  'text/plain',
  'application/xml',
  'multipart/form-data; boundary=x',
  'application/json+x',
  'json',
  ';',
  '*/*',
] as const;

/** Path parts that are no id of any kind. */
export const NO_IDS: readonly string[] = [
  '%zz',
  '%',
  '%ff',
  '%c0%af',
  '%ed%a0%80',
  '%00',
  'a%00b',
  '%e2%80%ae',
  '..',
  '%2e%2e%2f%2e%2e',
  '%2525',
  'me',
  'root',
  '@',
  'a'.repeat(300),
  'a'.repeat(2_000),
  '%41'.repeat(400),
  "'%20or%20'1'='1",
  'peer%40aaaaaaaaaaaaaaaa',
  '[object%20Object]',
];

export const NO_TOKENS: readonly string[] = [
  '',
  'Bearer',
  'Bearer ',
  'Bearer x',
  `Bearer ${'x'.repeat(4_000)}`,
  'Basic eDp5',
  'Bearer a b',
  'bearer \u00e9',
];

/** A value that stands where something else belongs. */
export const oddValue: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom<unknown[]>(
    null,
    true,
    0,
    -1,
    1.5,
    1e300,
    '',
    '\0',
    '\u202e',
    'x'.repeat(9_000),
    [],
    {},
    [null],
    { toString: 1 },
    '2026-13-45T99:99:99.999Z',
  ),
  fc.jsonValue({ maxDepth: 3 }),
);

export const noJson: fc.Arbitrary<string | Buffer> = fc.oneof(
  fc.constantFrom(...NO_JSON),
  fc.uint8Array({ minLength: 1, maxLength: 60 }).map((bytes) => Buffer.concat([Buffer.from([0x01]), Buffer.from(bytes)])),
);

export const noId: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom(...NO_IDS),
  fc.string({ unit: 'binary', minLength: 1, maxLength: 30 }).map((text) => encodeURIComponent(text)),
  fc.stringMatching(/^[a-zA-Z0-9%@/._~-]{1,40}$/),
);

export const query: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom(
    '',
    '?',
    '?query',
    '?query=',
    '?query=%ff',
    '?query=a&query=b',
    '?cursor=x',
    '?for=other',
    '?chain&chain',
    '?__proto__=1',
    '?query[]=1',
  ),
  fc.stringMatching(/^\?[a-z]{1,8}=[a-zA-Z0-9%&=@-]{0,40}$/),
);

/** How one place in a body that was right is changed. */
export type Change = { readonly place: number; readonly how: 'replace' | 'remove' | 'extra' | 'twice'; readonly value: unknown };
export const change: fc.Arbitrary<Change> = fc.record({
  place: fc.nat(1_000),
  how: fc.constantFrom('replace' as const, 'replace' as const, 'remove' as const, 'extra' as const, 'twice' as const),
  value: oddValue,
});

type Spot = { readonly holder: Record<string, unknown>; readonly name: string };

const spotsOf = (value: unknown): Spot[] =>
  typeof value !== 'object' || value === null
    ? []
    : Object.keys(value).flatMap((name) => {
        const holder = value as Record<string, unknown>;
        return [{ holder, name }, ...spotsOf(holder[name])];
      });

/** The text of a body with one place changed. */
export function changed(body: object, { place, how, value }: Change): string {
  const copy = structuredClone(body);
  const spots = spotsOf(copy);
  const spot = spots[place % spots.length];
  if (!spot) return '{}';
  const { holder, name } = spot;
  const mark = 'the place of the second one';
  if (how === 'remove') delete holder[name];
  else if (how === 'replace') holder[name] = value;
  else if (Array.isArray(holder)) holder.push(value);
  else holder[how === 'extra' ? 'extraField' : mark] = value;
  return JSON.stringify(copy).replace(JSON.stringify(mark), JSON.stringify(name));
}
