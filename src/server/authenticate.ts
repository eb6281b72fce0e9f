import type { FastifyRequest } from 'fastify';
import type { Caller } from '../context.ts';
import { AppError } from '../domain/errors.ts';

/** Finds the caller behind a key; null for one that does not open. */
export type FindCaller = (key: string) => Promise<Caller | null>;

/** A key written in a URL ends in logs and histories, so it is refused even when it would open. */
export const hasKeyInUrl = (url: string): boolean =>
  [...new URL(url, 'http://localhost').searchParams].some(([name, value]) => /^(x-)?api[-_]?key$/i.test(name) || value.startsWith('sk_'));

/**
 * The caller of a request, by its `X-API-Key`.
 * @throws AppError SERVICE_UNAVAILABLE when the database cannot be asked; MISSING_API_KEY, or INVALID_API_KEY alike for unknown, malformed, revoked and expired keys
 */
export async function authenticate(request: FastifyRequest, find: FindCaller): Promise<Caller> {
  const key = request.headers['x-api-key'];
  if (typeof key !== 'string' || key === '') throw new AppError('MISSING_API_KEY', 'Send your API key in the X-API-Key header.');
  const caller = await find(key.trim()).catch((cause: unknown) => {
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
