import type { Measured } from './interleave.ts';
import type { Machine } from './machine.ts';
import type { Summary } from './statistics.ts';

/** How long and how often to measure. */
export interface BenchOptions {
  readonly rounds: number;
  /** Length of one run, without its warm-up. */
  readonly seconds: number;
  readonly warmupSeconds: number;
  /** Connections the load generator keeps busy, one request at a time on each. */
  readonly connections: number;
  /** Rows of the file that is imported. */
  readonly rows: number;
  /** Companies that are watched. */
  readonly companies: number;
  /** Sockets that listen. */
  readonly subscribers: number;
}

/** One performance claim, measured. */
export interface Bench {
  /** As given on the command line. */
  readonly name: string;
  readonly description: string;
  /** Tells a line about each run as it ends. @throws BenchFailure when what was measured cannot be compared */
  run(options: BenchOptions, progress: (line: string) => void): Promise<Finished>;
}

/** What a bench found: for a program, and for a terminal. */
export interface Finished {
  readonly report: object;
  readonly text: string;
}

/** A run whose figures mean nothing: answers differ, requests failed, a server did not start. */
export class BenchFailure extends Error {
  override readonly name = 'BenchFailure';
}

/** `ratio` times as many requests a second by `of` as by `to`; both name a contender. */
export interface Ratio {
  readonly of: string;
  readonly to: string;
  readonly ratio: Summary;
}

/** One question, asked of every contender. */
export interface Claim {
  readonly title: string;
  readonly answerBytes: number;
  readonly measured: readonly Measured[];
  readonly ratios: readonly Ratio[];
}

/** Of a bench that asks servers. */
export interface Report {
  readonly bench: string;
  readonly machine: Machine;
  readonly options: BenchOptions;
  /** Contender → what it is. */
  readonly contenders: Readonly<Record<string, string>>;
  readonly claims: readonly Claim[];
}
