// What a heap snapshot says by name: how many objects of each class there are, and how much each map or set of our own classes holds.
import { readFile, rm } from 'node:fs/promises';

export type HeapContents = {
  /** Objects and functions by class or name. */
  readonly objects: Readonly<Record<string, number>>;
  /** Bytes of the tables of maps and sets, by the field that holds them. */
  readonly collections: Readonly<Record<string, number>>;
};

type Snapshot = {
  readonly snapshot: {
    readonly meta: {
      readonly node_fields: readonly string[];
      readonly node_types: readonly (readonly string[])[];
      readonly edge_fields: readonly string[];
      readonly edge_types: readonly (readonly string[])[];
    };
  };
  readonly nodes: readonly number[];
  readonly edges: readonly number[];
  readonly strings: readonly string[];
};

const COUNTED: ReadonlySet<string> = new Set(['object', 'closure', 'native', 'regexp']);
/** Not the weak ones: their tables stay as large as the most that ever waited for a collection, and a key that stays is counted as an object. */
const COLLECTIONS: ReadonlySet<string> = new Set(['Map', 'Set']);
/** Owners that say nothing about whose it is. */
const NAMELESS: ReadonlySet<string> = new Set(['Object', 'Array', 'Map', 'Set', 'system / Context']);

/** Reads a snapshot by its own description of itself. */
class Reader {
  readonly #file: Snapshot;
  readonly #node: { readonly size: number; readonly type: number; readonly name: number; readonly self: number; readonly edges: number };
  readonly #edge: { readonly size: number; readonly type: number; readonly name: number; readonly to: number };
  readonly #nodeTypes: readonly string[];
  readonly #edgeTypes: readonly string[];

  constructor(file: Snapshot) {
    const { node_fields: node, node_types, edge_fields: edge, edge_types } = file.snapshot.meta;
    this.#file = file;
    this.#node = {
      size: node.length,
      ...{ type: node.indexOf('type'), name: node.indexOf('name') },
      ...{ self: node.indexOf('self_size'), edges: node.indexOf('edge_count') },
    };
    this.#edge = { size: edge.length, type: edge.indexOf('type'), name: edge.indexOf('name_or_index'), to: edge.indexOf('to_node') };
    this.#nodeTypes = node_types[0] ?? [];
    this.#edgeTypes = edge_types[0] ?? [];
  }

  at(node: number): { readonly type: string; readonly name: string; readonly self: number } {
    const { nodes, strings } = this.#file;
    return {
      type: this.#nodeTypes[nodes[node + this.#node.type] ?? -1] ?? '',
      name: strings[nodes[node + this.#node.name] ?? -1] ?? '',
      self: nodes[node + this.#node.self] ?? 0,
    };
  }

  /** Calls `visit` for every node with the place of its first edge and of the one after its last. */
  each(visit: (node: number, first: number, end: number) => void): void {
    const { nodes } = this.#file;
    let edge = 0;
    for (let node = 0; node < nodes.length; node += this.#node.size) {
      const end = edge + (nodes[node + this.#node.edges] ?? 0) * this.#edge.size;
      visit(node, edge, end);
      edge = end;
    }
  }

  /** The named edges among these: property names, and V8's own names for what belongs to an object. */
  *named(first: number, end: number): Generator<{ readonly name: string; readonly to: number }> {
    const { edges, strings } = this.#file;
    for (let edge = first; edge < end; edge += this.#edge.size) {
      const type = this.#edgeTypes[edges[edge + this.#edge.type] ?? -1];
      if (type !== 'property' && type !== 'internal') continue;
      yield { name: strings[edges[edge + this.#edge.name] ?? -1] ?? '', to: edges[edge + this.#edge.to] ?? 0 };
    }
  }
}

const add = (counts: Record<string, number>, name: string, value: number): void => {
  counts[name] = (counts[name] ?? 0) + value;
};

function contentsOf(reader: Reader): HeapContents {
  const objects: Record<string, number> = {};
  const collections: Record<string, number> = {};
  const tables = new Map<number, number>();
  reader.each((node, first, end) => {
    const { type, name } = reader.at(node);
    if (COUNTED.has(type)) add(objects, `${name} (${type})`, 1);
    if (type !== 'object' || !COLLECTIONS.has(name)) return;
    for (const edge of reader.named(first, end)) if (edge.name === 'table') tables.set(node, reader.at(edge.to).self);
  });
  reader.each((node, first, end) => {
    const owner = reader.at(node);
    if (owner.type !== 'object' || NAMELESS.has(owner.name)) return;
    for (const { name, to } of reader.named(first, end)) {
      const bytes = tables.get(to);
      if (bytes !== undefined) add(collections, `${owner.name}.${name}`, bytes);
    }
  });
  return { objects, collections };
}

/** Reads a snapshot's file and removes it. */
export async function takeHeapContents(path: string): Promise<HeapContents> {
  const text = await readFile(path, 'utf8');
  await rm(path);
  return contentsOf(new Reader(JSON.parse(text) as Snapshot));
}
