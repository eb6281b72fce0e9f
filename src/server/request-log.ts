import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';

/** The fields of the log line of an answer. */
export interface Answered {
  readonly method: string;
  /** Path of the route, and not the URL, because some callers put keys into URLs. */
  readonly path: string;
  readonly status: number;
  /** Time since the request began, in ms. */
  readonly ms: number;
}

/** Writes the line of an answer within the scope of its request, which adds its id. */
export const logAnswered = (log: Pick<Logger, 'info'>, { method, path, status, ms }: Answered): void =>
  log.info({ method, path, status, ms: Math.round(ms) }, 'answered');

/** Sends the request id as `X-Request-Id` and writes one log line for each answer. */
export function mountRequestLog(server: FastifyInstance): void {
  server.addHook('onSend', (request, reply, _payload, done) => {
    void reply.header('x-request-id', request.id);
    done();
  });
  server.addHook('onResponse', (request, reply, done) => {
    const { method, log } = request;
    const path = request.routeOptions.url ?? 'unmatched';
    request.scope?.run(() => logAnswered(log, { method, path, status: reply.statusCode, ms: reply.elapsedTime }));
    done();
  });
}
