// Finds out that the port is taken, or the address none of this machine, before anything is made for a server that could not open it.
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import type { Config } from '../config/config.ts';
import { lockFolder } from '../db/folder-lock.ts';

/** @throws SetupError if it is a server on the same data folder that has the port, else the error of listening */
export const assertPortFree = async (config: Pick<Config, 'port' | 'host' | 'data'>): Promise<void> => {
  const server = createServer();
  try {
    server.listen({ port: config.port, host: config.host });
    await once(server, 'listening');
  } catch (error) {
    // Started twice: another port would only lead to the next refusal.
    if (existsSync(join(config.data, 'lock'))) (await lockFolder(config.data)).release();
    throw error;
  }
  server.close();
  await once(server, 'close');
};
