// JSON as signed and encrypted records are read: what JSON.parse would quietly repair or choose is refused here.
// No repeated key, no number but a safe integer, no bad UTF-8 or lone surrogate, bounded depth and size. Results, never throws.
import { fail, ok, type Result } from '../base/result.ts';

export type JsonReason = 'too-large' | 'not-utf8' | 'too-deep' | 'duplicate-key' | 'wrong-number' | 'not-json';
export type JsonLimits = { readonly depth: number; readonly bytes: number };

const NUMBER = /-?\d[\d.eE+-]*/y;
const INTEGER = /^(?:0|-?[1-9]\d*)$/;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;

function decoded(input: Uint8Array | string, mostBytes: number): Result<string, JsonReason> {
  if (input.length > mostBytes) return fail('too-large');
  if (typeof input === 'string') return input.isWellFormed() ? ok(input) : fail('not-utf8');
  try {
    return ok(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(input));
  } catch {
    return fail('not-utf8');
  }
}

/** The index after the string that begins at `start`; -1 if it has no end. */
function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === BACKSLASH) at++;
    else if (code === QUOTE) return at + 1;
  }
  return -1;
}

/** The value of a string token; null if it is none or holds half a surrogate pair. */
function stringOf(token: string): string | null {
  try {
    const value: unknown = JSON.parse(token);
    return typeof value === 'string' && value.isWellFormed() ? value : null;
  } catch {
    return null;
  }
}

class Scanner {
  readonly #text: string;
  readonly #depth: number;
  /** The keys seen in each open object; null for an open array. */
  readonly #open: (Set<string> | null)[] = [];

  constructor(text: string, depth: number) {
    this.#text = text;
    this.#depth = depth;
  }

  /** What the grammar alone would let through; the grammar itself is left to JSON.parse. */
  problem(): JsonReason | null {
    const text = this.#text;
    for (let at = 0; at < text.length; ) {
      const sign = text[at] as string;
      if (sign === '"') {
        const end = endOfString(text, at);
        const problem = end < 0 ? 'not-json' : this.#stringProblem(at, end);
        if (problem !== null) return problem;
        at = end;
      } else if (sign === '-' || (sign >= '0' && sign <= '9')) {
        NUMBER.lastIndex = at;
        const token = NUMBER.exec(text)?.[0] ?? '';
        if (!INTEGER.test(token) || !Number.isSafeInteger(Number(token))) return 'wrong-number';
        at += token.length;
      } else {
        if (sign === '{' || sign === '[') this.#open.push(sign === '{' ? new Set() : null);
        else if (sign === '}' || sign === ']') this.#open.pop();
        if (this.#open.length > this.#depth) return 'too-deep';
        at++;
      }
    }
    return null;
  }

  #stringProblem(start: number, end: number): JsonReason | null {
    const value = stringOf(this.#text.slice(start, end));
    if (value === null) return 'not-json';
    let next = end;
    while (' \t\n\r'.includes(this.#text[next] ?? '"')) next++;
    if (this.#text[next] !== ':') return null;
    const keys = this.#open.at(-1);
    if (keys?.has(value)) return 'duplicate-key';
    keys?.add(value);
    return null;
  }
}

/**
 * Reads JSON that must mean one thing only.
 * @param limits levels of nesting, and bytes (of a string: UTF-16 units)
 */
export function parseStrictJson(input: Uint8Array | string, limits: JsonLimits): Result<unknown, JsonReason> {
  const text = decoded(input, limits.bytes);
  if (!text.ok) return text;
  const problem = new Scanner(text.value, limits.depth).problem();
  if (problem !== null) return fail(problem);
  try {
    return ok(JSON.parse(text.value) as unknown);
  } catch {
    return fail('not-json');
  }
}
