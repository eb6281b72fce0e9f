import { SECOND_MS } from '../domain/time.ts';

/** Time limit for writing usage. */
export interface Patience {
  /** Factor for the times below; 1 by default. */
  readonly patience?: number | undefined;
}

/** Deadline of an append to the journal. It is below the 2 s within which a caller gets an answer or a refusal. */
export const USAGE_DEADLINE_MS = 1.5 * SECOND_MS;
/** Timeout of a statement of the drain, for which no caller waits unless it reads its usage. */
export const DRAIN_STATEMENT_MS = 10 * SECOND_MS;
