import { needs } from './needs.ts';

/**
 * True under `test/dates.sh`. libfaketime prevents the timers of Postgres from firing, so that neither lock_timeout nor statement_timeout
 * ends a statement. Tests of these timeouts are skipped.
 */
export const isClockShifted = process.env.QUIPU_TEST_SHIFTED === '1';

export const needsRealClock = needs(!isClockShifted, 'the clock is shifted, which stops the timers of Postgres');
