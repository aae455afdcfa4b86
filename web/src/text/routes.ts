// Which page an address of the app leads to.
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
