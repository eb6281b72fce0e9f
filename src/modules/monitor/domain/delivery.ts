import type { Country } from '../../../domain/company.ts';
import { DAY_MS, HOUR_MS, isoWithOffset, MINUTE_MS, SECOND_MS } from '../../../domain/time.ts';
import type { FieldChange } from './change.ts';

/** `dropped`: given up, because its monitor was cancelled or disabled; attempts may have come before. */
export type DeliveryState = 'pending' | 'sending' | 'delivered' | 'failed' | 'dropped';

/** One event on its way to one receiver, however often it is tried. Times are epoch ms. */
export interface Delivery {
  /** UUID; callers see `dlv_…`. */
  readonly id: string;
  readonly monitorId: string;
  readonly keyId: string;
  /** Null for a test event. */
  readonly changeId: string | null;
  /** `webhook-id`. */
  readonly eventId: string;
  readonly state: DeliveryState;
  readonly createdAt: number;
  readonly settledAt: number | null;
  /** Null once settled. */
  readonly nextAttemptAt: number | null;
  /** Position of its latest news in the stream `deliveries`. */
  readonly revision: number;
}

/** One request to a receiver. */
export interface Attempt {
  /** From 1. */
  readonly number: number;
  /** Epoch ms. */
  readonly startedAt: number;
  /** Until the headers; null while under way, and for one that our own end cut off. */
  readonly latencyMs: number | null;
  /** HTTP status; null where none came. */
  readonly status: number | null;
  /** Why it failed, in one word; null for a success. */
  readonly error: string | null;
  /** First 1 KiB of the body. */
  readonly answer: string | null;
}

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

/** The change notification of `/v1`: exactly these members. */
export interface Payload {
  readonly subscription_id: string;
  readonly identifier: string;
  readonly country: Country;
  readonly changed_fields: Readonly<Record<string, { readonly from: string | null; readonly to: string | null }>>;
  readonly detected_at: string;
}

/** What a change is called on the wire of a webhook. */
export const toPayload = (
  subscriptionId: string,
  {
    identifier,
    country,
    fields,
    detectedAt,
  }: {
    readonly identifier: string;
    readonly country: Country;
    readonly fields: readonly FieldChange[];
    readonly detectedAt: number;
  },
): Payload => ({
  subscription_id: subscriptionId,
  identifier,
  country,
  changed_fields: Object.fromEntries(fields.map(({ field, from, to }) => [field, { from, to }])),
  detected_at: isoWithOffset(detectedAt),
});
