// Which methods a path has, to tell an unknown path (404) from a known one with another method (405).

export class KnownRoutes {
  readonly #routes: { readonly pattern: RegExp; readonly methods: Set<string> }[] = [];

  /** Takes a route as it is registered; `*` routes belong to no path. */
  add(url: string, method: string | readonly string[]): void {
    if (url.includes('*')) return;
    const source = `^${url.replace(/[.]/g, '\\.').replace(/:[A-Za-z]+/g, '[^/]+')}$`;
    const known = this.#routes.find(({ pattern }) => pattern.source === new RegExp(source).source);
    const methods = known?.methods ?? new Set<string>();
    for (const one of typeof method === 'string' ? [method] : method) methods.add(one);
    if (known === undefined) this.#routes.push({ pattern: new RegExp(source), methods });
  }

  /** The methods of a path without its query; empty for an unknown path. */
  methodsOf(path: string): readonly string[] {
    return [...new Set(this.#routes.filter(({ pattern }) => pattern.test(path)).flatMap(({ methods }) => [...methods]))].sort();
  }
}
