// RFC 9530 `content-digest`, one algorithm in one spelling: `sha-256=:<base64>:`.
import { createHash, timingSafeEqual } from 'node:crypto';

const FIELD = /^sha-256=:([A-Za-z0-9+/]{43}=):$/;

const fieldOf = (hash: Buffer): string => `sha-256=:${hash.toString('base64')}:`;

/** The field's value for a body. */
export const contentDigest = (body: Uint8Array): string => fieldOf(createHash('sha256').update(body).digest());

/** Whether a field's value is one that this server reads. */
export function isContentDigest(value: string): boolean {
  const text = FIELD.exec(value)?.[1];
  return text !== undefined && Buffer.from(text, 'base64').toString('base64') === text;
}

/** Whether a body whose digest is `hash` is the one that the field names. */
export const matchesDigest = (hash: Buffer, field: string): boolean => {
  const [expected, given] = [Buffer.from(fieldOf(hash)), Buffer.from(field)];
  return expected.length === given.length && timingSafeEqual(expected, given);
};
