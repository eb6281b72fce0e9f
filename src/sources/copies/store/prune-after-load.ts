import type { Logger } from 'pino';

interface PruneOptions {
  readonly log: Pick<Logger, 'error'>;
  /** Fields of the line of log that name the copy. */
  readonly copy: object;
  /** True for the error of a comparison that a statement still reads, which is expected and not logged. */
  readonly isBusy: (error: Error) => boolean;
}

/**
 * Deletes old comparisons after a load. It never throws, because the load before it is complete: an error is logged with its code, and the
 * next load tries again.
 */
export const pruneAfterLoad = (prune: () => Promise<void>, { log, copy, isBusy }: PruneOptions): Promise<void> =>
  prune().catch((error: Error & { readonly code?: string }) => {
    if (isBusy(error)) return;
    log.error({ ...copy, code: error.code, why: error.message }, 'old comparisons could not be deleted; the next load tries again');
  });
