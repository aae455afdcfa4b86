// The headers of every response, whatever it is: pages, scripts of workers, API answers, refusals of the parser.
// The script of a worker runs under the policy that came with it, not under its page's, so nothing may leave without one.
import type { ServerResponse } from 'node:http';

export const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data:",
  "worker-src 'self'",
  "manifest-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  'trusted-types svelte-trusted-html reedbed',
].join('; ');

/** Lower-case names. `cache-control` is a default that assets replace. */
export const SECURITY_HEADERS: Readonly<Record<string, string>> = {
  'content-security-policy': CONTENT_SECURITY_POLICY,
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), microphone=(), geolocation=(), payment=(), usb=(), interest-cohort=()',
  'cache-control': 'no-store',
};

/** Sets the headers on a response that has not been sent. */
export function secure(response: ServerResponse): void {
  for (const [name, value] of Object.entries(SECURITY_HEADERS)) if (!response.hasHeader(name)) response.setHeader(name, value);
}

/** The headers as lines of a response that is written without Node's help. */
export const securityLines = (): string =>
  Object.entries(SECURITY_HEADERS)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('');
