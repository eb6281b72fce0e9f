import { spawn } from 'node:child_process';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { BenchFailure, type BenchOptions, type Measurement, type Run } from './bench.ts';
import { postgresCpuMs, treeCpuMs } from './cpu-time.ts';
import type { LoadPlan, LoadRequest, LoadResult } from './load.ts';
import type { Placement } from './placement.ts';
import { summarise } from './statistics.ts';

/** Time after a run in which a server writes what it has journaled, so that this CPU time belongs to its own run. */
const SETTLE_MS = 1_500;

/** A contender and the request that it is measured with. */
export interface Target {
  readonly name: string;
  readonly request: LoadRequest;
  readonly processes?: Processes;
}

/** The processes of a contender, by id. */
export interface Processes {
  readonly server: number;
  /** Main process of the Postgres that the server uses; null without one on this machine. */
  readonly postgres: number | null;
}

/**
 * Measures the targets alternately (A B C A B C …), one at a time, in each placement of each round. Each run starts a new load generator
 * process. @throws BenchFailure when a request got another status than 200
 */
export async function interleave(
  targets: readonly Target[],
  placements: readonly Placement[],
  { rounds, ...lengths }: BenchOptions,
  progress: (line: string) => void,
): Promise<readonly Measurement[]> {
  const measured = placements.flatMap((placement) => targets.map((target) => ({ placement, target, runs: [] as Run[] })));
  const servers = targets.flatMap(({ processes }) => processes?.server ?? []);
  for (let round = 1; round <= rounds; round += 1) {
    for (const { placement, target, runs } of measured) {
      if (target === targets[0]) placement.apply(servers);
      const run = await measure(target, lengths, placement.load);
      if (run.failures > 0) throw new BenchFailure(`${target.name}: ${describeFailures(run)}`);
      runs.push(run);
      progress(`round ${round}/${rounds} · ${placement.name} · ${target.name} · ${describeResult(run)}`);
    }
  }
  return measured.map(({ placement, target, runs }) => toMeasurement(target.name, placement.name, runs));
}

async function measure(
  { request, processes }: Target,
  { connections, seconds, warmupSeconds }: Omit<BenchOptions, 'rounds'>,
  prefix: readonly string[],
): Promise<Run> {
  const { server = null, postgres = null } = processes ?? {};
  const read = () => ({
    server: server === null ? 0 : treeCpuMs(server, postgres),
    postgres: postgres === null ? 0 : postgresCpuMs(postgres),
  });
  const before = read();
  const result = await load({ request, connections, seconds, warmupSeconds }, prefix);
  if (postgres !== null) await delay(SETTLE_MS);
  const after = read();
  const each = (ms: number) => (result.answers > 0 ? (ms * 1_000) / result.answers : 0);
  return { ...result, serverCpuUs: each(after.server - before.server), postgresCpuUs: each(after.postgres - before.postgres) };
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

/** Says how many requests got no 200, by status, e.g. `12 requests failed (429: 12) and 80 were answered`. */
export function describeFailures({ failures, otherStatuses, answers }: LoadResult): string {
  const byStatus = Object.entries(otherStatuses).map(([status, count]) => `${status}: ${count}`);
  return `${failures} requests failed (${byStatus.join(', ')}) and ${answers} were answered`;
}

const describeResult = ({ requestsPerSecond, p50Ms, p99Ms, serverCpuUs, postgresCpuUs }: Run): string =>
  `${Math.round(requestsPerSecond).toLocaleString('en-US')} req/s · p50 ${p50Ms.toFixed(2)} ms · p99 ${p99Ms.toFixed(2)} ms · CPU ${serverCpuUs.toFixed(0)} µs of the server, ${postgresCpuUs.toFixed(0)} µs of Postgres`;

function toMeasurement(name: string, placement: Placement['name'], runs: readonly Run[]): Measurement {
  const summary = (metric: Exclude<keyof Run, 'otherStatuses'>) => summarise(runs.map((run) => run[metric]));
  return {
    name,
    placement,
    requestsPerSecond: summary('requestsPerSecond'),
    p50Ms: summary('p50Ms'),
    p99Ms: summary('p99Ms'),
    generatorBusy: summary('generatorBusy'),
    serverCpuUs: summary('serverCpuUs'),
    postgresCpuUs: summary('postgresCpuUs'),
    runs,
  };
}
