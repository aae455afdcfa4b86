// Signing bytes: RFC 8785 over a narrow kind of value, and the strict reading of JSON. Nothing throws, nothing is repaired.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalBytes, statementHash } from '../../src/wire/canonical.ts';
import { parseStrictJson } from '../../src/wire/strict-json.ts';

const LIMITS = { depth: 4, bytes: 16_384 };

const canonical = (value: unknown): string => {
  const bytes = canonicalBytes(value);
  return bytes.ok ? new TextDecoder().decode(bytes.value) : bytes.reason;
};
const parsed = (input: Uint8Array | string, limits = LIMITS): unknown => {
  const value = parseStrictJson(input, limits);
  return value.ok ? { value: value.value } : value.reason;
};
const nested = (levels: number, inner: unknown = 1): unknown => {
  let value = inner;
  for (let level = 0; level < levels; level++) value = [value];
  return value;
};

/** Values that are allowed, four levels at most. */
const leaf = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  fc.boolean(),
  fc.maxSafeInteger().map((n) => n + 0),
);
const allowed = fc.dictionary(
  fc.string({ maxLength: 8 }),
  fc.oneof(leaf, fc.array(leaf, { maxLength: 4 }), fc.dictionary(fc.string({ maxLength: 4 }), leaf, { maxKeys: 3 })),
  { maxKeys: 6 },
);

describe('canonical bytes', () => {
  it('sort keys by UTF-16 and escape only what must be', () => {
    expect(canonical({ b: 1, a: [true, 'x'], '\u20ac': 'ö', '\ud83d\ude00': '\u0001"\\/', '\ufb33': '' })).toBe(
      '{"a":[true,"x"],"b":1,"€":"ö","😀":"\\u0001\\"\\\\/","\ufb33":""}',
    );
    expect(canonical({})).toBe('{}');
    expect(canonical(Object.assign(Object.create(null), { a: 1 }))).toBe('{"a":1}');
    expect(canonical(Number.MAX_SAFE_INTEGER)).toBe('9007199254740991');
  });

  it.each<[string, unknown]>([
    ['null', { a: null }],
    ['undefined', { a: undefined }],
    ['undefined itself', undefined],
    ['undefined in a list', [undefined]],
    ['a hole', new Array(1)],
    ['a float', { a: 1.5 }],
    ['NaN', { a: Number.NaN }],
    ['infinity', { a: Number.POSITIVE_INFINITY }],
    ['minus zero', { a: -0 }],
    ['an integer too large', { a: 2 ** 53 }],
    ['a bigint', { a: 1n }],
    ['a lone surrogate', { a: '\ud800' }],
    ['a lone surrogate in a key', { '\udc00': 1 }],
    ['a date', { a: new Date(0) }],
    ['a map', { a: new Map() }],
    ['bytes', { a: new Uint8Array(2) }],
    ['a function', { a: () => 1 }],
    ['a symbol', { a: Symbol('a') }],
    ['a symbol key', { [Symbol('a')]: 1 }],
    ['a getter', Object.defineProperty({}, 'a', { enumerable: true, get: () => 1 })],
    ['a hidden property', Object.defineProperty({}, 'a', { value: 1 })],
    ['toJSON', { toJSON: () => 1 }],
    ['a list with a name', Object.assign([1], { name: 'x' })],
    ['an instance', new (class Thing {})()],
    ['a string object', Object('x')],
  ])('refuse %s', (_what, value) => {
    expect(canonical(value)).toBe('wrong-value');
  });

  it('have four levels at most, however deep the value is', () => {
    expect(canonical(nested(4))).toBe('[[[[1]]]]');
    for (const levels of [5, 5_000, 200_000]) expect(canonical(nested(levels))).toBe('too-deep');
    const circle: unknown[] = [];
    circle.push(circle);
    expect(canonical(circle)).toBe('too-deep');
    expect(canonical({ a: JSON.parse(`${'['.repeat(5_000)}${']'.repeat(5_000)}`) })).toBe('too-deep');
  });

  it('are 16 KiB at most', () => {
    expect(canonical('x'.repeat(16_382)).length).toBe(16_384);
    for (const value of ['x'.repeat(16_383), 'ö'.repeat(8_192), '\u0001'.repeat(3_000), new Array(20_000).fill(1), new Array(2 ** 31)]) {
      expect(canonical(value)).toMatch(/too-large/);
    }
  });

  it('mean the value and nothing else', () => {
    fc.assert(
      fc.property(allowed, (value) => {
        const text = canonical(value);
        expect(JSON.parse(text)).toEqual(structuredClone(value));
        expect(canonical(JSON.parse(text))).toBe(text);
        expect(parsed(text)).toEqual({ value: JSON.parse(text) });
      }),
    );
  });

  it('never throw', () => {
    fc.assert(
      fc.property(
        fc.anything({ withBigInt: true, withDate: true, withMap: true, withSparseArray: true, withTypedArray: true }),
        (value) => {
          expect(typeof canonicalBytes(value).ok).toBe('boolean');
        },
      ),
    );
  });

  it('are named by their SHA-256', async () => {
    expect(await statementHash(new TextEncoder().encode('abc'))).toBe('ungWv48Bz-pBQUDeXa4iI7ADYaOWF3qctBD_YfIAFa0');
  });
});

describe('strict JSON', () => {
  it.each<[string, string, string]>([
    ['a repeated key', '{"a":1,"a":2}', 'duplicate-key'],
    ['a repeated key in other letters', '{"a":1,"\\u0061":2}', 'duplicate-key'],
    ['a repeated key further in', '{"x":{"b":1,"c":[{}],"b":2}}', 'duplicate-key'],
    ['__proto__ twice', '{"__proto__":1,"__proto__":2}', 'duplicate-key'],
    ['a float', '[1.0]', 'wrong-number'],
    ['an exponent', '[1e2]', 'wrong-number'],
    ['minus zero', '[-0]', 'wrong-number'],
    ['an integer that would be rounded', '[9007199254740993]', 'wrong-number'],
    ['a leading zero', '[01]', 'wrong-number'],
    ['a lone surrogate', '["\\ud800"]', 'not-json'],
    ['a control sign', '["\n"]', 'not-json'],
    ['no end', '{"a":"', 'not-json'],
    ['two values', '{}{}', 'not-json'],
    ['a comma too many', '[1,]', 'not-json'],
    ['a comment', '/* */{}', 'not-json'],
    ['a byte order mark', '\ufeff{}', 'not-json'],
    ['nothing', '', 'not-json'],
    ['a bare word', 'undefined', 'not-json'],
    ['five levels', '[[[[[]]]]]', 'too-deep'],
    ['five thousand levels', `${'['.repeat(5_000)}${']'.repeat(5_000)}`, 'too-deep'],
  ])('refuses %s', (_what, text, reason) => {
    expect(parsed(text)).toBe(reason);
    expect(parsed(new TextEncoder().encode(text))).toBe(reason);
  });

  it('refuses bytes that are no UTF-8, and too many', () => {
    for (const bytes of [
      [0x22, 0xff, 0x22],
      [0x22, 0xc0, 0x80, 0x22],
      [0x22, 0xed, 0xa0, 0x80, 0x22],
      [0x22, 0xe2, 0x82],
    ]) {
      expect(parsed(Uint8Array.from(bytes))).toBe('not-utf8');
    }
    expect(parsed('"\ud800"')).toBe('not-utf8');
    expect(parsed(' '.repeat(16_385))).toBe('too-large');
  });

  it('takes what is left, spaces included', () => {
    expect(parsed('{"a":[true,false,null,"\\u00e4\\"",-7],"b" : {} }   \n')).toEqual({
      value: { a: [true, false, null, 'ä"', -7], b: {} },
    });
    expect(parsed('{"b":1,"c":[{"b":1},{"b":2}],"d":{"b":"b"}}')).toEqual({ value: { b: 1, c: [{ b: 1 }, { b: 2 }], d: { b: 'b' } } });
    const proto = parsed('{"__proto__":{"x":1}}') as { value: object };
    expect(Object.hasOwn(proto.value, '__proto__')).toBe(true);
  });

  it('agrees with JSON.parse wherever it takes a text', () => {
    const deep = { depth: 64, bytes: 100_000 };
    fc.assert(
      fc.property(
        fc.oneof(
          fc.json(),
          fc.string(),
          fc.json().map((text) => text.slice(1)),
        ),
        (text) => {
          const value = parseStrictJson(text, deep);
          if (value.ok) expect(value.value).toEqual(JSON.parse(text));
        },
      ),
    );
  });
});
