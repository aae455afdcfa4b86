// Input for every route, made from the OpenAPI document alone: the smallest that its schemas take, and all that they must not take. A route that is
// added is covered by being described.
import fc from 'fast-check';

type Schema = {
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean;
  readonly items?: Schema;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
};
type Parameter = { readonly name: string; readonly in: string; readonly required?: boolean; readonly schema: Schema };
type Operation = {
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> };
  readonly security?: readonly unknown[];
};

export type ApiRoute = {
  readonly method: string;
  /** Parameters in braces. */
  readonly path: string;
  readonly needsSession: boolean;
  readonly body: Schema | null;
  readonly query: readonly Parameter[];
  readonly inPath: readonly Parameter[];
};

/** Every operation that the document describes. */
export function readRoutes(document: Readonly<Record<string, unknown>>): ApiRoute[] {
  const paths = document['paths'] as Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  return Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, { parameters = [], requestBody, security }]) => ({
      method: method.toUpperCase(),
      path,
      needsSession: security !== undefined,
      body: requestBody?.content['application/json']?.schema ?? null,
      query: parameters.filter((parameter) => parameter.in === 'query'),
      inPath: parameters.filter((parameter) => parameter.in === 'path'),
    })),
  );
}

/** The smallest value that the schema takes. */
function smallest(schema: Schema): unknown {
  if (schema.const !== undefined) return schema.const;
  if (schema.enum !== undefined) return schema.enum[0];
  if (schema.anyOf?.[0] !== undefined) return smallest(schema.anyOf[0]);
  switch (schema.type) {
    case 'object':
      return Object.fromEntries((schema.required ?? []).map((name) => [name, smallest(schema.properties?.[name] ?? {})]));
    case 'array':
      return Array.from({ length: schema.minItems ?? 0 }, () => smallest(schema.items ?? {}));
    case 'string':
      return 'a'.repeat(schema.minLength ?? 0);
    case 'boolean':
      return false;
    default:
      return 0;
  }
}

/** A body that the route's schema takes; what it says is nonsense. */
export const bodyFor = ({ body }: ApiRoute): unknown => (body === null ? undefined : smallest(body));

const queryText = (values: readonly (readonly [string, string])[]): string =>
  values.length === 0 ? '' : `?${values.map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`).join('&')}`;

/** An address with `id` in the place of its parameter, and the query that it can't be without. */
export function addressFor(route: ApiRoute, id: string): string {
  const needed = route.query
    .filter(({ required }) => required === true)
    .map(({ name, schema }) => [name, String(smallest(schema))] as const);
  return `${route.path.replace(/\{\w+\}/g, encodeURIComponent(id))}${queryText(needed)}`;
}

export type Wrong = { readonly what: string; readonly value: unknown };

/** What looks like a value and has another type: what a helpful parser would convert. */
function coercible(schema: Schema, value: unknown): readonly unknown[] {
  switch (schema.type) {
    case 'string':
      return [7, true, [value], { toString: value }];
    case 'array':
      return ['x', {}, { 0: value, length: 1 }, true];
    case 'object':
      return ['{}', [], [value], 1, JSON.stringify(value)];
    default:
      return [String(value), [value], {}];
  }
}

const wrap = (wrongs: readonly Wrong[], place: string, put: (value: unknown) => unknown): Wrong[] =>
  wrongs.map(({ what, value }) => ({ what: `${place}${what}`, value: put(value) }));

function wrongProperties(schema: Schema, value: Readonly<Record<string, unknown>>): Wrong[] {
  const isClosed = schema.additionalProperties === false;
  const extras = isClosed ? ['extra', '__proto__', 'constructor', 'toString', ''] : [];
  return [
    ...extras.map((name) => ({
      what: `: extra ${JSON.stringify(name)}`,
      value: Object.fromEntries([...Object.entries(value), [name, 1]]),
    })),
    ...(schema.required ?? []).map((name) => ({
      what: `: without ${name}`,
      value: Object.fromEntries(Object.entries(value).filter(([key]) => key !== name)),
    })),
    ...Object.entries(schema.properties ?? {}).flatMap(([name, inner]) =>
      wrap(wrongValues(inner, value[name] ?? smallest(inner)), `.${name}`, (wrong) => ({ ...value, [name]: wrong })),
    ),
  ];
}

function wrongItems(schema: Schema, value: readonly unknown[]): Wrong[] {
  const item = smallest(schema.items ?? {});
  const { maxItems, minItems = 0 } = schema;
  return [
    ...(maxItems === undefined ? [] : [{ what: ': too many', value: Array.from({ length: maxItems + 1 }, () => item) }]),
    ...(minItems > 0 ? [{ what: ': too few', value: value.slice(1) }] : []),
    ...wrap(wrongValues(schema.items ?? {}, item), '[0]', (wrong) => [wrong]),
  ];
}

/** Values that the schema must not take, each wrong in one place. */
function wrongValues(schema: Schema, value: unknown): Wrong[] {
  const own = [
    { what: ': null', value: null },
    ...coercible(schema, value).map((wrong) => ({ what: `: as ${JSON.stringify(wrong)}`, value: wrong })),
  ];
  if (schema.type === 'object') return [...own, ...wrongProperties(schema, value as Readonly<Record<string, unknown>>)];
  if (schema.type === 'array') return [...own, ...wrongItems(schema, value as readonly unknown[])];
  const tooLong = schema.type === 'string' && schema.maxLength !== undefined;
  return tooLong ? [...own, { what: ': too long', value: 'x'.repeat((schema.maxLength ?? 0) + 1) }] : own;
}

/** Bodies that the route must not take, each wrong in one place only. */
export const wrongBodies = (route: ApiRoute): Wrong[] => (route.body === null ? [] : wrongValues(route.body, bodyFor(route)));

/** Queries that the route must not take. */
export function wrongQueries(route: ApiRoute): string[] {
  if (route.query.length === 0) return [];
  const right = route.query.map(({ name, schema }) => [name, String(smallest(schema))] as const);
  return [
    queryText([...right, ['extra', '1']]),
    queryText([...right, ['__proto__', '1']]),
    ...right.map((one) => queryText([...right, one])),
    ...right.map(([name, value]) => queryText([...right.filter(([other]) => other !== name), [`${name}[]`, value]])),
    ...route.query
      .filter(({ schema }) => schema.maxLength !== undefined)
      .map(({ name, schema }) =>
        queryText([...right.filter(([other]) => other !== name), [name, 'x'.repeat((schema.maxLength ?? 0) + 1)]]),
      ),
  ];
}

/** Values of the schema's form, whatever they mean, and now and then of another. */
function arbitraryOf(schema: Schema): fc.Arbitrary<unknown> {
  const odd = { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 2 }) };
  const right = (arbitrary: fc.Arbitrary<unknown>) => fc.oneof({ weight: 12, arbitrary }, odd);
  switch (schema.type) {
    case 'object': {
      const { required = [], properties = {} } = schema;
      const fields = Object.fromEntries(Object.entries(properties).map(([name, inner]) => [name, arbitraryOf(inner)]));
      const closed = fc.record(fields, { requiredKeys: [...required] });
      return right(
        schema.additionalProperties === true ? fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 3 }), { maxKeys: 6 }) : closed,
      );
    }
    case 'array':
      return right(fc.array(arbitraryOf(schema.items ?? {}), { minLength: schema.minItems ?? 0, maxLength: (schema.maxItems ?? 3) + 1 }));
    case 'string':
      return right(fc.oneof(fc.string({ unit: 'binary', maxLength: 40 }), fc.base64String({ maxLength: 44 })));
    default:
      return right(fc.jsonValue({ maxDepth: 1 }));
  }
}

/** Bodies as the document describes them, filled with anything. */
export const anyBody = (route: ApiRoute): fc.Arbitrary<unknown> => arbitraryOf(route.body ?? {});

const anyText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 30 }).filter((text) => text.isWellFormed()),
  fc.stringMatching(/^[a-z2-7@/%._-]{0,60}$/),
  fc.constantFrom('', '\0', '%', '_', '\\', "' or 1=1 --", '\u202e', 'root', 'me', '..', '[object Object]'),
);

/** Addresses of a route with anything in its parameters. */
export const anyAddress = (route: ApiRoute): fc.Arbitrary<string> =>
  fc
    .record({
      ids: fc.array(anyText, { minLength: 3, maxLength: 3 }),
      query: fc.array(fc.tuple(fc.constantFrom(...['x', ...route.query.map(({ name }) => name)]), anyText), { maxLength: 3 }),
    })
    .map(({ ids, query }) => {
      let at = 0;
      return `${route.path.replace(/\{\w+\}/g, () => encodeURIComponent(ids[at++] ?? ''))}${queryText(query)}`;
    });
