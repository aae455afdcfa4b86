// Adds up the reports of a run: prints what failed by name and, last of all, "N passed, N failed". Exits with 1 if anything failed.
// A step that failed although its report names no failed test (a crash, a file that can't be loaded, no report at all) counts as one.
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

type Assertion = { readonly status: string; readonly fullName: string };
type Report = {
  readonly testResults: readonly { readonly name: string; readonly status: string; readonly assertionResults: readonly Assertion[] }[];
};

const folder = process.argv[2] ?? '';
const names = (await readdir(folder)).filter((name) => name.endsWith('.json'));
const failures: string[] = [];
const explained = new Set<string>();
let passed = 0;

for (const name of names) {
  const report = JSON.parse(await readFile(join(folder, name), 'utf8')) as Report;
  for (const file of report.testResults) {
    const failed = file.assertionResults.filter((test) => test.status === 'failed');
    passed += file.assertionResults.filter((test) => test.status === 'passed').length;
    failures.push(...failed.map((test) => `${file.name}: ${test.fullName}`));
    if (failed.length === 0 && file.status === 'failed') failures.push(`${file.name}: could not be run`);
    if (file.status === 'failed') explained.add(name);
  }
}

const steps = (await readFile(join(folder, 'failed-steps'), 'utf8').catch(() => '')).split('\n').filter((step) => step !== '');
const reportOf: Readonly<Record<string, string>> = { 'npm test': 'test.json', 'npm run long': 'long.json', 'npm run e2e': 'e2e.json' };
failures.push(...steps.filter((step) => !explained.has(reportOf[step] ?? '')));

process.stdout.write(failures.length === 0 ? '\n' : `\nFailed:\n${failures.map((failure) => `  ${failure}\n`).join('')}\n`);
process.stdout.write(`${passed} passed, ${failures.length} failed\n`);
process.exitCode = failures.length === 0 && passed > 0 ? 0 : 1;
