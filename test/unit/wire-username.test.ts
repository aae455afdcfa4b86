// Names of people: one script, nothing invisible, unique by case and by look.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { nameKeys } from '../../src/identity/usernames.ts';
import { checkUsername } from '../../src/wire/username.ts';

const formsOf = (typed: string) => {
  const checked = checkUsername(typed);
  return checked.ok ? checked.value : { reason: checked.reason };
};
const reasonOf = (typed: string): string => {
  const checked = checkUsername(typed);
  return checked.ok ? 'accepted' : checked.reason;
};

describe('a username', () => {
  it('may be in any script, and keeps its spelling', () => {
    for (const name of [
      'Ada',
      'al',
      'x'.repeat(30),
      'Grace_Hopper',
      'jean-luc',
      'r2.d2',
      'Мария',
      'Ελένη',
      'يوسف',
      'אסתר',
      '小林さくら',
      '金哲수',
      'นภา',
      'José',
      'अनिल',
      'reed',
    ]) {
      expect(formsOf(name)).toMatchObject({ name });
    }
  });

  it('is NFKC', () => {
    expect(formsOf('Ａｄａ')).toMatchObject({ name: 'Ada' });
    expect(formsOf('Jose\u0301')).toMatchObject({ name: 'José' });
    expect(formsOf('ﬁsh')).toMatchObject({ name: 'fish' });
  });

  it.each<[string, string]>([
    ['a', 'length'],
    ['', 'length'],
    ['x'.repeat(31), 'length'],
    ['x'.repeat(10_000), 'length'],
    ['a b', 'sign'],
    ['a@b', 'sign'],
    ['a/b', 'sign'],
    ['<b>', 'sign'],
    ['ad\u2603a', 'sign'],
    ['reed🌾', 'sign'],
    ['½½', 'sign'],
    ['a\u0301\u0301\u0301\u0301\u0301', 'sign'],
    ['a\0b', 'invisible'],
    ['ad\u200ba', 'invisible'],
    ['ad\u00ada', 'invisible'],
    ['ad\u200da', 'invisible'],
    ['\u202eada', 'invisible'],
    ['ad\u2066a', 'invisible'],
    ['ada\u061c', 'invisible'],
    ['\ud800da', 'invisible'],
    ['ada\ufe0f', 'invisible'],
    ['ㅤㅤ', 'invisible'],
    ['ada\u{e0041}', 'invisible'],
    ['a\u{f0000}a', 'invisible'],
    ['.ada', 'edge'],
    ['ada-', 'edge'],
    ['a..b', 'edge'],
    ['\u0301ada', 'edge'],
    ['1234', 'scripts'],
    ['раypal', 'scripts'],
    ['Αda', 'scripts'],
    ['aдa', 'scripts'],
    ['ℵℵaד', 'scripts'],
  ])('%j is refused: %s', (typed, reason) => {
    expect(reasonOf(typed)).toBe(reason);
  });

  it('is one by case', () => {
    for (const [one, two] of [
      ['ADA', 'ada'],
      ['Straße', 'STRASSE'],
      ['ΣΑΣ', 'σας'],
      ['МАРИЯ', 'мария'],
    ] as const) {
      expect(formsOf(one)).toMatchObject({ folded: (formsOf(two) as { folded: string }).folded });
    }
  });

  it('is one by its look', () => {
    const pairs = [
      ['paypal', 'раураӏ'],
      ['paypal', 'paypa1'],
      ['IIl', 'l1l'],
      ['modern', 'modem'],
      ['wave', 'vvave'],
      ['scope', 'ѕсоре'],
      ['José', 'jose'],
      ['r.e.e.d', 'reed'],
      ['ada_1', 'ada-l'],
      ['o0o', 'ooo'],
    ] as const;
    for (const [one, two] of pairs) {
      expect([one, (formsOf(one) as { skeleton: string }).skeleton]).toEqual([one, (formsOf(two) as { skeleton: string }).skeleton]);
    }
    expect((formsOf('ada') as { skeleton: string }).skeleton).not.toBe((formsOf('eda') as { skeleton: string }).skeleton);
  });

  it.each([
    ['ANNA', 'ΑΝΝΑ'],
    ['Anna', 'ΑΝΝΑ'],
    ['BOB', 'ВОВ'],
    ['bob', 'ВОВ'],
    ['TOHI', 'ТОНІ'],
    ['HPA', 'ΉΡΑ'],
    ['ΑΛΦΑ', 'АЛФА'],
    ['ΓΑΜΑ', 'ГАМА'],
    ['SOS', 'ՏՕՏ'],
  ])('is one by the look of its capitals: %s and %s', (one, two) => {
    expect((formsOf(one) as { skeleton: string }).skeleton).toBe((formsOf(two) as { skeleton: string }).skeleton);
    expect(nameKeys(one)?.skeleton).toBe(nameKeys(two)?.skeleton);
  });

  it('is another one if only the small forms of its capitals look alike', () => {
    expect(nameKeys('ΑΝΝΑ')?.skeleton).not.toBe(nameKeys('avva')?.skeleton);
    expect(nameKeys('αννα')?.skeleton).toBe(nameKeys('avva')?.skeleton);
    // Who has the one has the other too: by case they are one.
    expect(nameKeys('ΑΝΝΑ')?.folded).toBe(nameKeys('αννα')?.folded);
  });

  it('is the same when it is checked again, and never throws', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 40 }), (typed) => {
        const checked = checkUsername(typed);
        if (checked.ok) expect(checkUsername(checked.value.name)).toEqual(checked);
      }),
      { numRuns: 1_000 },
    );
  });
});
