import type { FastifyInstance } from 'fastify';
import { BRIDGED_MS } from '../db/unavailable.ts';
import type { DatabaseState } from '../db/watch.ts';
import { type Clock, isoWithOffset, SECOND_MS } from '../domain/time.ts';
import { toSourceStatus } from '../rest/account-routes.ts';
import type { SourceReport } from '../sources/build.ts';

/** Conditions of readiness. */
export interface Readiness {
  /** True if the database has every migration of this version, by the last probe that succeeded; null before the first. */
  readonly migrated: () => boolean | null;
  readonly database: () => DatabaseState;
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

/**
 * Mounts `/healthz` (liveness) and `/readyz` (readiness). Neither costs a statement per request, because anyone may ask. Failed sources do not affect
 * readiness: other answers still work.
 *
 * A process whose database has become unavailable is `degraded`, with status 200, for as long as it answers from memory. Usually no process
 * reaches the database then, so a load balancer that removed them all would refuse also what they can answer. If only one process has lost
 * the database, its refusals have a Retry-After, and it is not ready after 30 s. A process that has just started is never degraded.
 */
export function mountHealth(server: FastifyInstance, readiness: Readiness, isDraining: () => boolean): void {
  const { migrated, database, listsTried, jobsRun, notes, schemaProblem } = readiness;
  server.get('/healthz', async () => ({ status: 'ok' }));
  server.get('/readyz', async (_, reply) => {
    const state = database();
    const checks = {
      database: state.isAvailable,
      migrations: migrated() === true && schemaProblem === null,
      lists_tried: listsTried(),
      jobs: jobsRun(),
      running: !isDraining(),
    };
    const status = statusOf(checks, state);
    const sentences = status === 'degraded' ? [DEGRADED] : [];
    const details = [...sentences, ...(schemaProblem === null ? [] : [schemaProblem]), ...notes()];
    return reply.status(status === 'not_ready' ? 503 : 200).send({ status, checks, details });
  });
}

const DEGRADED =
  'The database does not respond, or has just returned: answers in memory are given, and requests that need the database are refused.';

/** Computes the status. The job queue needs some seconds after the return of the database, in which its failure does not count. */
function statusOf(
  { database, jobs, ...others }: Readonly<Record<'database' | 'migrations' | 'lists_tried' | 'jobs' | 'running', boolean>>,
  { respondedMsAgo, failedMsAgo }: DatabaseState,
): 'ready' | 'degraded' | 'not_ready' {
  if (!Object.values(others).every(Boolean)) return 'not_ready';
  if (database && jobs) return 'ready';
  return respondedMsAgo < BRIDGED_MS && failedMsAgo < BRIDGED_MS ? 'degraded' : 'not_ready';
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
