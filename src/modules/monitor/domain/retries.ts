import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../../domain/time.ts';

/** After the first failed attempt, the second, …; nine tries more, 75 h in all. */
const WAITS_MS = [
  5 * SECOND_MS,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  5 * HOUR_MS,
  10 * HOUR_MS,
  14 * HOUR_MS,
  20 * HOUR_MS,
  24 * HOUR_MS,
] as const;
const JITTER = 0.2;
/** What a receiver asks for is granted up to this many times the schedule. */
const PATIENCE = 2;
const GONE = 410;

export interface FailedAttempt {
  /** Attempts made, this one included. */
  readonly attempts: number;
  /** HTTP status; null where none came. */
  readonly status: number | null;
  /** What the receiver asked for, in ms; null where it did not. */
  readonly retryAfterMs: number | null;
}

/** How long to wait for the next attempt, in ms; null when there is none. @param random 0 to 1 */
export function retryDelayMs({ attempts, status, retryAfterMs }: FailedAttempt, random: number): number | null {
  const wait = WAITS_MS[attempts - 1];
  if (wait === undefined || status === GONE) return null;
  const planned = Math.round(wait * (1 - JITTER + 2 * JITTER * random));
  return Math.max(planned, Math.min(retryAfterMs ?? 0, PATIENCE * wait));
}
