import { AsyncLocalStorage } from 'node:async_hooks';
import type { FastifyInstance } from 'fastify';
import type { Observer, Running } from '../../domain/observer.ts';

interface Scope {
  readonly reqId: string;
  readonly traceId?: string;
}

/** The request that is being worked on, however deep. */
const scopes = new AsyncLocalStorage<Scope>();

/** What every log line of a request carries. */
export const logScope = (): object => ({ ...scopes.getStore() });

declare module 'fastify' {
  interface FastifyRequest {
    /** Does what follows within the request's scope, and its step. */
    inScope: ((work: () => void) => void) | null;
  }
}

/** Gives every request its scope, and its step where somebody watches. To be mounted before every other hook. */
export function mountRequests(server: FastifyInstance, observer: Observer | undefined): void {
  const steps = new WeakMap<object, Running>();
  server.decorateRequest('inScope', null);
  server.addHook('onRequest', (request, _reply, done) => {
    const step = observer?.begin({ kind: 'request', name: `${request.method} ${request.routeOptions.url ?? 'unmatched'}` });
    if (step) steps.set(request, step);
    const scope: Scope = { reqId: request.id, ...(step?.traceId !== undefined && { traceId: step.traceId }) };
    request.inScope = (work) => scopes.run(scope, () => (step ? step.within(work) : work()));
    request.inScope(done);
  });
  // A body arrives by events of the connection, which belong to no request.
  server.addHook('preValidation', (request, _reply, done) => (request.inScope ? request.inScope(done) : done()));
  server.addHook('onResponse', async (request, { statusCode }) => steps.get(request)?.end(String(statusCode)));
}
