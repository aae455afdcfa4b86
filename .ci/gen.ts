// Writes every generated file from its only source; `--check` writes them to a temporary folder instead and fails on drift.
// Steps are independent; a step names the files it owns, so that nothing generated is ever edited by hand unnoticed.
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { generateCodes } from './gen/codes.ts';
import { generateDatabaseTypes } from './gen/database.ts';
import { generateDocs } from './gen/docs.ts';
import { generateWire } from './gen/wire.ts';
import { refused } from './no-options.ts';

/** Path in the repository → content. */
type Files = Map<string, string>;

const ROOT = join(import.meta.dirname, '..');

async function generate(scratch: string): Promise<Files> {
  const parts = await Promise.all([
    generateWire(ROOT, scratch),
    generateCodes(ROOT),
    generateDatabaseTypes(ROOT, scratch),
    generateDocs(ROOT),
  ]);
  return new Map(parts.flatMap((part) => [...part]));
}

async function writeAll(files: Files): Promise<void> {
  for (const [path, content] of files) {
    const target = join(ROOT, path);
    await mkdir(dirname(target), { recursive: true });
    await writeFile(target, content);
    process.stdout.write(`wrote ${path}\n`);
  }
}

async function drifted(files: Files): Promise<string[]> {
  const paths: string[] = [];
  for (const [path, content] of files) {
    const present = await readFile(join(ROOT, path), 'utf8').catch(() => null);
    if (present !== content) paths.push(path);
  }
  return paths;
}

if (refused('npm run gen', 'Writes every generated file.', { '--check': 'fails if one is not as it would be written, and writes none' }))
  process.exit();
const scratch = await mkdtemp(join(tmpdir(), 'reedbed-gen-'));
try {
  const files = await generate(scratch);
  if (process.argv.includes('--check')) {
    const paths = await drifted(files);
    for (const path of paths) process.stdout.write(`${path} is not what its source generates: run npm run gen\n`);
    process.exitCode = paths.length === 0 ? 0 : 1;
  } else await writeAll(files);
} finally {
  await rm(scratch, { recursive: true, force: true });
}
