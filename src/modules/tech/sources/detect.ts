import { Worker } from 'node:worker_threads';
import { sourceUnavailable } from '../../../domain/errors.ts';
import { SECOND_MS } from '../../../domain/time.ts';
import { createCallSlots } from '../../../sources/http/policy.ts';
import type { Technology } from '../domain.ts';
import type { FetchedPage } from './match.ts';

/** A page takes about 0.5 s, or a few seconds on a busy machine. A page that takes longer than this is malicious. */
const DEADLINE_MS = 10 * SECOND_MS;
/** At most two threads, because each one uses a whole core; up to 64 pages wait. */
const slots = createCallSlots(2);

/**
 * Detects the technologies of a page.
 * @throws AppError SOURCE_UNAVAILABLE when detection exceeds the deadline, or too many pages wait
 */
export const detectTechnologies = (page: FetchedPage, deadlineMs = DEADLINE_MS): Promise<readonly Technology[]> =>
  slots(() => inThread(page, deadlineMs)).catch(asUnavailable);

const asUnavailable = (error: Error): never => {
  throw sourceUnavailable('website', error);
};

function inThread(page: FetchedPage, deadlineMs: number): Promise<readonly Technology[]> {
  const thread = new Worker(new URL(import.meta.url.endsWith('.ts') ? './detect-thread.ts' : './detect-thread.js', import.meta.url), {
    workerData: page,
    resourceLimits: { maxOldGenerationSizeMb: 256 },
  });
  return new Promise<readonly Technology[]>((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`technologies were not detected within ${deadlineMs} ms`)), deadlineMs);
    thread.once('message', resolve);
    thread.once('error', reject);
    thread.once('exit', () => {
      clearTimeout(timer);
      reject(new Error('the thread ended without a result'));
    });
  }).finally(() => thread.terminate());
}
