/** A test of a JSON report of vitest. */
export interface ReportedTest {
  /** Titles of its groups and its own, joined by blanks. */
  readonly fullName: string;
  readonly status: string;
}

/** `skipped`: at least one test of the promise did not run. */
export type PromiseResult = 'passed' | 'failed' | 'skipped';

const ID = /\b[A-Z]{2}-\d{2}\b/g;

/** One result for each promise id in the names of these tests: failed if any test failed, passed if all passed. */
export function promiseResults(tests: readonly ReportedTest[]): ReadonlyMap<string, PromiseResult> {
  const statuses = new Map<string, string[]>();
  for (const { fullName, status } of tests) {
    for (const id of new Set(fullName.match(ID))) statuses.set(id, [...(statuses.get(id) ?? []), status]);
  }
  return new Map([...statuses].map(([id, all]) => [id, resultOf(all)]));
}

function resultOf(statuses: readonly string[]): PromiseResult {
  if (statuses.includes('failed')) return 'failed';
  return statuses.every((status) => status === 'passed') ? 'passed' : 'skipped';
}

/**
 * The page of promises with its column "Last full result" filled, for example `passed 2026-11-22 859be96`. A promise
 * without a result keeps its cell.
 */
export function withResults(page: string, results: ReadonlyMap<string, PromiseResult>, stamp: string): string {
  return page.replace(/^(\| ([A-Z]{2}-\d{2}) \|.*\|)[^|]*\|$/gm, (row: string, start: string, id: string) => {
    const result = results.get(id);
    return result ? `${start} ${result} ${stamp} |` : row;
  });
}
