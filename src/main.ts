#!/usr/bin/env node
// Entry of the command line. An older Node has to get as far as being told so: it loads nothing that it could not read. Compiled code is kept
// between starts, which halves the time to load it; where that can't be written, nothing is kept.
import * as nodeModule from 'node:module';
import { join } from 'node:path';
import type { LoadApp } from './ops/serve.ts';

const OLDEST_NODE = 24;
const WRONG_NODE = 1;

if (Number(process.versions.node.split('.')[0]) < OLDEST_NODE) {
  process.stderr.write(
    `reedbed: This is Node ${process.versions.node}; Reedbed needs ${OLDEST_NODE} or newer. In a checkout, npm run reedbed -- <command> brings its own.\n`,
  );
  process.exit(WRONG_NODE);
}

nodeModule.enableCompileCache(join(import.meta.dirname, '../node_modules/.cache/reedbed'));

// A reader that goes away (`| head`) is no fault.
process.stdout.on('error', () => undefined);

const loadApp: LoadApp = async () => (await import('./app.ts')).createApp;
const { runCommandLine } = await import('./ops/cli.ts');

process.exit(await runCommandLine(process.argv.slice(2), loadApp));
