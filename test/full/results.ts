/** A test of a JSON report of vitest. */
export interface ReportedTest {
  /** Titles of its groups and its own, joined by blanks. */
  readonly fullName: string;
  readonly status: string;
}

/** `skipped`: at least one test of the promise did not run. */
export type Outcome = 'passed' | 'failed' | 'skipped';

/** The last run of a part. */
export interface PartResult {
  /** UTC, YYYY-MM-DD. */
  readonly date: string;
  /** Short hash; ends in `-dirty` when files differed from it. */
  readonly commit: string;
  readonly seconds: number;
  /** Seed of the property tests. */
  readonly seed: number;
  readonly result: 'passed' | 'failed';
  readonly promises: Readonly<Record<string, Outcome>>;
  /** Of each test file at the time of the run (`fingerprints`). Absent from runs that were recorded without them: they are stale. */
  readonly fingerprints?: Readonly<Record<string, string>>;
}

/** The last result of each part by its name. A part that was never run is absent. */
export type Results = Readonly<Record<string, PartResult>>;

const ID = /\b[A-Z]{2}-\d{2}\b/g;

/** One outcome for each promise id in the names of these tests: failed if any test failed, passed if all passed. */
export function outcomesOf(tests: readonly ReportedTest[]): Readonly<Record<string, Outcome>> {
  const ids = [...new Set(tests.flatMap(({ fullName }) => fullName.match(ID) ?? []))].sort();
  return Object.fromEntries(
    ids.map((id) => [id, worst(tests.filter(({ fullName }) => fullName.includes(id)).map(({ status }) => status))]),
  );
}

export function worst(statuses: readonly string[]): Outcome {
  if (statuses.includes('failed')) return 'failed';
  return statuses.every((status) => status === 'passed') ? 'passed' : 'skipped';
}

/** Files of a part that have changed since its last run, or were not in it. */
export const changedSince = (last: PartResult | undefined, now: Readonly<Record<string, string>>): readonly string[] =>
  Object.keys(now).filter((file) => last?.fingerprints?.[file] !== now[file]);

/** The parts in their order, but those that are stale before the others. */
export const staleFirst = <T>(parts: readonly T[], isStale: (part: T) => boolean): readonly T[] => {
  const stale = parts.filter(isStale);
  return [...stale, ...parts.filter((part) => !stale.includes(part))];
};
