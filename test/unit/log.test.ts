// The log: one line of JSON each, and nothing in it that names, opens or was written by a member.
import { expect, it } from 'vitest';
import { AppError } from '../../src/base/errors.ts';
import { DatabaseFailure } from '../../src/db/errors.ts';
import { createLog } from '../../src/telemetry/log.ts';

const logged = (write: (log: ReturnType<typeof createLog>) => void): { text: string; records: Record<string, unknown>[] } => {
  let text = '';
  const stream = {
    write: (line: string): void => {
      text += line;
    },
  };
  write(createLog('debug', stream));
  return {
    text,
    records: text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>),
  };
};

it('writes one line of JSON with time, level and message', () => {
  const { records } = logged((log) => log.info({ batches: 3 }, 'settled'));
  expect(records).toEqual([{ level: 'info', time: expect.stringMatching(/^\d{4}-.*Z$/), batches: 3, msg: 'settled' }]);
});

it('removes what names a member, opens something or was written by one', () => {
  const secret = 'whispered';
  const { text } = logged((log) => {
    log.info({ token: secret, passphrase: secret, userId: secret, ip: secret, ciphertext: secret, frame: secret }, 'top');
    log.info({ request: { authorization: secret, body: secret, username: secret } }, 'one down');
  });
  expect(text).not.toContain(secret);
  expect(text).toContain('(redacted)');
});

it('shows an error by name, code and place, and none of its words or its causes', () => {
  const cause = Object.assign(new Error('Key (id)=(whispered) exists'), { code: '23505', constraint: 'users_pkey', detail: 'whispered' });
  const error = new AppError('INTERNAL', 'whispered', { cause });
  const { text, records } = logged((log) => {
    log.error({ err: error }, 'failed');
    log.error(error);
  });
  expect(text).not.toContain('whispered');
  expect(records[0]?.['err']).toMatchObject({ name: 'AppError', code: 'INTERNAL', cause: { code: '23505', constraint: 'users_pkey' } });
  expect(records[1]).toMatchObject({ msg: 'failed', err: { code: 'INTERNAL' } });
});

it('shows what failed in the database by SQLSTATE and constraint, under whichever name the error is logged', () => {
  const error = new AppError('INTERNAL', 'whispered', { cause: new DatabaseFailure('23505', 'users_pkey', null) });
  const { records } = logged((log) => {
    log.error({ err: error }, 'a step failed');
    log.warn({ error: 'whispered' }, 'not an error');
  });
  expect(records[0]?.['err']).toMatchObject({ cause: { name: 'DatabaseFailure', sqlState: '23505', constraint: 'users_pkey' } });
  expect(JSON.stringify(records)).not.toContain('whispered');
});

it('keeps a line of input one line', () => {
  const { records } = logged((log) => log.info({ name: 'a\n{"level":"fatal"}' }, 'b\nc'));
  expect(records).toHaveLength(1);
});
