import { SECOND_MS } from '../domain/time.ts';

/** How long usage may take to be written. */
export interface Patience {
  /** Multiplies the times below; 1 unless given. */
  readonly patience?: number | undefined;
}

/** Below the 2 s within which a caller gets an answer or a refusal. */
export const USAGE_DEADLINE_MS = 1.5 * SECOND_MS;
/** Below that deadline, after which nobody waits for the statement. */
export const USAGE_STATEMENT_MS = SECOND_MS;
