// What to tell an operator whose members could not use the address: browsers make keys only where a page comes by https or from this machine.
import type { Config } from '../config/config.ts';

const SECURE = 'browsers make keys only on https or localhost';

const isLocal = (host: string): boolean => {
  const bare = host.replace(/^\[|\]$/g, '');
  return bare === 'localhost' || bare.endsWith('.localhost') || bare === '::1' || bare.startsWith('127.');
};

/** One line, or null if nothing is wrong. @param url where the server says it is */
export const addressWarning = ({ host, publicUrl }: Pick<Config, 'host' | 'publicUrl'>, url: string): string | null => {
  if (publicUrl === undefined)
    return isLocal(host) ? null : `Others can't join yet: ${SECURE}. Put TLS in front and set REEDBED_PUBLIC_URL to the https address.`;
  const { protocol, hostname } = new URL(url);
  if (protocol === 'https:' || isLocal(hostname)) return null;
  return `Nobody can join at ${url}: ${SECURE}. Put TLS in front and set REEDBED_PUBLIC_URL to the https address.`;
};
