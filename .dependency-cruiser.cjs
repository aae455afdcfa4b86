// Import rules, all derived from the table in .ci/layers.ts. Type imports count: a type is a dependency of whoever reads the code.
const { BROWSER_MODULES, FREE_TYPES, PACKAGE_OWNERS, importTable } = require('./.ci/layers.ts');

const severity = 'error';
const table = importTable();
const any = (names) => `(${names.join('|')})`;

const moduleRules = [...table].map(([module, allowed]) => ({
  name: `imports-of-${module}`,
  comment: `${module} imports ${allowed.length === 0 ? 'no other module' : `only ${allowed.join(', ')}`}`,
  severity,
  from: { path: `^src/${module}/` },
  to: { path: '^src/', pathNot: `^src/${any([module, ...allowed])}/` },
}));

const packageRules = Object.entries(PACKAGE_OWNERS).map(([name, owners]) => ({
  name: `owner-of-${name.replace(/[^a-z-]/g, '')}`,
  comment: `${name} is imported by its owner only`,
  severity,
  from: { path: '^(src|web)/', pathNot: owners },
  to: {
    path: `(^|/)node_modules/(@types/)?${name}/`,
    ...(FREE_TYPES.includes(name) ? { dependencyTypesNot: ['type-only'] } : {}),
  },
}));

module.exports = {
  forbidden: [
    ...moduleRules,
    ...packageRules,
    { name: 'no-circular', severity, from: {}, to: { circular: true } },
    { name: 'no-unresolvable', severity, from: { path: '^(src|test|\\.ci)/' }, to: { couldNotResolve: true } },
    {
      name: 'browser-safe',
      comment: `${BROWSER_MODULES.join(', ')} run in a browser`,
      severity,
      from: { path: [`^src/${any(BROWSER_MODULES)}/`, '^web/src/'] },
      to: { dependencyTypes: ['core'] },
    },
    {
      name: 'web-imports',
      comment: 'The web app sees the browser-safe modules only',
      severity,
      from: { path: '^web/' },
      to: { path: '^(src|test)/', pathNot: `^src/${any(BROWSER_MODULES)}/` },
    },
    { name: 'src-stands-alone', severity, from: { path: '^src/' }, to: { path: '^(web|test|\\.ci)/' } },
    {
      name: 'hostile-client-stands-alone',
      comment: 'What attacks the server shares no code with it, with the SDK, or with the libraries they speak through',
      severity,
      from: { path: '^test/support/raw-' },
      to: { path: ['^(src|web|test|\\.ci)/', 'node_modules/(@types/)?(ws|protobufjs|canonicalize)/'], pathNot: '^test/support/raw-' },
    },
    {
      name: 'composition-root',
      comment: 'Only the entry and tests build the application',
      severity,
      from: { path: '^(src|web)/', pathNot: '^src/main\\.ts$' },
      to: { path: '^src/(app|main)\\.ts$' },
    },
    {
      name: 'app-below-ops',
      severity,
      from: { path: '^src/app\\.ts$' },
      to: { path: '^src/(ops|client)/' },
    },
    {
      name: 'decisions-are-pure',
      comment: 'rules.ts and state.ts decide from values: no database, network, bus or clock of their own',
      severity,
      from: { path: '^src/[^/]+/(rules|state)\\.ts$' },
      to: { path: ['^src/(db|net|bus)/', '/(store|service)\\.ts$', 'node_modules/(pg|kysely|ws|fastify)/'] },
    },
  ],
  options: {
    doNotFollow: { path: ['node_modules', '^src/wire/gen/', '^web/dist/', '^dist/'] },
    exclude: { path: ['^web/dist/', '^dist/', '^data/'] },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],

      extensions: ['.ts', '.js', '.svelte', '.json', '.d.ts'],
      conditionNames: ['import', 'node', 'default', 'types'],
    },
  },
};
