import type { Target } from './harness/targets.ts';

/** A row of the table of figures to reach in docs/benchmarks.md. */
export interface NamedTarget {
  /** Text of the row. */
  readonly name: string;
  /** Name of the benchmark that measures it. */
  readonly bench: string;
  readonly target: Target;
}

const named = (bench: string, name: string, target: Target): NamedTarget => ({ bench, name, target });

/** The figures to reach. Ratios are of requests a second, with key, limit, usage and log. */
export const TARGETS = {
  restByHand: named('rest', 'REST consolidated check / same work by hand, at 8, 64 and 256 connections', { atLeast: 4 }),
  restBare: named('rest', 'REST consolidated check / bare handler that stringifies', { atLeast: 0.4 }),
  oneByHand: named('graphql', '1 company / same work by hand (Mercurius with jit)', { atLeast: 3 }),
  fewByHand: named('graphql', '50 companies / same work by hand (Mercurius with jit)', { atLeast: 3 }),
  fewUncounted: named('graphql', '50 companies / hand-written Apollo Server that counts nothing', { atLeast: 8 }),
  fewBare: named('graphql', '50 companies / bare handler that stringifies', { atLeast: 0.7 }),
  oneUncounted: named('graphql', '1 company / hand-written Apollo Server that counts nothing', { atLeast: 1.6 }),
  fairP99: named('fairness', 'p99 of one company beside lists of 500', { atMost: 50, unit: 'ms' }),
  fairRatio: named('fairness', 'p99 of one company beside lists of 500 / its idle p99', { atMost: 5 }),
  leastCacheBytes: named('memory', 'growth of the heap / bytes that caches count, from below', { atLeast: 0.85 }),
  greatestCacheBytes: named('memory', 'growth of the heap / bytes that caches count, from above', { atMost: 1.15 }),
  awayAnswers: named('away', 'answers with status 200 from warm caches while Postgres is stopped for 20 s', { atLeast: 99, unit: '%' }),
  awayUncounted: named('away', 'of these, answers that are not counted afterwards', { atMost: 0 }),
  graphCompanyP50: named('graph', 'company with partners and head office, p50', { atMost: 0.5, unit: 'ms' }),
  graphCompanyP99: named('graph', 'company with partners and head office, p99', { atMost: 5, unit: 'ms' }),
  graphList: named('graph', '500 companies, kyb and owners, p50', { atMost: 30, unit: 'ms' }),
  graphReverse: named('graph', 'companies of a company or probable person, first 100, p95', { atMost: 10, unit: 'ms' }),
  graphGroup: named('graph', 'group up and down, 3 levels, at most 500 companies, p95', { atMost: 50, unit: 'ms' }),
  graphPath: named('graph', 'path of at most 6 edges, p95', { atMost: 150, unit: 'ms' }),
  graphSearch: named('graph', 'search by name with filters, page of 20, p95', { atMost: 50, unit: 'ms' }),
  graphHistory: named('graph', 'history or earlier record of one company, p95', { atMost: 5, unit: 'ms' }),
  graphImport: named('graph', 'import of the rows of a month / COPY of the same rows, rows a second', { atLeast: 0.5 }),
  graphMemory: named('graph', 'peak memory of the import', { atMost: 400, unit: 'MB' }),
  graphDisk: named('graph', 'peak disk of the import of a second month / size of a version', { atMost: 2.2 }),
  screeningBuild: named('screening', 'build of the indexes of names of all lists', { atMost: 3, unit: 's' }),
  screeningMemory: named('screening', 'memory of the indexes of names of all lists', { atMost: 250, unit: 'MB' }),
} as const satisfies Readonly<Record<string, NamedTarget>>;
