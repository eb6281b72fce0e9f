import { DAY_MS } from '../../../domain/time.ts';

/** How a monitor's receiver has been answering. Times are epoch ms. */
export interface Health {
  /** Attempts in a row that failed. */
  readonly failures: number;
  /** When they became too many to be chance: it is failing since. */
  readonly failingSince: number | null;
  /** Nothing is sent any more since. */
  readonly disabledAt: number | null;
}

const FAILING_AFTER = 3;
const DISABLED_AFTER = 100;
const DISABLED_AFTER_MS = 5 * DAY_MS;

/** Of a receiver of which nothing bad is known. */
export const HEALTHY: Health = { failures: 0, failingSince: null, disabledAt: null };

/** Health after an attempt: one success clears it; 100 failures in a row, or 5 days of failing, disable. */
export function healthAfter(before: Health, succeeded: boolean, now: number): Health {
  if (succeeded) return HEALTHY;
  const failures = before.failures + 1;
  const failingSince = before.failingSince ?? (failures >= FAILING_AFTER ? now : null);
  const tooLong = failingSince !== null && now - failingSince >= DISABLED_AFTER_MS;
  return { failures, failingSince, disabledAt: before.disabledAt ?? (failures >= DISABLED_AFTER || tooLong ? now : null) };
}

/** Host and port of a receiver; empty for an address that is none any more, which its attempt will tell. */
export const receiverHost = (webhookUrl: string): string => URL.parse(webhookUrl)?.host ?? '';
