import { createHash } from 'node:crypto';
import type { Address } from '../source.ts';

/**
 * The origin that a copy belongs to: `sandbox`, or the address template without what may be secret: credentials are left out, a
 * query stands as its fingerprint.
 */
export function originOf({ origin, url }: Address): string {
  if (origin === 'sandbox') return 'sandbox';
  const { protocol, host, pathname, search } = new URL(url);
  const place = `${protocol}//${host}${pathname}`.replace(/%7Bdate%7D/gi, '{date}');
  return search ? `${place}?${fingerprint(search)}` : place;
}

/** Twelve hex digits of a text. */
export const fingerprint = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 12);
