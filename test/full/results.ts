/** A test of a JSON report of vitest. */
export interface ReportedTest {
  /** Titles of its groups and its own, joined by blanks. */
  readonly fullName: string;
  readonly status: string;
}

/** `skipped`: at least one test of the promise did not run. */
export type Outcome = 'passed' | 'failed' | 'skipped';

/** The last run of a test file, or of the fast tests at another date. */
export interface Result {
  /** UTC, YYYY-MM-DD. */
  readonly date: string;
  /** Short hash; ends in `-dirty` when files differed from it. */
  readonly commit: string;
  /** Time from its first test to the end of its last one. */
  readonly seconds: number;
  /** Seed of the property tests. */
  readonly seed: number;
  readonly result: 'passed' | 'failed';
  /** Of the tests of the file. */
  readonly promises: Readonly<Record<string, Outcome>>;
  /** Of the file before the run (`fingerprints`). */
  readonly fingerprint: string;
}

/** Last results by the path of the test file from the root, or by the name of the date. What was never run is absent. */
export type Results = Readonly<Record<string, Result>>;

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

/** True for a result of the files as they are now. */
export const isCurrent = (last: Result | undefined, fingerprint: string): boolean => last?.fingerprint === fingerprint;

/** The parts in their order, but those with something to run before the others. */
export const unprovenFirst = <T>(parts: readonly T[], isUnproven: (part: T) => boolean): readonly T[] => {
  const unproven = parts.filter(isUnproven);
  return [...unproven, ...parts.filter((part) => !unproven.includes(part))];
};
