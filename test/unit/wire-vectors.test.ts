// The frozen vectors hold in this runtime; and the check that says so can tell when one does not. Chromium runs the same check.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { FRAME_TYPES } from '../../src/wire/frames.ts';
import { STATEMENT_TYPES } from '../../src/wire/statements.ts';
import { checkVectors, VECTOR_FILES, type Vectors } from '../support/vectors.ts';

const read = (name: string): unknown => JSON.parse(readFileSync(join(import.meta.dirname, `../../specs/vectors/${name}.json`), 'utf8'));

let vectors: Vectors;
beforeAll(() => {
  vectors = Object.fromEntries(VECTOR_FILES.map((name) => [name, read(name)])) as Vectors;
});

/** The first two of every list: enough to see that a change is noticed. */
const few = (all: Vectors): Vectors =>
  Object.fromEntries(
    Object.entries(all).map(([name, file]) => [
      name,
      Object.fromEntries(Object.entries(file).map(([list, items]) => [list, Array.isArray(items) ? items.slice(0, 2) : items])),
    ]),
  ) as Vectors;

/** One change in every list. */
function* spoilt(): Generator<[string, (copy: Vectors) => void]> {
  yield ['an id', (copy) => Object.assign(copy.ids.derived[0] as object, { server: 'aaaaaaaaaaaaaaaa' })];
  yield ['an id that is none', (copy) => Object.assign(copy.ids.valid, { user: ['x'] })];
  yield ['a bad id that is good', (copy) => Object.assign(copy.ids.invalid, { user: copy.ids.valid.user })];
  yield ['a uuid', (copy) => Object.assign(copy.ids.uuids[0] as object, { ms: 1 })];
  yield ['canonical text', (copy) => Object.assign(copy.canonical.accepted[1] as object, { text: '{}' })];
  yield ['a hash', (copy) => Object.assign(copy.canonical.accepted[1] as object, { hash: 'x' })];
  yield ['a reason', (copy) => Object.assign(copy.canonical.refusedJson[0] as object, { reason: 'too-deep' })];
  yield ['a statement', (copy) => Object.assign(copy.statements.accepted[0]?.statement as object, { more: 1 })];
  yield ['a field named', (copy) => Object.assign(copy.statements.refused[0] as object, { field: 'x' })];
  yield ['a signature', (copy) => Object.assign(copy.certificates.accepted[0]?.certificate as object, { signatures: [] })];
  yield ['a seq', (copy) => Object.assign(copy.certificates.accepted[0] as object, { seq: 99 })];
  yield ['a certificate refused for another reason', (copy) => Object.assign(copy.certificates.refused[0] as object, { reason: 'x' })];
  yield ['a chain', (copy) => Object.assign(copy.certificates.chains[0] as object, { keys: [] })];
  yield ['a document', (copy) => Object.assign(copy.certificates.documents[0] as object, { server: 'aaaaaaaaaaaaaaaa' })];
  yield ['a welcome', (copy) => Object.assign(copy.certificates.welcomes[1] as object, { holds: true })];
  yield ['a fingerprint', (copy) => Object.assign(copy.openpgp.keys[0] as object, { fingerprint: 'x' })];
  yield ['a normal form', (copy) => Object.assign(copy.openpgp.signatures[1] as object, { normal: 'x' })];
  yield ['signed bytes', (copy) => Object.assign(copy.openpgp.signatures[0] as object, { bytes: '00' })];
  yield ['a backup', (copy) => Object.assign(copy.openpgp.backups[0] as object, { passphrase: 'x' })];
  yield ['an opened copy', (copy) => Object.assign(copy.copies.copies[0] as object, { opened: {} })];
  yield ['a body', (copy) => Object.assign(copy.copies.bodies[1]?.body as object, { text: 'x' })];
  yield ['claims', (copy) => Object.assign(copy.copies.claims[1] as object, { tags: [] })];
  yield ['a size', (copy) => Object.assign(copy.copies.padme, [[9, 9]])];
  yield ['a name', (copy) => Object.assign(copy.copies.usernames[0] as object, { forms: {} })];
  yield ['a frame', (copy) => Object.assign(copy.frames.accepted[0]?.frame as object, { id: 'x' })];
  yield ['bytes of a frame', (copy) => Object.assign(copy.frames.accepted[0] as object, { hex: '2a00' })];
}

describe('the frozen vectors', () => {
  it('hold', async () => {
    expect(await checkVectors(vectors)).toEqual([]);
  });

  it('cover every type of statement and frame, accepted', () => {
    const types = vectors.statements.accepted.map(({ statement }) => (statement as { type: string }).type);
    expect(types).toEqual([...STATEMENT_TYPES]);
    expect(new Set(vectors.frames.accepted.map(({ frame }) => (frame as { type: string }).type))).toEqual(new Set(FRAME_TYPES));
    expect(new Set(vectors.certificates.refused.map(({ reason }) => reason)).size).toBeGreaterThanOrEqual(11);
  });

  it('are noticed when they do not hold', async () => {
    for (const [what, spoil] of spoilt()) {
      const copy = structuredClone(few(vectors));
      const before = JSON.stringify(copy);
      spoil(copy);
      const touched = VECTOR_FILES.filter((name) => JSON.stringify(copy[name]) !== JSON.stringify((JSON.parse(before) as Vectors)[name]));
      expect([what, touched.length, (await checkVectors(copy, touched)).length > 0]).toEqual([what, 1, true]);
    }
  });
});
