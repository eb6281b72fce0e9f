import type { LoadResult } from './load.ts';
import type { Machine } from './machine.ts';
import type { Placement } from './placement.ts';
import type { Summary } from './statistics.ts';
import type { Target } from './targets.ts';

/** Duration and number of measurements. */
export interface BenchOptions {
  readonly rounds: number;
  /** Length of one run, without its warm-up. */
  readonly seconds: number;
  readonly warmupSeconds: number;
  /** Number of connections that the load generator uses, one request at a time on each. */
  readonly connections: number;
  /** Number of rows of the imported file. */
  readonly rows: number;
  /** Number of establishments of the made-up Brazilian registry. */
  readonly establishments: number;
  /** Number of watched companies. */
  readonly companies: number;
  /** Number of subscribed WebSockets. */
  readonly subscribers: number;
  /** Time for which Postgres is away, in seconds. */
  readonly outageSeconds: number;
}

/** The measurement of one performance claim. */
export interface Bench {
  /** Name on the command line. */
  readonly name: string;
  readonly description: string;
  /** Runs the benchmark and reports each run in one line. @throws BenchFailure when the measurements cannot be compared */
  run(options: BenchOptions, progress: (line: string) => void): Promise<Finished>;
}

/** Result of a benchmark: as JSON for programs, as Markdown for a terminal and for docs/benchmarks.md. */
export interface Finished {
  readonly report: object;
  readonly text: string;
  /** SVG files by name, for docs/images. */
  readonly images?: Readonly<Record<string, string>>;
}

/** A benchmark without a valid result: answers differ, requests failed or a server did not start. */
export class BenchFailure extends Error {
  override readonly name = 'BenchFailure';
}

/** A measurement of `of` divided by that of `to`. For contenders these are requests per second, unless `basis` names another figure. */
export interface Ratio {
  readonly of: string;
  readonly to: string;
  /** The figure that is compared, if the report compares several. */
  readonly basis?: string;
  readonly ratio: Summary;
  readonly target?: Target;
}

/** One run of a contender, with the CPU time that an answer took. */
export interface Run extends LoadResult {
  /** CPU time of the server for each answer, in µs; 0 where the system does not tell it. */
  readonly serverCpuUs: number;
  /** CPU time of its Postgres for each answer, in µs; 0 without one. */
  readonly postgresCpuUs: number;
}

/** Measurements of one contender in one placement, in all rounds. */
export interface Measurement {
  readonly name: string;
  readonly placement: Placement['name'];
  readonly requestsPerSecond: Summary;
  readonly p50Ms: Summary;
  readonly p99Ms: Summary;
  readonly generatorBusy: Summary;
  readonly serverCpuUs: Summary;
  readonly postgresCpuUs: Summary;
  readonly runs: readonly Run[];
}

/** The comparison of all contenders for one request. */
export interface Claim {
  readonly title: string;
  readonly answerBytes: number;
  readonly measured: readonly Measurement[];
  readonly ratios: readonly Ratio[];
}

/** Report of a benchmark of servers. */
export interface Report {
  readonly bench: string;
  readonly machine: Machine;
  readonly options: BenchOptions;
  /** Contender → its description. */
  readonly contenders: Readonly<Record<string, string>>;
  readonly claims: readonly Claim[];
  /** Ratios across claims. */
  readonly ratios?: readonly Ratio[];
}
