// Names that people choose. One rule for sign-up form, statement and database: NFKC, 2 to 30 code points, one script plus Common,
// nothing invisible; unique by case fold and by a skeleton of look-alikes. The skeleton knows the look-alikes listed here, not all of Unicode's.
import { fail, ok, type Result } from '../base/result.ts';

export type UsernameReason = 'length' | 'sign' | 'invisible' | 'scripts' | 'edge';
export type Username = {
  /** As shown: NFKC, spelled as its owner spelled it. */
  readonly name: string;
  /** Equal for names that differ in case only. */
  readonly folded: string;
  /** Equal for names that look alike as they are spelled: capitals of another script too, whose small forms look like other letters. */
  readonly skeleton: string;
};

const LEAST = 2;
const MOST = 30;

// Letters, marks, digits, and the few joints people use; spaces, symbols, emoji and punctuation are no part of a name.
const SIGN = /^[\p{L}\p{M}\p{Nd}._-]$/u;
const INVISIBLE = /[\p{Default_Ignorable_Code_Point}\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}]/u;
const SHARED = /[\p{Script=Common}\p{Script=Inherited}]/u;
const JOINT_AT_EDGE = /^[._-]|[._-]$|[._-]{2}/;
const STACKED_MARKS = /\p{M}{4}/u;

// Han, kana, bopomofo and hangul stand together in ordinary Japanese, Chinese and Korean names: each set counts as one script.
const SCRIPTS: readonly RegExp[] = [
  'Latin',
  'Cyrillic',
  'Greek',
  'Armenian',
  'Georgian',
  'Hebrew',
  'Arabic',
  'Devanagari',
  'Bengali',
  'Gurmukhi',
  'Gujarati',
  'Oriya',
  'Tamil',
  'Telugu',
  'Kannada',
  'Malayalam',
  'Sinhala',
  'Thai',
  'Lao',
  'Myanmar',
  'Khmer',
  'Tibetan',
  'Ethiopic',
  'Han,Hiragana,Katakana',
  'Han,Bopomofo',
  'Han,Hangul',
].map(
  (names) =>
    new RegExp(
      `^[\\p{Script=Common}\\p{Script=Inherited}${names
        .split(',')
        .map((name) => `\\p{Script=${name}}`)
        .join('')}]+$`,
      'u',
    ),
);

// Lower-case Cyrillic, Greek, Armenian and extended Latin letters, and digits, by the Latin letter they are taken for.
const LOOK_ALIKES: Readonly<Record<string, string>> = {
  a: 'аαɑ',
  b: 'ьЬ',
  c: 'сϲᴄ',
  d: 'ԁɗ',
  e: 'еҽє',
  f: 'ƒք',
  g: 'ɡցԍ',
  h: 'һհн',
  i: 'іıιɩ',
  j: 'јϳ',
  k: 'кκĸ',
  l: '1|ӏӀǀι',
  m: 'мʍ',
  n: 'ոпη',
  o: '0оοօσᴏ',
  p: 'рρ',
  q: 'ԛգ',
  r: 'гᴦɼ',
  s: 'ѕʂ',
  t: 'тτ',
  u: 'υսцʋ',
  v: 'ѵνᴠ',
  w: 'ԝωɯшա',
  x: 'хχ',
  y: 'уγүყ',
  z: 'ʐᴢ',
};
// Capitals look like other letters than their small forms do (Ν like N, ν like v), so they are replaced before the case is folded:
// by the Latin capital, or digit, or else, for those that only Greek and Cyrillic share, by the Cyrillic one.
const CAPITALS: Readonly<Record<string, string>> = {
  A: 'ΑА',
  B: 'ΒВ',
  C: 'СϹ',
  D: 'Ԁ',
  E: 'ΕЕ',
  F: 'Ϝ',
  G: 'Ԍ',
  H: 'ΗН',
  I: 'ΙІӀ',
  J: 'ЈͿ',
  K: 'ΚК',
  L: 'Լ',
  M: 'ΜМϺ',
  N: 'Ν',
  O: 'ΟОՕ',
  P: 'ΡР',
  Q: 'Ԛ',
  S: 'ЅՏ',
  T: 'ΤТ',
  U: 'Ս',
  V: 'Ѵ',
  W: 'Ԝ',
  X: 'ΧХ',
  Y: 'ΥУҮ',
  Z: 'Ζ',
  3: 'ЗӠƷ',
  Г: 'Γ',
  Л: 'Λ',
  П: 'Π',
  Ф: 'Φ',
};
type Table = ReadonlyMap<string, string>;
const bySign = (table: Readonly<Record<string, string>>): Table =>
  new Map(Object.entries(table).flatMap(([taken, signs]) => Array.from(signs, (sign) => [sign, taken] as const)));
const BY_SIGN = bySign(LOOK_ALIKES);
const BY_CAPITAL = bySign(CAPITALS);
const replaced = (text: string, table: Table): string => Array.from(text, (sign) => table.get(sign) ?? sign).join('');
// Pairs that read as one letter, and letters that can't be told apart in common fonts.
const PAIRS: readonly (readonly [RegExp, string])[] = [
  [/rn/g, 'm'],
  [/vv/g, 'w'],
  [/cl/g, 'd'],
  [/i/g, 'l'],
];

/** Unicode case folding as far as JavaScript has it: upper case first, so that ß and final sigma meet their likes. */
const fold = (name: string): string => name.toUpperCase().toLowerCase().normalize('NFKC').replaceAll('ς', 'σ');

/** Without marks, joints and case, each look-alike as the Latin letter it is taken for in the case it is written in. */
function skeletonOf(name: string): string {
  const folded = fold(replaced(name.normalize('NFKD'), BY_CAPITAL));
  let skeleton = replaced(folded.normalize('NFKD').replace(/[\p{M}._-]/gu, ''), BY_SIGN);
  for (const [pair, letter] of PAIRS) skeleton = skeleton.replace(pair, letter);
  return skeleton;
}

/** Judges a name as typed and gives its forms. `name` of the result is what goes into the statement. */
export function checkUsername(typed: string): Result<Username, UsernameReason> {
  if (typed.length > MOST * 8) return fail('length');
  if (!typed.isWellFormed() || INVISIBLE.test(typed)) return fail('invisible');
  const name = typed.normalize('NFKC');
  if (INVISIBLE.test(name)) return fail('invisible');
  const signs = Array.from(name);
  if (signs.length < LEAST || signs.length > MOST) return fail('length');
  if (!signs.every((sign) => SIGN.test(sign)) || STACKED_MARKS.test(name)) return fail('sign');
  if (JOINT_AT_EDGE.test(name) || /^\p{M}/u.test(name)) return fail('edge');
  if (signs.every((sign) => SHARED.test(sign)) || !SCRIPTS.some((script) => script.test(name))) return fail('scripts');
  return ok({ name, folded: fold(name), skeleton: skeletonOf(name) });
}
