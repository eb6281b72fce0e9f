import type { IncomingHttpHeaders } from 'node:http';
import { SECOND_MS } from '../../domain/time.ts';

/**
 * User agent of every request. Several registries refuse the default agents of HTTP libraries, and one requires
 * `Mozilla/<digit>` and at least 40 characters.
 */
export const USER_AGENT = 'Mozilla/5.0 (compatible; Quipu/0.1; company registry checks; +https://github.com/quipu/quipu)';

/** `Retry-After` in seconds or as a date → ms from `now` (epoch ms). */
export function retryAfterMs(headers: IncomingHttpHeaders, now: number = Date.now()): number | null {
  const text = headers['retry-after'];
  if (!text) return null;
  if (/^\d+$/.test(text.trim())) return Number(text) * SECOND_MS;
  const at = Date.parse(text);
  return Number.isNaN(at) ? null : Math.max(0, at - now);
}
