import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../domain/time.ts';

/*
 * Terminology
 *
 * Endpoint: the URL and secret for the messages of one owner, such as a monitor or a screening. It has the id of its owner, and is parked
 *   for a time after an attempt that timed out.
 * Message: an event id and a body, which stay the same for every attempt.
 * Delivery: a message for an endpoint, with its state. Attempt: one HTTP request of a delivery.
 * Delivery partition: one of four queues per endpoint. A process leases it, with one of the four slots of its host, and sends one delivery.
 */

export type RetryPolicy = 'none' | 'standard';
/** State of a webhook endpoint: `failing` after repeated failures, `disabled` when nothing is sent any more. */
export type EndpointState = 'active' | 'failing' | 'disabled';

/** State of a delivery. `dropped` means that it was given up because its endpoint was closed or disabled, possibly after some attempts. */
export type DeliveryState = 'pending' | 'sending' | 'delivered' | 'failed' | 'dropped';

/** One event for one webhook, with all its attempts. Times are epoch ms. */
export interface Delivery {
  /** UUID; callers see `dlv_…`. */
  readonly id: string;
  /** Id of its endpoint, which is that of the owner. */
  readonly endpointId: string;
  /** Kind of the owner of its endpoint, e.g. `monitor`. */
  readonly ownerKind: string;
  readonly keyId: string;
  /** UUID of the reported thing, such as a change; null for a test event. */
  readonly reportedId: string | null;
  /** `webhook-id`. */
  readonly eventId: string;
  readonly state: DeliveryState;
  readonly createdAt: number;
  readonly settledAt: number | null;
  /** Null once settled. */
  readonly nextAttemptAt: number | null;
  /** Number of the latest update. A later update of the same endpoint partition has a higher number. */
  readonly revision: number;
}

/** One HTTP request to a receiver. */
export interface Attempt {
  /** From 1. */
  readonly number: number;
  /** Epoch ms. */
  readonly startedAt: number;
  /** Milliseconds until the response headers; null while the attempt is running, and for an attempt that our own process interrupted. */
  readonly latencyMs: number | null;
  /** HTTP status; null without a response. */
  readonly status: number | null;
  /** Code of the failure, such as `timeout`; null for a success. */
  readonly error: string | null;
  /** First 1 KiB of the response body. */
  readonly answer: string | null;
}

/** Failures of an endpoint. Times are epoch ms. */
export interface EndpointHealth {
  /** Failed attempts in a row. */
  readonly failures: number;
  /** Time of the third failure in a row; null with fewer. */
  readonly failingSince: number | null;
  /** Time since which nothing is sent; null while enabled. */
  readonly disabledAt: number | null;
}

const FAILING_AFTER = 3;
const DISABLED_AFTER = 100;
const DISABLED_AFTER_MS = 5 * DAY_MS;

/** Health of an endpoint without failures. */
export const HEALTHY: EndpointHealth = { failures: 0, failingSince: null, disabledAt: null };

/** Health after an attempt. One success clears it; 100 failures in a row, or 5 days of failing, disable the endpoint. */
export function healthAfterAttempt(before: EndpointHealth, succeeded: boolean, now: number): EndpointHealth {
  if (succeeded) return HEALTHY;
  const failures = before.failures + 1;
  const failingSince = before.failingSince ?? (failures >= FAILING_AFTER ? now : null);
  const tooLong = failingSince !== null && now - failingSince >= DISABLED_AFTER_MS;
  return { failures, failingSince, disabledAt: before.disabledAt ?? (failures >= DISABLED_AFTER || tooLong ? now : null) };
}

const SHORTEST_PARKING_MS = 4 * SECOND_MS;
const LONGEST_PARKING_MS = 4 * MINUTE_MS;

/**
 * Duration for which an endpoint gets no request after `timeouts` in a row: 4 s, 8 s, 16 s, … 4 min. It is shorter than the retry delay of
 * a delivery that timed out as often.
 */
export const parkingMs = (timeouts: number): number => Math.min(SHORTEST_PARKING_MS * 2 ** (timeouts - 1), LONGEST_PARKING_MS);

/** Host and port of a webhook URL; empty for an invalid URL, whose attempt then fails with `bad_url`. */
export const receiverHost = (webhookUrl: string): string => URL.parse(webhookUrl)?.host ?? '';

/** Delays after the first failed attempt, the second, and so on: nine retries in 75 h. */
const RETRY_DELAYS_MS = [
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
/** `Retry-After` is honoured up to this multiple of the scheduled delay. */
const RETRY_AFTER_FACTOR = 2;
const GONE = 410;

export interface FailedAttempt {
  /** Number of attempts, this one included. */
  readonly attempts: number;
  /** HTTP status; null without a response. */
  readonly status: number | null;
  /** `Retry-After` in ms; null without it. */
  readonly retryAfterMs: number | null;
}

/** Delay before the next attempt, in ms; null when there is no further attempt. @param random 0 to 1 */
export function retryDelayMs({ attempts, status, retryAfterMs }: FailedAttempt, random: number): number | null {
  const delay = RETRY_DELAYS_MS[attempts - 1];
  if (delay === undefined || status === GONE) return null;
  const planned = Math.round(delay * (1 - JITTER + 2 * JITTER * random));
  return Math.max(planned, Math.min(retryAfterMs ?? 0, RETRY_AFTER_FACTOR * delay));
}
