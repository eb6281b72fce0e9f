import type { FastifyInstance } from 'fastify';
import type { RateLimitStatus } from '../domain/plan.ts';
import { SECOND_MS } from '../domain/time.ts';

/** Sends the counts of an answer, and the rate limits that apply to it. */
export function mountMeteringHeaders(server: FastifyInstance): void {
  mountRateLimitHeaders(server);
  mountUsageHeader(server);
}

/**
 * Sends `RateLimit` and `RateLimit-Policy` (IETF draft, structured fields) for the rate limits that apply to a request, refused or not.
 * `r`: requests that the key has left; `t`: seconds until it has one more.
 */
function mountRateLimitHeaders(server: FastifyInstance): void {
  server.addHook('onSend', ({ context }, reply, _payload, done) => {
    const rateLimits = context?.rateLimits() ?? [];
    if (rateLimits.length > 0) {
      void reply.header('ratelimit-policy', rateLimits.map(rateLimitPolicy).join(', '));
      void reply.header('ratelimit', rateLimits.map(rateLimitItem).join(', '));
    }
    done();
  });
}

/**
 * Sends `Usage-Counted`, a dictionary (RFC 9651) of the modules with counted answers: `kyb=1`. The header is omitted if nothing was
 * counted.
 */
function mountUsageHeader(server: FastifyInstance): void {
  server.addHook('onSend', ({ context }, reply, _payload, done) => {
    const counted = [...(context?.uses.counted ?? [])].map(([module, count]) => `${module}=${count}`);
    if (counted.length > 0) void reply.header('usage-counted', counted.join(', '));
    done();
  });
}

/** Formats a policy. `burst`, the number of requests that may be sent at once, is a parameter of our own, which the draft allows. */
const rateLimitPolicy = ({ module, perMinute, burst }: RateLimitStatus): string => `"${module}";q=${perMinute};w=60;burst=${burst}`;

const rateLimitItem = ({ module, remaining, nextMs }: RateLimitStatus): string =>
  `"${module}";r=${remaining};t=${Math.ceil(nextMs / SECOND_MS)}`;
