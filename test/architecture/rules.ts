// The house rules on code as functions from a file to what breaks them, so that each is tested on bad code too.
import ts from 'typescript';
import { placeOf, type Source, visit } from './sources.ts';

export const LIMITS = { functionLines: 60, fileLines: 400, parameters: 4, headerLines: 4 };

const linesOf = (source: Source, node: ts.Node): number => {
  const first = source.tree.getLineAndCharacterOfPosition(node.getStart(source.tree)).line;
  return source.tree.getLineAndCharacterOfPosition(node.getEnd()).line - first + 1;
};

/** A suite's callback groups tests; its length says nothing. */
const isSuite = (node: ts.Node): boolean =>
  ts.isCallExpression(node.parent) && /^(describe|suite|inTest|atLength)\b/.test(node.parent.expression.getText());

const isFunction = (node: ts.Node): node is ts.FunctionLikeDeclaration =>
  ts.isFunctionLike(node) && 'body' in node && node.body !== undefined;

export function longFunctions(source: Source): string[] {
  const found: string[] = [];
  visit(source, (node) => {
    if (!isFunction(node) || isSuite(node)) return;
    const lines = linesOf(source, node);
    if (lines > LIMITS.functionLines) found.push(`${placeOf(source, node)} has ${lines} lines`);
  });
  return found;
}

export function manyParameters(source: Source): string[] {
  const found: string[] = [];
  visit(source, (node) => {
    if (!ts.isFunctionLike(node)) return;
    const count = node.parameters.filter((parameter) => parameter.name.getText(source.tree) !== 'this').length;
    if (count > LIMITS.parameters) found.push(`${placeOf(source, node)} has ${count} parameters`);
  });
  return found;
}

export function longFile(source: Source): string[] {
  const lines = source.text.trimEnd().split('\n').length;
  return lines > LIMITS.fileLines ? [`${source.path} has ${lines} lines`] : [];
}

export function defaultExports(source: Source): string[] {
  const found: string[] = [];
  visit(source, (node) => {
    const isDefault =
      (ts.isExportAssignment(node) && node.isExportEquals !== true) ||
      (ts.canHaveModifiers(node) && ts.getModifiers(node)?.some((modifier) => modifier.kind === ts.SyntaxKind.DefaultKeyword) === true);
    if (isDefault) found.push(placeOf(source, node));
  });
  return found;
}

/** Files without a comment at their top, or with a longer one than `headerLines`. */
export function missingHeader(path: string, text: string): string[] {
  const lines = text.replace(/^#!.*\n/, '').split('\n');
  const marker = path.endsWith('.sql') ? '--' : '//';
  if (path.endsWith('.svelte') && text.startsWith('<!--')) {
    const length = text.slice(0, text.indexOf('-->')).split('\n').length;
    return length > LIMITS.headerLines + 2 ? [`${path} opens with ${length} lines of comment`] : [];
  }
  const from = path.endsWith('.svelte') ? lines.findIndex((line) => line.startsWith('<script')) + 1 : 0;
  const rest = lines.slice(from).map((line) => line.trim());
  const length = rest.findIndex((line) => !line.startsWith(marker));
  const said = length === -1 ? rest.length : length;
  return said >= 1 && said <= LIMITS.headerLines ? [] : [`${path} opens with ${said} lines of comment`];
}

export const badName = (path: string): string[] =>
  path.split('/').every((part) => /^\.?[a-z0-9]+(-[a-z0-9]+)*(\.[a-z0-9]+)*$/.test(part)) ? [] : [path];

const UNIT_MISSING = /(^t|T)imeout$|(^i|I)nterval$|(^t|T)tl$|(^d|D)uration$|(^d|D)elay$|[a-z]Size$/;

/** Names that Node gives to its own fields. */
const FOREIGN_NAMES = new Set(['writeQueueSize']);

const declaresValue = (
  node: ts.Node,
): node is ts.VariableDeclaration | ts.ParameterDeclaration | ts.PropertyDeclaration | ts.PropertySignature =>
  ts.isVariableDeclaration(node) || ts.isParameter(node) || ts.isPropertyDeclaration(node) || ts.isPropertySignature(node);

/** Durations end in Ms and sizes in Bytes (or say what they count). */
export function unitlessNames(source: Source): string[] {
  const found: string[] = [];
  visit(source, (node) => {
    if (!declaresValue(node) || !ts.isIdentifier(node.name) || !UNIT_MISSING.test(node.name.text) || FOREIGN_NAMES.has(node.name.text))
      return;
    const value = 'initializer' in node ? node.initializer : undefined;
    const isCallable = (value !== undefined && ts.isFunctionLike(value)) || (node.type !== undefined && ts.isFunctionTypeNode(node.type));
    if (!isCallable) found.push(`${placeOf(source, node)} ${node.name.text}`);
  });
  return found;
}

const AMBIENT_CALLS =
  /^(globalThis\.)?(Date\.now|Math\.random|performance\.now|process\.hrtime(\.bigint)?|setTimeout|setInterval|(\w+\.)?randomUUID|(\w+\.)*getRandomValues)$/;

/** Time, randomness and timers taken from the process instead of being passed in (I10). */
export function ambientTime(source: Source): string[] {
  const found: string[] = [];
  visit(source, (node) => {
    const isCall = ts.isCallExpression(node) && AMBIENT_CALLS.test(node.expression.getText(source.tree));
    const isNow = ts.isNewExpression(node) && node.expression.getText(source.tree) === 'Date' && (node.arguments?.length ?? 0) === 0;
    const isImport = ts.isStringLiteral(node) && /^(node:)?timers(\/promises)?$/.test(node.text) && ts.isImportDeclaration(node.parent);
    if (isCall || isNow || isImport) found.push(`${placeOf(source, node)} ${node.getText(source.tree).slice(0, 40)}`);
  });
  return found;
}

/** A wait for time to pass: a timer whose only task is to resolve, or the promise version of one. */
export function sleeps(source: Source): string[] {
  const found: string[] = [];
  visit(source, (node) => {
    const isImport = ts.isImportDeclaration(node) && /timers\/promises['"]$/.test(node.moduleSpecifier.getText(source.tree));
    const isTimer = ts.isCallExpression(node) && node.expression.getText(source.tree) === 'setTimeout';
    const task = isTimer ? node.arguments[0] : undefined;
    const isWaitedFor =
      isTimer && ts.findAncestor(node, (outer) => ts.isNewExpression(outer) && outer.expression.getText(source.tree) === 'Promise');
    if (isImport || isWaitedFor || (task !== undefined && ts.isIdentifier(task))) found.push(placeOf(source, node));
  });
  return found;
}
