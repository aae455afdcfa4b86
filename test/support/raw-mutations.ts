// Generated hostile bytes, made by hand from the published field numbers: valid frames, and what becomes of them when bits flip, pieces are
// cut out, swapped or repeated, wire types are wrong and varints too long. Shares no code with the codec that they are thrown at.
import fc from 'fast-check';
import { body, bytes, frame, numberOf, RAW_TYPES, type RawBody, type RawType, tag, uint, varint } from './raw-wire.ts';

const UUID = '01890000-0000-7000-8000-000000000000';
const text = fc.oneof(
  fc.constantFrom('', UUID, `aaaaaaaaaaaaaaaa@bbbbbbbbbbbbbbbb/${UUID}`, '\0', 'x'.repeat(256), '\u202e', '\ud83d\ude00'),
  fc.string({ unit: 'binary', maxLength: 30 }),
);
const number = fc.constantFrom(0, 1, 2, 127, 128, 2 ** 31 - 1, 2 ** 32 - 1);
const names: readonly string[] = [
  ...['requestId', 'reedId', 'authorId', 'threadId', 'missingReedId', 'userId', 'keyId', 'tag', 'reason', 'ciphertext'],
  ...['statement', 'signature', 'clientNonce', 'token'],
];
const values: fc.Arbitrary<RawBody> = fc.record(
  {
    ...Object.fromEntries(names.map((name) => [name, text as fc.Arbitrary<string | number>])),
    ...{ attempt: number, page: number, broadcast: number, serverTime: number, code: number },
  },
  { requiredKeys: [] },
);

/** A whole frame with some of its fields. */
const validFrame = (types: readonly RawType[]): fc.Arbitrary<Buffer> =>
  fc.tuple(fc.constantFrom(...types), values, text).map(([type, given, id]) => frame(type, fitting(type, given), id));

/** Only what the body has by that name; `reason` is text in one body and a number in others. */
function fitting(type: RawType, given: RawBody): RawBody {
  if (type === 'contentRejected' || given['reason'] === undefined) return given;
  return { ...given, reason: String(given['reason']).length };
}

type Mutation = { readonly kind: number; readonly at: number; readonly length: number; readonly value: number };
const mutation: fc.Arbitrary<Mutation> = fc.record({
  kind: fc.nat(9),
  at: fc.nat(400),
  length: fc.nat(12),
  value: fc.nat(255),
});

function mutated(whole: Buffer, { kind, at: place, length, value }: Mutation): Buffer {
  const at = whole.length === 0 ? 0 : place % whole.length;
  const [before, after] = [whole.subarray(0, at), whole.subarray(at)];
  const piece = after.subarray(0, length);
  const ways: readonly (() => Buffer)[] = [
    () => before,
    () => after,
    () => Buffer.concat([before, Buffer.from([(after[0] ?? 0) ^ (1 << (value & 7))]), after.subarray(1)]),
    () => Buffer.concat([before, after.subarray(length)]),
    () => Buffer.concat([before, piece, piece, after.subarray(length)]),
    () => Buffer.concat([after, before]),
    () => Buffer.concat([before, varint(value, length), after]),
    () => Buffer.concat([whole, tag(value, length & 7), piece]),
    () => Buffer.concat([whole, uint(value + 1, 2n ** 64n - 1n), bytes(60 + length, piece)]),
    () => Buffer.concat([before, Buffer.alloc(length, value), after]),
  ];
  return (ways[kind] as () => Buffer)();
}

/** One field of a body written as if it were of another kind, once more, or with a length that lies. */
const misfitting = (types: readonly RawType[]): fc.Arbitrary<Buffer> =>
  fc
    .record({
      type: fc.constantFrom(...types),
      given: values,
      field: fc.nat(6),
      wireType: fc.nat(7),
      lie: fc.integer({ min: -3, max: 90 }),
    })
    .map(({ type, given, field, wireType, lie }) => {
      const inner = body(type, fitting(type, given));
      const odd = [tag(field, wireType), varint(Math.max(0, lie), field), Buffer.alloc(Math.max(0, lie) % 9, 1)];
      return bytes(numberOf(type), Buffer.concat([inner, ...odd]), Math.max(0, inner.length + lie));
    });

const spliced = (types: readonly RawType[]): fc.Arbitrary<Buffer> =>
  fc
    .tuple(validFrame(types), validFrame(types), fc.nat(60), fc.nat(60))
    .map(([one, other, at, from]) => Buffer.concat([one.subarray(0, at), other.subarray(from)]));

/** Whatever may arrive in one binary message of a small size: frames of these types, what was a frame, and noise. */
export const hostileBytes = (types: readonly RawType[] = RAW_TYPES): fc.Arbitrary<Buffer> =>
  fc.oneof(
    { weight: 2, arbitrary: validFrame(types) },
    {
      weight: 4,
      arbitrary: fc
        .tuple(validFrame(types), fc.array(mutation, { minLength: 1, maxLength: 3 }))
        .map(([whole, ways]) => ways.reduce(mutated, whole)),
    },
    { weight: 2, arbitrary: misfitting(types) },
    { weight: 2, arbitrary: spliced(types) },
    { weight: 1, arbitrary: fc.uint8Array({ maxLength: 120 }).map((noise) => Buffer.from(noise)) },
  );
