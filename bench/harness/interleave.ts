import { spawn } from 'node:child_process';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { BenchFailure, type BenchOptions } from './bench.ts';
import type { LoadPlan, LoadRequest, LoadResult } from './load.ts';
import { type Summary, summarise } from './statistics.ts';

/** One contender and what to ask it. */
export interface Lane {
  readonly name: string;
  readonly request: LoadRequest;
}

/** What one contender did in all rounds. */
export interface Measured {
  readonly name: string;
  readonly requestsPerSecond: Summary;
  readonly p50Ms: Summary;
  readonly p99Ms: Summary;
  readonly generatorBusy: Summary;
  readonly runs: readonly LoadResult[];
}

/**
 * Loads the contenders in turn, A B C A B C …, one at a time, each run by a fresh load generator behind the command prefix that pins it.
 * @throws BenchFailure when a request failed
 */
export async function interleave(
  lanes: readonly Lane[],
  { rounds, ...lengths }: BenchOptions,
  prefix: readonly string[],
  progress: (line: string) => void,
): Promise<readonly Measured[]> {
  const runs = lanes.map((): LoadResult[] => []);
  for (let round = 1; round <= rounds; round += 1) {
    for (const [i, { name, request }] of lanes.entries()) {
      const result = await load({ request, ...lengths }, prefix);
      if (result.failures > 0) throw new BenchFailure(`${name}: ${result.failures} requests failed beside ${result.requests} answers`);
      runs[i]?.push(result);
      progress(`round ${round}/${rounds} · ${name} · ${inWords(result)}`);
    }
  }
  return lanes.map(({ name }, i) => toMeasured(name, runs[i] ?? []));
}

async function load(plan: LoadPlan, prefix: readonly string[]): Promise<LoadResult> {
  const [command = '', ...args] = [...prefix, process.execPath, path.join(import.meta.dirname, 'load.ts')];
  const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  const exit = new Promise<number | null>((resolve, reject) => child.once('error', reject).once('exit', resolve));
  child.stdin.end(JSON.stringify(plan));
  const [code, out] = await Promise.all([exit, text(child.stdout)]);
  if (code !== 0) throw new BenchFailure(`the load generator ended with ${code}`);
  return JSON.parse(out) as LoadResult;
}

const inWords = ({ requestsPerSecond, p50Ms, p99Ms }: LoadResult): string =>
  `${Math.round(requestsPerSecond).toLocaleString('en-US')} req/s · p50 ${p50Ms.toFixed(2)} ms · p99 ${p99Ms.toFixed(2)} ms`;

function toMeasured(name: string, runs: readonly LoadResult[]): Measured {
  const summary = (figure: keyof LoadResult) => summarise(runs.map((run) => run[figure]));
  return {
    name,
    requestsPerSecond: summary('requestsPerSecond'),
    p50Ms: summary('p50Ms'),
    p99Ms: summary('p99Ms'),
    generatorBusy: summary('generatorBusy'),
    runs,
  };
}
