// Finds and parses the project's own sources for the rules of this folder; generated files are nobody's style.
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import ts from 'typescript';

export const ROOT = join(import.meta.dirname, '../..');

const GENERATED = [/^src\/wire\/gen\//, /^src\/base\/codes\.ts$/, /^src\/db\/types\.ts$/];
const SKIPPED_FOLDERS = new Set(['node_modules', 'dist', 'public']);

export type Source = {
  /** From the repository's root, with forward slashes. */
  readonly path: string;
  readonly text: string;
  /** Syntax of the file, or of a component's scripts with everything else blanked out: line numbers stay true. */
  readonly tree: ts.SourceFile;
};

export function filesUnder(folder: string, ending: RegExp): string[] {
  const found: string[] = [];
  for (const entry of readdirSync(join(ROOT, folder), { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory() && !SKIPPED_FOLDERS.has(entry.name) && !entry.name.startsWith('.dist')) found.push(...filesUnder(path, ending));
    else if (entry.isFile() && ending.test(entry.name)) found.push(relative(ROOT, join(ROOT, path)).split(sep).join('/'));
  }
  return found.sort();
}

/** What is in the scripts of a component, every other character a space. */
function scriptsOnly(text: string): string {
  const blank = (part: string): string => part.replace(/[^\n]/g, ' ');
  let kept = '';
  let end = 0;
  for (const match of text.matchAll(/(<script[^>]*>)([\s\S]*?)<\/script>/g)) {
    const start = match.index + (match[1] ?? '').length;
    kept += blank(text.slice(end, start)) + (match[2] ?? '');
    end = start + (match[2] ?? '').length;
  }
  return kept + blank(text.slice(end));
}

/** Parses a text as the file at `path` would be. */
export function parse(path: string, text: string): Source {
  const code = path.endsWith('.svelte') ? scriptsOnly(text) : text;
  return { path, text, tree: ts.createSourceFile(path, code, ts.ScriptTarget.ESNext, true, ts.ScriptKind.TS) };
}

const cache = new Map<string, Source[]>();

/** All hand-written TypeScript and Svelte files under the folders. */
export function sourcesIn(...folders: string[]): Source[] {
  return folders.flatMap((folder) => {
    const known = cache.get(folder);
    if (known !== undefined) return known;
    const paths = filesUnder(folder, /\.(ts|svelte)$/).filter((path) => !GENERATED.some((pattern) => pattern.test(path)));
    const sources = paths.map((path) => parse(path, readFileSync(join(ROOT, path), 'utf8')));
    cache.set(folder, sources);
    return sources;
  });
}

export const lineOf = (source: Source, node: ts.Node): number =>
  source.tree.getLineAndCharacterOfPosition(node.getStart(source.tree)).line + 1;

/** Where a node stands, as an editor opens it. */
export const placeOf = (source: Source, node: ts.Node): string => `${source.path}:${lineOf(source, node)}`;

/** Visits every node of a file. */
export function visit(source: Source, look: (node: ts.Node) => void): void {
  const walk = (node: ts.Node): void => {
    look(node);
    ts.forEachChild(node, walk);
  };
  walk(source.tree);
}
