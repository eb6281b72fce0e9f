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

export interface LoadResult {
  readonly requestsPerSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Number of responses of any status. */
  readonly requests: number;
  /** Number of responses other than 2xx, and of requests without a response, including the warm-up. */
  readonly failures: number;
  /** Share of its CPU that the generator used, 0–1. Near 1, the generator limits the result and not the server. */
  readonly generatorBusy: number;
}

async function measure({ request, connections, warmupSeconds, seconds }: LoadPlan): Promise<LoadResult> {
  const options = { ...request, method: 'POST', connections, sampleInt: 50, timeout: 60 } as const;
  const warm = warmupSeconds > 0 ? await autocannon({ ...options, duration: warmupSeconds }) : null;

  const latencies: number[] = [];
  const startedAt = performance.now();
  const startedCpu = process.cpuUsage();
  let endedAt = startedAt;
  const run = autocannon({ ...options, duration: seconds });
  run.on('response', (_client, _status, _bytes, ms) => {
    latencies.push(ms);
    endedAt = performance.now();
  });
  const measured = await run;
  const { user, system } = process.cpuUsage(startedCpu);

  const failures = [warm, measured].reduce((sum, result) => sum + (result ? result.non2xx + result.errors : 0), 0);
  if (latencies.length === 0) return { requestsPerSecond: 0, p50Ms: 0, p99Ms: 0, requests: 0, failures: failures + 1, generatorBusy: 0 };
  return {
    requestsPerSecond: (latencies.length / (endedAt - startedAt)) * 1_000,
    p50Ms: quantile(latencies, 0.5),
    p99Ms: quantile(latencies, 0.99),
    requests: latencies.length,
    failures,
    generatorBusy: (user + system) / 1_000 / (performance.now() - startedAt),
  };
}

process.stdout.write(JSON.stringify(await measure(JSON.parse(await text(process.stdin)) as LoadPlan)));
