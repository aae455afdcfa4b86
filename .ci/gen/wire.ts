// Static protobuf modules for src/wire/gen: no reflection, no run-time code generation, 64-bit integers as plain numbers.
import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

const HEADER = '// Generated from proto/ by `npm run gen`; not edited by hand.\n';

/** Proto file → the messages from which everything in its module is reached. */
const MODULES = [
  { proto: 'reedbed/v1/relay.proto', roots: ['Frame'], name: 'relay' },
  {
    proto: 'reedbed/v1/streams.proto',
    roots: [
      ...[
        'StreamRequest',
        'StreamAnswer',
        'PositionsRequest',
        'PositionsAnswer',
        'AboutRequest',
        'KeyAnswer',
        'ProfileAnswer',
        'CertificateAnswer',
      ],
      'ActRequest',
    ],
    name: 'streams',
  },
  { proto: 'reedbed/v1/federation.proto', roots: ['FederationAnswer'], name: 'federation' },
  { proto: 'reedbed/v1/peering.proto', roots: ['Connect', 'Connected', 'Notice'], name: 'peering' },
  {
    proto: 'reedbed/v1/fold.proto',
    roots: ['FoldRequest', 'FoldRequestAnswer', 'FoldDelivery', 'FoldWord', 'FoldCrossings', 'HolderNotify'],
    name: 'fold',
  },
  {
    proto: 'reedbed/v1/legs.proto',
    roots: ['ProfilePageRequest', 'ProfilePageAnswer', 'ReedWatch', 'ReedCounts', 'SearchRequest', 'SearchAnswer'],
    name: 'legs',
  },
];

/** Makes the reader give numbers, not Long objects: no integer of ours reaches 2^53, and comparisons must not meet objects. */
const NUMBERS = '$protobuf.util.Long = null;\n$protobuf.configure();\n';

async function pbjs(root: string, args: readonly string[]): Promise<void> {
  const compiler = join(root, 'node_modules/protobufjs-cli/bin/pbjs');
  await run(process.execPath, [compiler, ...args], { cwd: join(root, 'proto') });
}

async function generateModule(root: string, scratch: string, module: (typeof MODULES)[number]): Promise<[string, string][]> {
  const filter = join(scratch, `${module.name}.filter.json`);
  await writeFile(filter, JSON.stringify({ messageNames: module.roots.map((name) => `reedbed.v1.${name}`) }));
  // A root for each: modules of one root would find the messages of whichever was loaded last.
  const common = ['-t', 'static-module', '-w', 'esm', '-r', module.name, '--force-number', '--no-convert', '--no-verify', '--no-delimited'];
  const shape = ['--no-service', '--no-typeurl', '--filter', filter, '-p', join(root, 'proto')];
  const code = join(scratch, `${module.name}.js`);
  const typed = join(scratch, `${module.name}-typed.js`);
  await Promise.all([
    pbjs(root, [...common, ...shape, '--no-comments', '-o', code, module.proto]),
    pbjs(root, [...common, ...shape, '--dts', '-o', typed, module.proto]),
  ]);
  const source = await readFile(code, 'utf8');
  const types = await readFile(typed.replace(/js$/, 'd.ts'), 'utf8');
  const imported = /^import \$protobuf from .*\n/m;
  if (!imported.test(source)) throw new Error(`${basename(code)}: the compiler's import line has changed`);
  return [
    [`src/wire/gen/${module.name}.js`, HEADER + source.replace(imported, (line) => `${line}\n${NUMBERS}`)],
    [`src/wire/gen/${module.name}.d.ts`, HEADER + types.replace(/^import Long = .*\n/m, '')],
  ];
}

/** The wire modules: JavaScript and its types, by path. */
export async function generateWire(root: string, scratch: string): Promise<Map<string, string>> {
  const modules = await Promise.all(MODULES.map((module) => generateModule(root, scratch, module)));
  return new Map(modules.flat());
}
