import type { Country } from '../../../domain/company.ts';
import { MINUTE_MS } from '../../../domain/time.ts';
import type { Language } from '../../../messages/message.ts';
import type { WebhookFormat } from '../../../webhooks/domain/chat-message.ts';
import type { EndpointState, RetryPolicy } from '../../../webhooks/domain/delivery.ts';

/*
 * Terminology
 *
 * Monitor: a customer's subscription to the changes of up to 500 companies.
 * Watched company: a company that at least one active monitor names. It has one row and one schedule, however many monitors name it.
 * Check: one read of a watched company at its registry, or one comparison of the watched companies with a new list version.
 * Snapshot: the registration fields of a company as last reported. A list has the fingerprints of its entries instead, and the records
 *   of its candidates. The first check or comparison sets them without a change: the baseline.
 * Change: a difference between snapshot and observation (`DetectedChange`). Each monitor of the company gets a row of it (`Change`).
 * Quarantine: changes that are held (`HeldChange`): mass changes until an operator releases or discards them, lost values until a second
 *   check confirms them.
 * Change log: the table of all `Change` rows. A position is a row's number in commit order, a cursor is a position as callers see it.
 * Event: a change, or an update of a delivery, as sent to subscribers. A subscriber that reads too slowly is evicted.
 * The terms of webhooks are in src/webhooks/domain/delivery.ts.
 */

/** A monitor without the tax ids of its companies, of which there may be 500. Times are epoch ms. */
export interface MonitorRow {
  /** UUID; callers see `mon_…`. */
  readonly id: string;
  readonly keyId: string;
  readonly country: Country;
  /** Null for a monitor that is read by query and subscription only. */
  readonly webhookUrl: string | null;
  readonly retryPolicy: RetryPolicy;
  readonly webhookFormat: WebhookFormat;
  /** Language of the webhook's messages for people. */
  readonly webhookLanguage: Language;
  /** True if the webhook gets changes of lists, too. */
  readonly listNews: boolean;
  /** True if the webhook gets changes of name, owners, capital, address and special situation, too. */
  readonly recordNews: boolean;
  /** True if the monitor also reports list records with a name similar to that of a company. */
  readonly candidateNews: boolean;
  readonly status: 'active' | 'cancelled';
  readonly endpointState: EndpointState;
  readonly createdAt: number;
  /** Null while active. */
  readonly cancelledAt: number | null;
  /** Changes of its companies that are held; 0 for a cancelled monitor. */
  readonly heldChanges: number;
}

/** A subscription to the changes of some companies. */
export interface Monitor extends MonitorRow {
  /** Identifiers as the caller wrote them, trimmed, each company once. */
  readonly identifiers: readonly string[];
}

/** Progress of the checks of a monitor's companies. Times are epoch ms. */
export interface CheckProgress {
  /** Number of watched companies. Like all other numbers it is 0 for a cancelled monitor. */
  readonly companies: number;
  /** Companies that were checked successfully within the last interval. */
  readonly checked: number;
  /** Companies whose check is late by more than `OVERDUE_MS`. */
  readonly overdue: number;
  /** Companies whose last check failed. */
  readonly failing: number;
  /** Time of the newest successful check; null before the first one. */
  readonly lastCheckedAt: number | null;
  /** Time of the earliest due check. It is in the past while that check waits or runs, and null for a cancelled monitor. */
  readonly nextCheckAt: number | null;
}

/** A due check waits for the next poll (15 s at most) and its batch (15 s at most). One that is late by more than this is overdue. */
export const OVERDUE_MS = MINUTE_MS;

/** Countries whose companies can be watched. */
export const WATCHED_COUNTRIES = ['BR', 'CL', 'CO'] as const;

/** Maximum number of companies in one monitor. */
export const MAX_IDENTIFIERS = 500;
