import type { Logger } from 'pino';

/** Options of `beside`: they say how an error of the step is logged. */
export interface StepOptions {
  readonly log: Pick<Logger, 'error'>;
  /** Fields of the line of log that name the copy. */
  readonly copy: object;
  /** Sentence for operators: what could not be done, and when it is tried again. */
  readonly failed: string;
  /** True for an error that is expected and not logged. */
  readonly isExpected?: (error: Error) => boolean;
}

/**
 * Runs a step that a load does not depend on, such as a deletion or the record of its success. It never throws, because what is loaded must
 * be reported as loaded: an error is logged with its code, and a later sync repeats the step.
 * @returns true if the step succeeded
 */
export const beside = (step: () => Promise<unknown>, { log, copy, failed, isExpected = () => false }: StepOptions): Promise<boolean> =>
  step().then(
    () => true,
    (error: Error & { readonly code?: string }) => {
      if (!isExpected(error)) log.error({ ...copy, code: error.code, why: error.message }, failed);
      return false;
    },
  );
