import type { ControlReply, RunningSandbox } from '../../sandbox/index.ts';
import { MODULES } from '../domain/catalogue.ts';
import type { GivenPlan, GivenPlans, Rate } from '../domain/plan.ts';
import { createPlans, STANDARD } from '../metering/plans.ts';
import type { ConfigWithSecret } from './data-folder.ts';

/** The sandbox of the parent, as a worker process knows it. */
export type SharedSandbox = Pick<RunningSandbox, 'url' | 'dns' | 'examples'>;

/** The task that the parent sends to a worker process. */
export interface WorkerTask {
  /** Number of the worker, from 0. Worker 0 runs the background jobs. */
  readonly index: number;
  readonly config: ConfigWithSecret;
  /** The sandbox; null in live mode. */
  readonly sandbox: SharedSandbox | null;
}

/**
 * Returns the configuration of one of `config.workers` processes. The first keeps the role worker, and each has a port of metrics of its
 * own. Without Redis each process has its share of the limits of a key; with Redis the limits count over all processes.
 */
export function configOfWorker(config: ConfigWithSecret, index: number): ConfigWithSecret {
  const { workers, roles, metricsPort, redisUrl, plans, executionLimits } = config;
  const shares = redisUrl === undefined ? workers : 1;
  return {
    ...config,
    roles: index === 0 ? roles : roles.filter((role) => role !== 'worker'),
    metricsPort: metricsPort ? metricsPort + index : metricsPort,
    plans: shares > 1 ? dividedPlans(plans, shares) : plans,
    executionLimits: { ...executionLimits, perKey: Math.ceil(executionLimits.perKey / shares) },
  };
}

/** Returns the plans with the n-th part of each rate. An operation that one process would accept is accepted by each of several. */
function dividedPlans(given: GivenPlans, n: number): GivenPlans {
  const planOf = createPlans(given);
  const divided = ({ perMinute, burst }: Rate): Rate => ({ perMinute: Math.ceil(perMinute / n), burst: Math.ceil(burst / n) });
  const changed = (name: string): GivenPlan => {
    const plan = planOf(name);
    const modules = MODULES.map((module) => {
      const { rate } = plan[module];
      return [module, { ...plan[module], rate: rate && divided(rate) }] as const;
    });
    const cost = divided(plan.graphql);
    const graphql = { ...plan.graphql, ...cost, burst: Math.max(cost.burst, Math.min(plan.graphql.ceiling, plan.graphql.burst)) };
    return { ...Object.fromEntries(modules), graphql, watch: plan.watch };
  };
  return Object.fromEntries([...new Set([STANDARD, ...Object.keys(given)])].map((name) => [name, changed(name)]));
}

/** Returns the function that controls the sandbox of the parent, over its address. */
export const controlOf =
  ({ url }: SharedSandbox) =>
  async ({ method, path, body }: { method: string; path: string; body: string }): Promise<ControlReply> => {
    // biome-ignore lint/style/noRestrictedGlobals: the sandbox of the parent is neither a source nor a host that users name
    const reply = await fetch(`${url}/_control/${path}`, { method, ...(method !== 'GET' && { body }) });
    return { status: reply.status, body: await reply.text() };
  };
