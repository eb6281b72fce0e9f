import type { Task } from 'graphile-worker';
import type { Job, JobDeps } from './job.ts';

/**
 * Job → task of graphile-worker.
 * @param cut aborts when running jobs have to count as failed, although they have not ended
 */
export const toTask =
  (job: Job, deps: JobDeps, cut: AbortSignal): Task =>
  (payload) =>
    orAborted(job.run(job.payload.parse(payload), deps), cut);

/**
 * Settles as `work` does, or rejects when `signal` aborts. Its listener is removed then: `Promise.race` with a promise that stays pending
 * would keep memory for every call.
 */
function orAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}
