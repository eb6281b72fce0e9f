import type { FastifyInstance } from 'fastify';

/** What readiness depends on. */
export interface Readiness {
  /** Reaches the database; rejects when it cannot. */
  readonly database: () => Promise<unknown>;
  /** True once every list has been tried once: loaded, or known to have failed. */
  readonly listsTried: () => boolean;
}

/** Mounts `/healthz` (the process runs) and `/readyz` (it may be sent traffic). A failed source is no reason to be unready. */
export function mountHealth(server: FastifyInstance, { database, listsTried }: Readiness): void {
  server.get('/healthz', async () => ({ status: 'ok' }));
  server.get('/readyz', async (_, reply) => {
    const databaseUp = await database().then(
      () => true,
      () => false,
    );
    const checks = { database: databaseUp, lists_tried: listsTried() };
    const ready = Object.values(checks).every(Boolean);
    return reply.status(ready ? 200 : 503).send({ status: ready ? 'ready' : 'not_ready', checks });
  });
}
