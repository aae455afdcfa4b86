// Makes what the published package holds: the web app in web/dist and the server as JavaScript in dist/, which plain Node 24 runs.
// The folders keep their depth (src/x → dist/x), so that code finds migrations/, proto/ and web/dist/ the same way from both.
import { execFile } from 'node:child_process';
import { chmod, cp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { buildWeb } from './ensure-web.ts';
import { refused } from './no-options.ts';

const run = promisify(execFile);
const ROOT = join(import.meta.dirname, '..');

async function buildServer(): Promise<void> {
  await rm(join(ROOT, 'dist'), { recursive: true, force: true });
  await run(process.execPath, [join(ROOT, 'node_modules/typescript/bin/tsc'), '-p', 'tsconfig.build.json'], { cwd: ROOT }).catch(
    (error: { stdout?: string }) => {
      throw new Error(`tsc failed\n${error.stdout ?? ''}`, { cause: error });
    },
  );
  await cp(join(ROOT, 'src/wire/gen'), join(ROOT, 'dist/wire/gen'), { recursive: true, filter: (path) => !path.endsWith('.d.ts') });
  await chmod(join(ROOT, 'dist/main.js'), 0o755);
}

if (refused('npm run build', 'Makes what the published package holds: web/dist and dist.')) process.exit();
try {
  await buildWeb();
  await buildServer();
  process.stdout.write('built web/dist and dist\n');
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
