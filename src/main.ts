#!/usr/bin/env node
// Entry of the command line. Compiled code is kept between starts, which halves the time to load it; where that can't be written, nothing is kept.
import { enableCompileCache } from 'node:module';
import { join } from 'node:path';
import type { LoadApp } from './ops/serve.ts';

enableCompileCache(join(import.meta.dirname, '../node_modules/.cache/reedbed'));

// A reader that goes away (`| head`) is no fault.
process.stdout.on('error', () => undefined);

const loadApp: LoadApp = async () => (await import('./app.ts')).createApp;
const { runCommandLine } = await import('./ops/cli.ts');

process.exit(await runCommandLine(process.argv.slice(2), loadApp));
