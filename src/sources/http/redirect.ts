/** Returns the address that a redirect leads to; null if its host is not allowed, or if it leads from https to another protocol. */
export function redirectTarget(from: URL, location: string, allowedHosts: ReadonlySet<string>): URL | null {
  const to = URL.parse(location, from.href);
  const isSafe = to && allowedHosts.has(to.host) && (to.protocol === 'https:' || (to.protocol === 'http:' && from.protocol === 'http:'));
  return isSafe ? to : null;
}
