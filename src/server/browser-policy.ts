import type { IncomingMessage, ServerResponse } from 'node:http';
import cors from '@fastify/cors';
import type { FastifyInstance } from 'fastify';
import helmet from 'helmet';
import { AppError } from '../domain/errors.ts';

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

/** Content-Security-Policy of the other pages: as strict as the explorer's, and without inline styles. */
export const PAGE_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** True for an origin of the list. An entry that ends in `:*` stands for its host on every port. */
export const allowsOrigin = (allowed: readonly string[], origin: string): boolean =>
  allowed.some((one) => (one.endsWith(':*') ? withoutPort(origin) === one.slice(0, -2) : origin === one));

const withoutPort = (origin: string): string => origin.replace(/:\d{1,5}$/, '');

const EXPOSED_HEADERS = ['x-request-id', 'retry-after', 'ratelimit', 'ratelimit-policy', 'usage-counted', 'idempotent-replayed'];

/** The CORS headers of an answer that is sent without Fastify; none for an origin that may not call. */
export const crossOriginHeaders = (allowed: readonly string[], origin: string | undefined): Readonly<Record<string, string>> =>
  origin === undefined || !allowsOrigin(allowed, origin)
    ? {}
    : { 'access-control-allow-origin': origin, 'access-control-expose-headers': EXPOSED_HEADERS.join(', '), vary: 'Origin' };

/** Sends security headers. They are put on the raw response, which event streams use. */
export function mountSecurityHeaders(server: FastifyInstance): void {
  const headers = securityHeaders();
  server.addHook('onRequest', (_, { raw }, done) => {
    for (const [name, value] of headers) raw.setHeader(name, value);
    done();
  });
}

/** The headers that helmet sets. It would build the same texts for each request. */
function securityHeaders(): ReadonlyMap<string, string> {
  const headers = new Map<string, string>();
  const response = { setHeader: (name: string, value: string) => headers.set(name, value), removeHeader: () => undefined };
  const setHeaders = helmet({ contentSecurityPolicy: { useDefaults: false, directives: EXPLORER_POLICY } });
  setHeaders({} as IncomingMessage, response as unknown as ServerResponse, () => undefined);
  return headers;
}

/**
 * Sends CORS headers to pages of allowed origins. The preflight request of another origin is answered with
 * 403 and a sentence that names the setting: browsers show it in their network log.
 */
export async function mountOriginPolicy(server: FastifyInstance, allowedOrigins: readonly string[]): Promise<void> {
  server.addHook('onRequest', async ({ method, headers }) => {
    const isPreflight = method === 'OPTIONS' && headers['access-control-request-method'] !== undefined;
    if (isPreflight && headers.origin !== undefined && !allowsOrigin(allowedOrigins, headers.origin))
      throw new AppError(
        'ORIGIN_NOT_ALLOWED',
        'Web pages of this origin may not call the service. Its operator can add the origin to QUIPU_ALLOWED_ORIGINS.',
      );
  });
  if (allowedOrigins.length === 0) return;
  await server.register(cors, {
    origin: (origin, done) => done(null, origin !== undefined && allowsOrigin(allowedOrigins, origin)),
    methods: ['GET', 'POST', 'PATCH', 'DELETE'],
    exposedHeaders: EXPOSED_HEADERS,
    maxAge: 600,
    strictPreflight: false,
  });
  // Event streams bypass Fastify's reply, so the CORS headers are copied to the raw response.
  server.addHook('onRequest', async (_, reply) => {
    for (const [name, value] of Object.entries(reply.getHeaders()))
      if (name.startsWith('access-control-') && value !== undefined) reply.raw.setHeader(name, value);
  });
}
