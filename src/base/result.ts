// Results instead of throws, for everything that judges input from outside.
// A failure's reason is one word of a closed set; its detail may name the field, never its content.

/** A value, or why there is none. */
export type Result<T, Reason extends string = string> = { readonly ok: true; readonly value: T } | Failure<Reason>;

export type Failure<Reason extends string = string> = { readonly ok: false; readonly reason: Reason; readonly detail: string };

export const ok = <T>(value: T): { readonly ok: true; readonly value: T } => ({ ok: true, value });

export const fail = <Reason extends string>(reason: Reason, detail = ''): Failure<Reason> => ({ ok: false, reason, detail });
