import cors from '@fastify/cors';
import helmet from '@fastify/helmet';
import type { FastifyInstance } from 'fastify';

/** Content-Security-Policy of the explorer page: its own files, inline styles, and requests to its own origin. */
const EXPLORER_POLICY = {
  defaultSrc: ["'none'"],
  scriptSrc: ["'self'"],
  styleSrc: ["'self'", "'unsafe-inline'"],
  imgSrc: ["'self'", 'data:'],
  fontSrc: ["'self'", 'data:'],
  connectSrc: ["'self'"],
  baseUri: ["'none'"],
  formAction: ["'none'"],
  frameAncestors: ["'none'"],
};

/** Sends security headers (helmet), and CORS headers where browser origins are allowed. */
export async function mountBrowserPolicy(server: FastifyInstance, allowedOrigins: readonly string[]): Promise<void> {
  await server.register(helmet, { contentSecurityPolicy: { useDefaults: false, directives: EXPLORER_POLICY } });
  if (allowedOrigins.length === 0) return;
  await server.register(cors, {
    origin: [...allowedOrigins],
    methods: ['GET', 'POST', 'PATCH', 'DELETE'],
    exposedHeaders: ['x-request-id', 'retry-after', 'ratelimit', 'ratelimit-policy', 'idempotent-replayed'],
    maxAge: 600,
    strictPreflight: false,
  });
  // Event streams bypass Fastify's reply, so the CORS headers are copied to the raw response.
  server.addHook('onRequest', async (_, reply) => {
    for (const [name, value] of Object.entries(reply.getHeaders()))
      if (name.startsWith('access-control-') && value !== undefined) reply.raw.setHeader(name, value);
  });
}
