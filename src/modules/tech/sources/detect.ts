import { Worker } from 'node:worker_threads';
import { bulkhead } from 'cockatiel';
import { sourceUnavailable } from '../../../domain/errors.ts';
import { SECOND_MS } from '../../../domain/time.ts';
import type { Technology } from '../domain.ts';
import type { PageVisit } from './match.ts';

/** A page takes some 0.5 s, on a busy machine a few; one that takes this long is made to. */
const DEADLINE_MS = 10 * SECOND_MS;
/** Each keeps a core busy. */
const places = bulkhead(2, 64);

/**
 * A page → the technologies that it shows.
 * @throws AppError SOURCE_UNAVAILABLE when the page cannot be judged in time, or too many wait
 */
export const detectTechnologies = (visit: PageVisit, deadlineMs = DEADLINE_MS): Promise<readonly Technology[]> =>
  places.execute(() => inThread(visit, deadlineMs)).catch(unjudged);

const unjudged = (error: Error): never => {
  throw sourceUnavailable('website', error);
};

function inThread(visit: PageVisit, deadlineMs: number): Promise<readonly Technology[]> {
  const thread = new Worker(new URL(import.meta.url.endsWith('.ts') ? './detect-thread.ts' : './detect-thread.js', import.meta.url), {
    workerData: visit,
    resourceLimits: { maxOldGenerationSizeMb: 256 },
  });
  return new Promise<readonly Technology[]>((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`the page was not judged within ${deadlineMs} ms`)), deadlineMs);
    thread.once('message', resolve);
    thread.once('error', reject);
    thread.once('exit', () => {
      clearTimeout(timer);
      reject(new Error('the thread ended without a word'));
    });
  }).finally(() => thread.terminate());
}
