// The envelope of answers between servers, beside the frames of the socket: both read by code that is generated apart.
import { describe, expect, test } from 'vitest';
import { DEFAULT_LIMITS } from '../../src/base/limits.ts';
import { decodeFrame, encodeFrame } from '../../src/wire/codec.ts';
import { type AnswerEnvelope, decodeAnswer, encodeAnswer } from '../../src/wire/federation.ts';
import { reedbed as federation } from '../../src/wire/gen/federation.js';

const UNKNOWN_CODE: number = 9_999;
const refusal = { code: 'BLOCKED', detail: 'no', retryAfterMs: 70, certificate: { statement: { app: 'reedbed' } } } as const;

describe('an answer', () => {
  test.each<[string, AnswerEnvelope]>([
    ['of a leg', { epoch: 'e', body: Buffer.from([1, 2]) }],
    ['without anything', { epoch: '', body: Buffer.alloc(0) }],
    ['that refuses', { epoch: 'e', body: Buffer.alloc(0), refusal }],
    ['that refuses and says little', { epoch: 'e', body: Buffer.alloc(0), refusal: { code: 'NOT_FOUND', detail: '', retryAfterMs: 0 } }],
  ])('%s comes back as it was', (_name, envelope) => {
    expect(decodeAnswer(encodeAnswer(envelope))).toEqual({ ok: true, value: envelope });
  });

  test('with a code that this version does not know is a refusal all the same', () => {
    const bytes = federation.v1.FederationAnswer.encode({ code: UNKNOWN_CODE, detail: 'new' }).finish();
    expect(decodeAnswer(bytes)).toMatchObject({ ok: true, value: { refusal: { code: 'UNSPECIFIED', detail: 'new' } } });
  });

  test.each<[string, Uint8Array]>([
    ['no protobuf', Uint8Array.of(255, 255)],
    ['cut off', encodeAnswer({ epoch: 'epoch', body: Buffer.alloc(9) }).subarray(0, 9)],
    ['not UTF-8', Uint8Array.of(0x0a, 1, 0xff)],
    ['with a certificate that is no JSON', federation.v1.FederationAnswer.encode({ code: 4, certificate: Buffer.from('{') }).finish()],
    ['with a certificate that is no object', federation.v1.FederationAnswer.encode({ code: 4, certificate: Buffer.from('7') }).finish()],
  ])('that is %s is malformed', (_name, bytes) => {
    expect(decodeAnswer(bytes)).toMatchObject({ ok: false, reason: 'malformed' });
  });
});

test('frames and answers are read in one process, whichever code was loaded last', () => {
  const frame = { id: 'x', type: 'ping', body: {} } as const;
  expect(decodeFrame(encodeFrame(frame), DEFAULT_LIMITS)).toMatchObject({ ok: true, value: frame });
  expect(decodeAnswer(encodeAnswer({ epoch: 'e', body: Buffer.alloc(0) })).ok).toBe(true);
});
