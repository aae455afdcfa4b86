// The words of a refusal are another server's, and are shown to our operators.
import { expect, test } from 'vitest';
import { decodeAnswer, encodeAnswer } from '../../src/wire/federation.ts';

const refused = (detail: string) => {
  const answer = encodeAnswer({ epoch: '', body: new Uint8Array(0), refusal: { code: 'CONFLICT', detail, retryAfterMs: 0 } });
  const read = decodeAnswer(answer);
  return read.ok ? read.value.refusal?.detail : read.reason;
};

test('the words of a refusal come as they were said', () => {
  expect(refused('the invitation was used')).toBe('the invitation was used');
});

test.each(['\u001b[2Jgone', 'a\r\nb', 'a\u202eb', 'é', 'x'.repeat(5_000)])(
  'but %j says nothing to a terminal, and is no longer than a line',
  (detail) => {
    expect(refused(detail)).toMatch(/^[\x20-\x7e]{1,200}$/);
  },
);
