#!/usr/bin/env node
// Entry of the command line. The application is loaded only by the commands that build it.
import { runCommandLine } from './ops/cli.ts';
import type { CreateApp } from './ops/serve.ts';

const createApp: CreateApp = async (config, overrides) => (await import('./app.ts')).createApp(config, overrides);

// A reader that goes away (`| head`) is no fault.
process.stdout.on('error', () => undefined);

process.exit(await runCommandLine(process.argv.slice(2), createApp));
