// The folders of src/ and the import table agree, and signing bytes come from one place.
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { expect, test } from 'vitest';
import { BROWSER_MODULES, importTable } from '../../.ci/layers.ts';
import { parse, placeOf, ROOT, type Source, sourcesIn, visit } from './sources.ts';

const table = importTable();

function usesOfNode(source: Source): string[] {
  const found: string[] = [];
  visit(source, (node) => {
    const isGlobal = ts.isPropertyAccessExpression(node) && ['process', 'Buffer'].includes(node.expression.getText(source.tree));
    const isImport = ts.isImportDeclaration(node) && /^['"](node:|ws['"])/.test(node.moduleSpecifier.getText(source.tree));
    if (isGlobal || isImport) found.push(placeOf(source, node));
  });
  return found;
}

test('every folder of src has its place in the import table', () => {
  const folders = readdirSync(join(ROOT, 'src'), { withFileTypes: true }).filter((entry) => entry.isDirectory());
  expect(folders.map((entry) => entry.name).filter((name) => !table.has(name))).toEqual([]);
  const files = readdirSync(join(ROOT, 'src'), { withFileTypes: true }).filter((entry) => entry.isFile());
  expect(files.map((entry) => entry.name).filter((name) => !['app.ts', 'main.ts'].includes(name))).toEqual([]);
});

test('the import table has no way up and no way between siblings', () => {
  const order = [...table.keys()];
  for (const [module, allowed] of table) {
    for (const lower of allowed) expect(order.indexOf(lower), `${module} → ${lower}`).toBeLessThan(order.indexOf(module));
  }
  for (const [one, other] of [
    ['gateway', 'http'],
    ['federation', 'gateway'],
    ['http', 'federation'],
    ['config', 'telemetry'],
  ] as const) {
    expect(table.get(one)).not.toContain(other);
    expect(table.get(other)).not.toContain(one);
  }
});

test('browser-safe modules use nothing of Node', () => {
  const folders = BROWSER_MODULES.map((module) => `src/${module}`).filter((folder) => existsSync(join(ROOT, folder)));
  const bad = parse('src/wire/bad.ts', "import fs from 'node:fs'; process.exit(); Buffer.from(''); // the process. Buffer.");
  expect(usesOfNode(bad)).toHaveLength(3);
  expect(sourcesIn(...folders).flatMap(usesOfNode)).toEqual([]);
});

test('whoever signs or verifies takes the bytes from wire/canonical.ts', () => {
  const signers = sourcesIn('src').filter(
    ({ path, text }) => path !== 'src/crypto/openpgp.ts' && /\b(signDetached|verifyDetached)\(/.test(text),
  );
  const strangers = signers.filter(({ text }) => !/from '(\.\.\/)+wire\/canonical\.ts'|from '\.\/canonical\.ts'/.test(text));
  expect(strangers.map(({ path }) => path)).toEqual([]);
});

test('the composition root exports no type of its own but the application', () => {
  const root = sourcesIn('src').find(({ path }) => path === 'src/app.ts');
  const exported = [...(root?.text.matchAll(/^export (?:type|interface) (\w+)/gm) ?? [])].map((match) => match[1]);
  expect(exported.filter((name) => !['App', 'Overrides', 'AppOverrides'].includes(name ?? ''))).toEqual([]);
});
