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
