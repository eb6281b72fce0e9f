import { text } from 'node:stream/consumers';
import autocannon from 'autocannon';
import { quantile } from './statistics.ts';

/**
 * The load generator, run as a separate process: reads a LoadPlan from stdin, sends requests, prints a LoadResult.
 * Latencies are taken from its events, because autocannon's own histogram counts whole milliseconds.
 */

/** The request that is sent repeatedly. */
export interface LoadRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface LoadPlan {
  readonly request: LoadRequest;
  readonly connections: number;
  readonly warmupSeconds: number;
  readonly seconds: number;
}

/** The result of a run. Only responses with status 200 count: a refusal is cheap, so it must not make a rate better. */
export interface LoadResult {
  readonly requestsPerSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Number of responses with status 200, without the warm-up. */
  readonly requests: number;
  /** Number of responses with status 200, including the warm-up. */
  readonly answers: number;
  /** Number of responses with another status, and of requests without a response, including the warm-up. */
  readonly failures: number;
  /** Status → number of responses with it, other than 200; `none` for requests without a response. */
  readonly otherStatuses: Readonly<Record<string, number>>;
  /** Share of its CPU that the generator used, 0–1. Near 1, the generator limits the result and not the server. */
  readonly generatorBusy: number;
}

async function measure({ request, connections, warmupSeconds, seconds }: LoadPlan): Promise<LoadResult> {
  const options = { ...request, method: 'POST', connections, sampleInt: 50, timeout: 60 } as const;
  const otherStatuses: Record<string, number> = {};
  const count = (status: number | string, by = 1) => {
    otherStatuses[status] = (otherStatuses[status] ?? 0) + by;
  };
  async function loadFor(duration: number, onAnswer: (ms: number) => void): Promise<void> {
    const run = autocannon({ ...options, duration });
    run.on('response', (_client, status, _bytes, ms) => (status === 200 ? onAnswer(ms) : count(status)));
    const { errors } = await run;
    if (errors > 0) count('none', errors);
  }

  let warmUpAnswers = 0;
  const countWarmUp = () => {
    warmUpAnswers += 1;
  };
  if (warmupSeconds > 0) await loadFor(warmupSeconds, countWarmUp);

  const latencies: number[] = [];
  const startedAt = performance.now();
  const startedCpu = process.cpuUsage();
  let endedAt = startedAt;
  await loadFor(seconds, (ms) => {
    latencies.push(ms);
    endedAt = performance.now();
  });
  const { user, system } = process.cpuUsage(startedCpu);

  if (latencies.length === 0) count(`no answer within ${seconds} s`);
  const failures = Object.values(otherStatuses).reduce((sum, one) => sum + one, 0);
  const counts = { requests: latencies.length, answers: warmUpAnswers + latencies.length, otherStatuses };
  if (latencies.length === 0) return { requestsPerSecond: 0, p50Ms: 0, p99Ms: 0, ...counts, failures, generatorBusy: 0 };
  return {
    requestsPerSecond: (latencies.length / (endedAt - startedAt)) * 1_000,
    p50Ms: quantile(latencies, 0.5),
    p99Ms: quantile(latencies, 0.99),
    ...counts,
    failures,
    generatorBusy: (user + system) / 1_000 / (performance.now() - startedAt),
  };
}

process.stdout.write(JSON.stringify(await measure(JSON.parse(await text(process.stdin)) as LoadPlan)));
