import type { FastifyInstance } from 'fastify';
import { type Clock, isoWithOffset, SECOND_MS } from '../domain/time.ts';
import { toSourceStatus } from '../rest/account-routes.ts';
import type { SourceReport } from '../sources/build.ts';

/** Conditions of readiness. */
export interface Readiness {
  /** True if the database has every migration of this version, by the last probe; null while the database does not respond. */
  readonly migrated: () => boolean | null;
  /** True once every list was tried, whether it loaded or failed. */
  readonly listsTried: () => boolean;
  /** Notes for operators, as sentences. They do not affect readiness. */
  readonly notes: () => readonly string[];
  /** Reason for which this process cannot serve its database, as a sentence; null if it can. */
  readonly schemaProblem: string | null;
  /** False while the job queue of this process fails; true in a process without jobs. */
  readonly jobsRun: () => boolean;
}

/** Paths that are answered even by an overloaded process, because a refusal would restart it or remove it from the load balancer. */
export const HEALTH_PATHS: ReadonlySet<string> = new Set(['/healthz', '/readyz']);

/** Mounts `/healthz` (liveness) and `/readyz` (readiness). Neither costs a statement per request, because anyone may ask. Failed sources do not affect readiness: other answers still work. */
export function mountHealth(
  server: FastifyInstance,
  { migrated, listsTried, jobsRun, notes, schemaProblem }: Readiness,
  isDraining: () => boolean,
): void {
  server.get('/healthz', async () => ({ status: 'ok' }));
  server.get('/readyz', async (_, reply) => {
    const schema = migrated();
    const checks = {
      database: schema !== null,
      migrations: schema === true && schemaProblem === null,
      lists_tried: listsTried(),
      jobs: jobsRun(),
      running: !isDraining(),
    };
    const ready = Object.values(checks).every(Boolean);
    const details = [...(schemaProblem === null ? [] : [schemaProblem]), ...notes()];
    return reply.status(ready ? 200 : 503).send({ status: ready ? 'ready' : 'not_ready', checks, details });
  });
}

/** Time for which a report of the sources is cached, because reading it costs statements, and anyone may request it. */
const STATUS_KEPT_MS = 5 * SECOND_MS;

/** Reads the document `/status.json`: state, age and version of each source. It contains no data of customers. */
export function createStatus(report: () => Promise<readonly SourceReport[]>, now: Clock): () => Promise<unknown> {
  const read = async (at: number) => ({ generated_at: isoWithOffset(at), sources: (await report()).map(toSourceStatus) });
  let kept: { readonly at: number; readonly status: Promise<unknown> } | null = null;
  return () => {
    const at = now();
    if (!kept || at - kept.at >= STATUS_KEPT_MS) kept = { at, status: read(at) };
    return kept.status;
  };
}
