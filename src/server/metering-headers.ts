import type { FastifyInstance } from 'fastify';
import type { RequestContext } from '../context.ts';
import type { RateLimitStatus } from '../domain/plan.ts';
import { SECOND_MS } from '../domain/time.ts';

/** Sends the counts of an answer, and the rate limits that apply to it. */
export function mountMeteringHeaders(server: FastifyInstance): void {
  server.addHook('onSend', ({ context }, reply, _payload, done) => {
    if (context) for (const [name, value] of meteringHeaders(context)) void reply.header(name, value);
    done();
  });
}

/**
 * Returns `RateLimit` and `RateLimit-Policy` (IETF draft, structured fields) for the rate limits that apply to a request, refused or not,
 * and `Usage-Counted`, a dictionary (RFC 9651) of the modules with counted answers: `kyb=1`. A header without items is omitted.
 * `r`: requests that the key has left; `t`: seconds until it has one more.
 */
export function meteringHeaders(context: Pick<RequestContext, 'rateLimits' | 'uses'>): readonly (readonly [string, string])[] {
  const rateLimits = context.rateLimits();
  const counted = [...context.uses.counted].map(([module, count]) => `${module}=${count}`);
  const headers: [string, string][] = [];
  if (rateLimits.length > 0) {
    headers.push(['ratelimit-policy', rateLimits.map(rateLimitPolicy).join(', ')]);
    headers.push(['ratelimit', rateLimits.map(rateLimitItem).join(', ')]);
  }
  if (counted.length > 0) headers.push(['usage-counted', counted.join(', ')]);
  return headers;
}

/** Formats a policy. `burst`, the number of requests that may be sent at once, is a parameter of our own, which the draft allows. */
const rateLimitPolicy = ({ module, perMinute, burst }: RateLimitStatus): string => `"${module}";q=${perMinute};w=60;burst=${burst}`;

const rateLimitItem = ({ module, remaining, nextMs }: RateLimitStatus): string =>
  `"${module}";r=${remaining};t=${Math.ceil(nextMs / SECOND_MS)}`;
