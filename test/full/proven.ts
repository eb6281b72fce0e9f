import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fingerprints, workTree } from './fingerprints.ts';
import { isCurrent, type Results } from './results.ts';

/** What full runs recorded. */
export const RESULTS = path.join(import.meta.dirname, 'results.json');

export const recorded = (): Results => JSON.parse(readFileSync(RESULTS, 'utf8'));

/** Paths from the root of the test files that passed their last full run, and depend on no file that has changed since. */
export function provenFiles(): readonly string[] {
  const fingerprintOf = fingerprints(workTree);
  return Object.entries(recorded())
    .filter(([name, last]) => name.endsWith('.test.ts') && last.result === 'passed' && isCurrent(last, fingerprintOf(name)))
    .map(([name]) => name);
}
