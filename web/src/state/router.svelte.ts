// Which page is shown: the path of the address bar, and nothing else. Links inside the app change it without loading anew.
const PLAIN = {
  '/': 'home',
  '/welcome': 'welcome',
  '/join': 'join',
  '/restore': 'restore',
  '/about': 'about',
  '/broadcast': 'broadcast',
  '/mentions': 'mentions',
  '/people': 'people',
  '/device': 'device',
  '/settings': 'settings',
  '/account': 'account',
  '/recover': 'recover',
} as const;

type PlainPage = (typeof PLAIN)[keyof typeof PLAIN];

export type Route =
  | { readonly page: PlainPage | 'unknown' }
  | { readonly page: 'reed'; readonly reedId: string }
  | { readonly page: 'pipe'; readonly tag: string }
  | { readonly page: 'profile' | 'following' | 'followers'; readonly userId: string };

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

const plainOf = (path: string): PlainPage | undefined => (Object.hasOwn(PLAIN, path) ? PLAIN[path as keyof typeof PLAIN] : undefined);

export function routeOf(path: string): Route {
  const trimmed = path.length > 1 ? path.replace(/\/$/, '') : path;
  const plain = plainOf(trimmed);
  if (plain) return { page: plain };
  const [, place, rest] = /^\/(reed|pipe|profile)\/(.+)$/.exec(trimmed) ?? [];
  if (!place || !rest) return { page: 'unknown' };
  if (place === 'pipe') return { page: 'pipe', tag: decoded(rest) };
  // An id that lost its percent-encoding on the way still leads to its reed.
  if (place === 'reed') return { page: 'reed', reedId: decoded(rest) };
  const [, person, list] = /^(.+?)(?:\/(following|followers))?$/.exec(rest) ?? [];
  return { page: (list as 'following' | 'followers' | undefined) ?? 'profile', userId: decoded(person ?? '') };
}

class Router {
  path = $state(location.pathname);
  fragment = $state(location.hash);
  route = $derived(routeOf(this.path));

  constructor() {
    addEventListener('popstate', () => this.#read());
    addEventListener('hashchange', () => this.#read());
    addEventListener('click', (event) => this.#follow(event));
  }

  /** Shows another page. `replace` leaves no entry in the history. */
  go(path: string, options: { readonly replace?: boolean } = {}): void {
    if (options.replace) history.replaceState(null, '', path);
    else history.pushState(null, '', path);
    this.#read();
    scrollTo(0, 0);
    document.querySelector<HTMLElement>('main')?.focus({ preventScroll: true });
  }

  #read(): void {
    this.path = location.pathname;
    this.fragment = location.hash;
  }

  #follow(event: MouseEvent): void {
    if (event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    const link = event.target instanceof Element ? event.target.closest('a') : null;
    if (!link || link.origin !== location.origin || link.target !== '' || link.hasAttribute('download')) return;
    if (routeOf(link.pathname).page === 'unknown') return;
    event.preventDefault();
    this.go(link.pathname + link.hash);
  }
}

export const router = new Router();
