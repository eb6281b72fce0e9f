import { SECOND_MS } from '../domain/time.ts';

/** Time limit for writing usage. */
export interface Patience {
  /** Factor for the times below; 1 by default. */
  readonly patience?: number | undefined;
}

/** Deadline of a write. It is below the 2 s within which a caller gets an answer or a refusal. */
export const USAGE_DEADLINE_MS = 1.5 * SECOND_MS;
/** Timeout of the statement. It is below that deadline, after which nothing waits for the statement. */
export const USAGE_STATEMENT_MS = SECOND_MS;
