// Where a server is to listen is tried before anything is made for it.
import { tmpdir } from 'node:os';
import { expect, test } from 'vitest';
import { assertPortFree } from '../../src/ops/port-check.ts';

// 192.0.2.0/24 is for documentation: nobody's.
test.each([0, 8_431])('an address that is none of this machine is found out, with port %s', async (port) => {
  await expect(assertPortFree({ port, host: '192.0.2.1', data: tmpdir() })).rejects.toMatchObject({ code: 'EADDRNOTAVAIL' });
});
