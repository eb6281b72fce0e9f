import type { FastifyInstance } from 'fastify';
import type { Standing } from '../domain/plan.ts';
import { SECOND_MS } from '../domain/time.ts';

/**
 * Says on every answer where the key stands with the limits that it came under, refused or not: `RateLimit` and `RateLimit-Policy` of
 * the IETF draft, structured fields. `r` requests may follow within the next `t` seconds, after which there is at least one more.
 */
export function mountRateHeaders(server: FastifyInstance): void {
  server.addHook('onSend', async ({ context }, reply) => {
    const rateLimits = context?.rateLimits() ?? [];
    if (rateLimits.length === 0) return;
    void reply.header('ratelimit-policy', rateLimits.map(({ module, perMinute }) => `"${module}";q=${perMinute};w=60`).join(', '));
    void reply.header('ratelimit', rateLimits.map(inWords).join(', '));
  });
}

const inWords = ({ module, remaining, nextMs }: Standing): string => `"${module}";r=${remaining};t=${Math.ceil(nextMs / SECOND_MS)}`;
