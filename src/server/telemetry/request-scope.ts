import { AsyncLocalStorage } from 'node:async_hooks';
import type { FastifyInstance } from 'fastify';
import type { Observer, Span } from '../../observer.ts';

interface Scope {
  readonly reqId: string;
  readonly traceId?: string;
}

const scopes = new AsyncLocalStorage<Scope>();

/**
 * Returns the fields of every log line that is written during a request: `reqId` and, with traces on, `traceId`; empty outside a request.
 */
export const logScope = (): Partial<Scope> => ({ ...scopes.getStore() });

/** Runs the work for a request that has no Fastify request, so that its log lines have the id of the request. */
export const inLogScope = <T>(reqId: string, work: () => T): T => scopes.run({ reqId }, work);

declare module 'fastify' {
  interface FastifyRequest {
    /** Runs work in the async scope of this request and as part of its span. */
    inScope: ((work: () => void) => void) | null;
  }
}

/** Opens an async scope, and a span if there is an observer, for every request. It must be mounted before every other hook. */
export function mountRequestScope(server: FastifyInstance, observer: Observer | undefined): void {
  const spans = new WeakMap<object, Span>();
  server.decorateRequest('inScope', null);
  server.addHook('onRequest', (request, _reply, done) => {
    const span = observer?.startSpan({ kind: 'request', name: `${request.method} ${request.routeOptions.url ?? 'unmatched'}` });
    if (span) spans.set(request, span);
    const scope: Scope = { reqId: request.id, ...(span?.traceId !== undefined && { traceId: span.traceId }) };
    request.inScope = (work) => scopes.run(scope, () => (span ? span.run(work) : work()));
    request.inScope(done);
  });
  // The body is read in events of the connection, which run outside the request's scope.
  server.addHook('preValidation', (request, _reply, done) => (request.inScope ? request.inScope(done) : done()));
  server.addHook('onResponse', (request, { statusCode }, done) => {
    spans.get(request)?.end(String(statusCode));
    done();
  });
}
