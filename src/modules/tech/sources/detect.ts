import { recent } from '../../../cache/recent.ts';
import { sourceUnavailable } from '../../../domain/errors.ts';
import { MINUTE_MS, SECOND_MS } from '../../../domain/time.ts';
import { registrable } from '../../../sources/domains/domain.ts';
import { createReadingProcesses, TooCostly } from '../../../sources/reading-process/reading-process.ts';
import type { Technology } from '../domain.ts';
import type { FetchedPage } from './match.ts';

/** Deadline of a detection, in ms. A page takes some 0.2 s, or a few seconds on a busy machine. A page that takes longer is malicious. */
const DEADLINE_MS = 10 * SECOND_MS;

const detectors = createReadingProcesses<FetchedPage, readonly Technology[]>({
  beside: import.meta.url,
  name: 'detect-process',
  processes: 2, // each one uses a whole core
  perCaller: 1,
  deadlineMs: DEADLINE_MS,
});

const TOO_COSTLY_MS = 10 * MINUTE_MS;
const MAX_TOO_COSTLY = 1_000;
/** Sites of pages that exceeded their time or memory. No page of a site is examined as long as it has an entry. */
const tooCostly = recent<string, true>(MAX_TOO_COSTLY, TOO_COSTLY_MS);

/**
 * Detects the technologies of a page.
 * @throws AppError SOURCE_UNAVAILABLE when detection exceeds its deadline or its memory, for ten minutes after that for all pages of the
 * same site, and when too many pages wait
 */
export async function detectTechnologies(page: FetchedPage, deadlineMs = DEADLINE_MS): Promise<readonly Technology[]> {
  const { hostname } = new URL(page.url);
  const site = registrable(hostname) ?? hostname;
  if (tooCostly.has(site)) {
    throw sourceUnavailable('website', new TooCostly('a page of this site took too much time or memory a few minutes ago'));
  }
  try {
    return await detectors.run(page, deadlineMs);
  } catch (error) {
    if (error instanceof TooCostly) tooCostly.set(site, true);
    throw sourceUnavailable('website', error as Error);
  }
}
