// How an error is shown wherever it is logged: by kind, code and place. Its text is left out, and so are the texts of its causes: a
// driver's or parser's message may quote what it choked on.

/** An error without its words: `name`, `code`, `sqlState`, `constraint` and `node` where it has them, `at` (places in code), `cause`. */
export type Described = { readonly [name: string]: unknown };

const MAX_CAUSES = 5;
const MAX_PLACES = 8;
/** Fields of our errors and of the system's that are codes, never texts. */
const CODES = ['code', 'sqlState', 'constraint', 'node'] as const;

/** Describes whatever was thrown. The log does this with every field named `err` or `error`; pass it the error itself. */
export const describe = (error: unknown, depth = 0): Described => {
  if (!(error instanceof Error)) return { name: typeof error };
  const known = error as Error & { readonly [Code in (typeof CODES)[number]]?: unknown };
  const places = (error.stack ?? '')
    .split('\n')
    .filter((line) => /^\s+at /.test(line))
    .map((line) => line.trim());
  return {
    name: error.name,
    ...Object.fromEntries(CODES.flatMap((code) => (typeof known[code] === 'string' ? [[code, known[code]]] : []))),
    at: places.slice(0, MAX_PLACES),
    ...(error.cause !== undefined && depth < MAX_CAUSES ? { cause: describe(error.cause, depth + 1) } : {}),
  };
};
