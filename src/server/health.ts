import type { FastifyInstance } from 'fastify';

/** What readiness depends on. */
export interface Readiness {
  /** Whether the database has every migration of this code. Rejects when it cannot be reached. */
  readonly migrated: () => Promise<boolean>;
  /** True once every list has been tried once: loaded, or known to have failed. */
  readonly listsTried: () => boolean;
}

declare module 'fastify' {
  interface FastifyInstance {
    /** From now on not ready, and callers are asked to connect elsewhere; those who are here are answered as before. */
    leave(): void;
  }
}

/** Mounts `/healthz` (the process runs) and `/readyz` (it may be sent traffic). A failed source is no reason to be unready. */
export function mountHealth(server: FastifyInstance, { migrated, listsTried }: Readiness): void {
  let leaving = false;
  server.decorate('leave', () => {
    leaving = true;
  });
  server.addHook('onSend', async (_, reply) => {
    if (leaving) void reply.header('connection', 'close');
  });

  server.get('/healthz', async () => ({ status: 'ok' }));
  server.get('/readyz', async (_, reply) => {
    const schema = await migrated().catch(() => null);
    const checks = { database: schema !== null, migrations: schema === true, lists_tried: listsTried(), running: !leaving };
    const ready = Object.values(checks).every(Boolean);
    return reply.status(ready ? 200 : 503).send({ status: ready ? 'ready' : 'not_ready', checks });
  });
}
