import { AsyncLocalStorage } from 'node:async_hooks';
import type { FastifyInstance } from 'fastify';
import type { Observer } from '../../observer.ts';

interface Scope {
  readonly reqId: string;
  readonly traceId?: string;
}

const scopes = new AsyncLocalStorage<Scope>();

/**
 * Returns the fields of every log line that is written during a request: `reqId` and, with traces on, `traceId`; empty outside a request.
 */
export const logScope = (): Partial<Scope> => ({ ...scopes.getStore() });

/** The async scope and the span of one request. */
export interface RequestScope {
  /** Runs work in the scope, so that its log lines have the id of the request, and as part of the span. */
  readonly run: <T>(work: () => T) => T;
  /** Ends the span. */
  readonly end: (status: number) => void;
}

/** Opens an async scope, and a span if there is an observer. @param name method and path of the route */
export function openScope(observer: Observer | undefined, reqId: string, name: string): RequestScope {
  const span = observer?.startSpan({ kind: 'request', name });
  const scope: Scope = { reqId, ...(span?.traceId !== undefined && { traceId: span.traceId }) };
  return {
    run: <T>(work: () => T): T => scopes.run(scope, () => (span ? span.run(work) : work())),
    end: (status) => span?.end(String(status)),
  };
}

declare module 'fastify' {
  interface FastifyRequest {
    scope: RequestScope | null;
  }
}

/** Opens a scope for every request. It must be mounted before every other hook. */
export function mountRequestScope(server: FastifyInstance, observer: Observer | undefined): void {
  server.decorateRequest('scope', null);
  server.addHook('onRequest', (request, _reply, done) => {
    request.scope = openScope(observer, request.id, `${request.method} ${request.routeOptions.url ?? 'unmatched'}`);
    request.scope.run(done);
  });
  // The body is read in events of the connection, which run outside the request's scope.
  server.addHook('preValidation', (request, _reply, done) => (request.scope ? request.scope.run(done) : done()));
  server.addHook('onResponse', (request, { statusCode }, done) => {
    request.scope?.end(statusCode);
    done();
  });
}
