// Which page is shown: the path of the address bar, and nothing else. Links inside the app change it without loading anew.
import { routeOf } from '../text/routes.ts';

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
