import type { IncomingMessage, ServerResponse } from 'node:http';
import type { FastifyInstance } from 'fastify';
import helmet from 'helmet';

/** Content-Security-Policy of all responses except the pages, which have their own. */
const ANSWER_POLICY = { defaultSrc: ["'none'"], baseUri: ["'none'"], formAction: ["'none'"], frameAncestors: ["'none'"] };

/** Sends security headers. They are set on the raw response, which event streams use. */
export function mountSecurityHeaders(server: FastifyInstance): void {
  const headers = securityHeaders();
  server.addHook('onRequest', (_, { raw }, done) => {
    for (const [name, value] of headers) raw.setHeader(name, value);
    done();
  });
}

/** Returns the headers that helmet sets. They are built once, because helmet would build the same texts for each request. */
export function securityHeaders(): ReadonlyMap<string, string> {
  const headers = new Map<string, string>();
  const response = { setHeader: (name: string, value: string) => headers.set(name, value), removeHeader: () => undefined };
  const setHeaders = helmet({ contentSecurityPolicy: { useDefaults: false, directives: ANSWER_POLICY } });
  setHeaders({} as IncomingMessage, response as unknown as ServerResponse, () => undefined);
  return headers;
}
