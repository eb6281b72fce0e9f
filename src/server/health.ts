import type { ServerResponse } from 'node:http';
import type { FastifyInstance } from 'fastify';

/** Conditions of readiness. */
export interface Readiness {
  /** Returns true when the database has every migration of this version. Rejects when it cannot be reached. */
  readonly migrated: () => Promise<boolean>;
  /** True once every list was tried once, whether it loaded or failed. */
  readonly listsTried: () => boolean;
}

declare module 'fastify' {
  interface FastifyInstance {
    /** Reports not ready from now on and sends `Connection: close`, so that clients move to another process. Requests are still answered. */
    startDraining(): void;
  }
}

/** Mounts `/healthz` (liveness) and `/readyz` (readiness). Failed sources do not affect readiness: other answers still work. */
export function mountHealth(server: FastifyInstance, { migrated, listsTried }: Readiness): void {
  let draining = false;
  server.decorate('startDraining', () => {
    draining = true;
    // Before the framework's own listener: a header of the raw response costs requests nothing until then.
    server.server.prependListener('request', (_request, response: ServerResponse) => response.setHeader('connection', 'close'));
  });

  server.get('/healthz', async () => ({ status: 'ok' }));
  server.get('/readyz', async (_, reply) => {
    const schema = await migrated().catch(() => null);
    const checks = { database: schema !== null, migrations: schema === true, lists_tried: listsTried(), running: !draining };
    const ready = Object.values(checks).every(Boolean);
    return reply.status(ready ? 200 : 503).send({ status: ready ? 'ready' : 'not_ready', checks });
  });
}
