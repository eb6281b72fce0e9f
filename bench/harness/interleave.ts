import { spawn } from 'node:child_process';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { BenchFailure, type BenchOptions, type Measurement } from './bench.ts';
import type { LoadPlan, LoadRequest, LoadResult } from './load.ts';
import { summarise } from './statistics.ts';

/** A contender and the request that it is measured with. */
export interface Target {
  readonly name: string;
  readonly request: LoadRequest;
}

/**
 * Measures the targets alternately (A B C A B C …), one at a time. Each run starts a new load generator process; `prefix` pins it to a
 * CPU. @throws BenchFailure when a request failed
 */
export async function interleave(
  targets: readonly Target[],
  { rounds, ...lengths }: BenchOptions,
  prefix: readonly string[],
  progress: (line: string) => void,
): Promise<readonly Measurement[]> {
  const runs = targets.map((): LoadResult[] => []);
  for (let round = 1; round <= rounds; round += 1) {
    for (const [i, { name, request }] of targets.entries()) {
      const result = await load({ request, ...lengths }, prefix);
      if (result.failures > 0) throw new BenchFailure(`${name}: ${result.failures} requests failed and ${result.requests} were answered`);
      runs[i]?.push(result);
      progress(`round ${round}/${rounds} · ${name} · ${describeResult(result)}`);
    }
  }
  return targets.map(({ name }, i) => toMeasurement(name, runs[i] ?? []));
}

/** Runs the load generator as a separate process. @throws BenchFailure when it fails; failed requests are in its result */
export async function load(plan: LoadPlan, prefix: readonly string[]): Promise<LoadResult> {
  const [command = '', ...args] = [...prefix, process.execPath, path.join(import.meta.dirname, 'load.ts')];
  const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  const exit = new Promise<number | null>((resolve, reject) => child.once('error', reject).once('exit', resolve));
  child.stdin.end(JSON.stringify(plan));
  const [code, out] = await Promise.all([exit, text(child.stdout)]);
  if (code !== 0) throw new BenchFailure(`the load generator ended with ${code}`);
  return JSON.parse(out) as LoadResult;
}

const describeResult = ({ requestsPerSecond, p50Ms, p99Ms }: LoadResult): string =>
  `${Math.round(requestsPerSecond).toLocaleString('en-US')} req/s · p50 ${p50Ms.toFixed(2)} ms · p99 ${p99Ms.toFixed(2)} ms`;

function toMeasurement(name: string, runs: readonly LoadResult[]): Measurement {
  const summary = (metric: keyof LoadResult) => summarise(runs.map((run) => run[metric]));
  return {
    name,
    requestsPerSecond: summary('requestsPerSecond'),
    p50Ms: summary('p50Ms'),
    p99Ms: summary('p99Ms'),
    generatorBusy: summary('generatorBusy'),
    runs,
  };
}
