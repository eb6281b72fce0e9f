import type { FastifyInstance } from 'fastify';

/** Conditions of readiness. */
export interface Readiness {
  /** Whether the database has every migration of this version, as a probe found it last; null while it does not answer. */
  readonly migrated: () => boolean | null;
  /** True once every list was tried once, whether it loaded or failed. */
  readonly listsTried: () => boolean;
  /** False while the job queue of this process fails; true in a process without jobs. */
  readonly jobsRun: () => boolean;
}

/** Answered however loaded the process is: a refusal would restart it, or take it out of service. */
export const HEALTH_PATHS: ReadonlySet<string> = new Set(['/healthz', '/readyz']);

/** Mounts `/healthz` (liveness) and `/readyz` (readiness). Neither costs a statement, because anyone may ask. Failed sources do not affect readiness: other answers still work. */
export function mountHealth(server: FastifyInstance, { migrated, listsTried, jobsRun }: Readiness, isDraining: () => boolean): void {
  server.get('/healthz', async () => ({ status: 'ok' }));
  server.get('/readyz', async (_, reply) => {
    const schema = migrated();
    const checks = {
      database: schema !== null,
      migrations: schema === true,
      lists_tried: listsTried(),
      jobs: jobsRun(),
      running: !isDraining(),
    };
    const ready = Object.values(checks).every(Boolean);
    return reply.status(ready ? 200 : 503).send({ status: ready ? 'ready' : 'not_ready', checks });
  });
}
