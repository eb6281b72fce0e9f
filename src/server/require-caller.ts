import type { FastifyRequest } from 'fastify';
import type { Authenticate } from '../auth/authenticate.ts';
import type { Caller } from '../context.ts';
import { AppError } from '../domain/errors.ts';

/** A key written in a URL ends in logs and histories, so it is refused even when it would open. */
export const hasKeyInUrl = (url: string): boolean =>
  [...new URL(url, 'http://localhost').searchParams].some(([name, value]) => /^(x-)?api[-_]?key$/i.test(name) || value.startsWith('sk_'));

/** The caller of a request, by its `X-API-Key`. @throws as `callerOf` does */
export const authenticate = ({ headers, ip }: FastifyRequest, find: Authenticate): Promise<Caller> =>
  callerOf(headers['x-api-key'], ip, find);

/**
 * The caller behind what was given as a key, from this address.
 * @throws AppError SERVICE_UNAVAILABLE when the database cannot be asked; MISSING_API_KEY; INVALID_API_KEY alike for unknown, malformed,
 * revoked and expired keys, or RATE_LIMITED after too many of them from this address
 */
export async function callerOf(key: unknown, address: string, find: Authenticate): Promise<Caller> {
  if (typeof key !== 'string' || key === '') throw new AppError('MISSING_API_KEY', 'Send your API key in the X-API-Key header.');
  const caller = await find(key.trim(), address).catch((cause: unknown) => {
    if (cause instanceof AppError) throw cause;
    throw new AppError(
      'SERVICE_UNAVAILABLE',
      'Your key cannot be checked right now; try again in a moment.',
      { retryAfterSeconds: 2 },
      { cause },
    );
  });
  if (!caller) throw new AppError('INVALID_API_KEY', 'This API key is not valid: it is unknown, expired or revoked.');
  return caller;
}
