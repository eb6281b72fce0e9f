import type { IncomingMessage } from 'node:http';

/** False for a web page of a foreign site: browsers say where a page is from, and let any page open sockets anywhere. */
export function isKnownOrigin({ headers: { origin, host } }: IncomingMessage, allowed: readonly string[]): boolean {
  return origin === undefined || allowed.includes(origin) || URL.parse(origin)?.host === host;
}
