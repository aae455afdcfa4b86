// The house rules on every hand-written file: sizes, names, headers, time passed in, nothing that sleeps.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import * as rules from './rules.ts';
import { filesUnder, parse, ROOT, sourcesIn } from './sources.ts';

const EVERYWHERE = ['src', 'web', 'test', '.ci'];

/** Where the process's own clock, timers and randomness may be used. */
const AMBIENT_ALLOWED = [/^src\/base\//, /^src\/ops\//, /^src\/(app|main)\.ts$/];

const bad = (text: string) => parse('src/x/bad.ts', text);
const lines = (count: number): string => '\n'.repeat(count);

describe('every file', () => {
  test('keeps functions to 60 lines', () => {
    expect(rules.longFunctions(bad(`const f = () => {${lines(60)}};`))).toHaveLength(1);
    expect(rules.longFunctions(bad(`class A { m() {${lines(59)}} }`))).toEqual([]);
    expect(sourcesIn(...EVERYWHERE).flatMap(rules.longFunctions)).toEqual([]);
  });

  test('keeps to 400 lines', () => {
    expect(rules.longFile(bad(`a${lines(400)}b`))).toHaveLength(1);
    expect(sourcesIn(...EVERYWHERE).flatMap(rules.longFile)).toEqual([]);
  });

  test('takes at most four parameters anywhere', () => {
    expect(rules.manyParameters(bad('type F = (a: 1, b: 2, c: 3, d: 4, e: 5) => void;'))).toHaveLength(1);
    expect(sourcesIn(...EVERYWHERE).flatMap(rules.manyParameters)).toEqual([]);
  });

  test('exports by name', () => {
    expect(rules.defaultExports(bad('export default 1;'))).toHaveLength(1);
    expect(rules.defaultExports(bad('export default function f() {}'))).toHaveLength(1);
    const named = sourcesIn('src', 'web', 'test').filter((source) => !source.path.endsWith('.config.ts'));
    expect(named.flatMap(rules.defaultExports)).toEqual([]);
  });

  test('opens with what it owns', () => {
    expect(rules.missingHeader('a.ts', 'const a = 1;\n')).toHaveLength(1);
    expect(rules.missingHeader('a.ts', '// one\n// two\n// three\n// four\n// five\n')).toHaveLength(1);
    expect(rules.missingHeader('a.svelte', '<script lang="ts">\n  // what it is\n</script>')).toEqual([]);
    const code = sourcesIn(...EVERYWHERE).flatMap((source) => rules.missingHeader(source.path, source.text));
    const other = [...filesUnder('migrations', /\.sql$/), ...filesUnder('proto', /\.proto$/)];
    const rest = other.flatMap((path) => rules.missingHeader(path, readFileSync(join(ROOT, path), 'utf8')));
    expect([...code, ...rest]).toEqual([]);
  });

  test('has a kebab-case name', () => {
    expect(rules.badName('src/base/BackOff.ts')).toHaveLength(1);
    expect(rules.badName('src/base/back_off.ts')).toHaveLength(1);
    const paths = [...EVERYWHERE, 'migrations'].flatMap((folder) => filesUnder(folder, /\.(ts|svelte|css)$/));
    expect(paths.flatMap(rules.badName)).toEqual([]);
  });

  test('names durations and sizes with their unit', () => {
    expect(rules.unitlessNames(bad('const pingInterval = 5; type A = { frameSize: number }; function f(delay: number) {}'))).toHaveLength(
      3,
    );
    expect(rules.unitlessNames(bad('const padmeSize = (n: number) => n; const pingIntervalMs = 5;'))).toEqual([]);
    expect(sourcesIn(...EVERYWHERE).flatMap(rules.unitlessNames)).toEqual([]);
  });
});

describe('time and randomness', () => {
  test('are passed in outside the composition roots', () => {
    const taken = bad('Date.now(); new Date(); Math.random(); setTimeout(f, 1); crypto.randomUUID(); performance.now();');
    expect(rules.ambientTime(taken)).toHaveLength(6);
    expect(rules.ambientTime(bad('new Date(now); clock.now(); clock.after(1, f);'))).toEqual([]);
    const governed = sourcesIn('src').filter((source) => !AMBIENT_ALLOWED.some((pattern) => pattern.test(source.path)));
    expect(governed.flatMap(rules.ambientTime)).toEqual([]);
  });

  test('never make a test sleep', () => {
    expect(rules.sleeps(bad('await new Promise((resolve) => setTimeout(resolve, 10));'))).toHaveLength(1);
    expect(sourcesIn('test').flatMap(rules.sleeps)).toEqual([]);
  });
});
