import { formatTaxId } from '../domain/company.ts';
import { isoWithOffset } from '../domain/time.ts';
import type { HeldChange } from '../modules/monitor/domain/change.ts';
import { toPublicId } from '../modules/monitor/domain/ids.ts';
import type { HeldCount } from '../modules/monitor/store/held-changes.ts';
import type { DeliveryLine, MonitorLine } from '../modules/monitor/store/overview.ts';

/** What `quipu monitor …` prints: tables for people, objects for programs. Times are ISO 8601. */

/** Rows in columns, a line each. */
const columns = (rows: readonly (readonly string[])[]): string => {
  const widths = (rows[0] ?? []).map((_, place) => Math.max(...rows.map((row) => row[place]?.length ?? 0)));
  return rows
    .map(
      (row) =>
        `${row
          .map((cell, place) => cell.padEnd(widths[place] ?? 0))
          .join('  ')
          .trimEnd()}\n`,
    )
    .join('');
};

const moment = (ms: number | null): string | null => (ms === null ? null : isoWithOffset(ms));

export const heldTable = (counts: readonly HeldCount[]): string =>
  counts.length === 0
    ? 'Nothing is held.\n'
    : columns(
        counts.map(({ source, field, reason, count }) => [source, field, WHY[reason], `${count} ${count === 1 ? 'company' : 'companies'}`]),
      );

const WHY = { share: 'too many at once', blank: 'became empty' } as const;

export const heldJson = ({ company, source, reason, fields, heldAt }: HeldChange) => ({
  country: company.country,
  identifier: formatTaxId(company),
  source,
  reason,
  changed_fields: Object.fromEntries(fields.map(({ field, from, to }) => [field, { from, to }])),
  held_at: isoWithOffset(heldAt),
});

export const monitorsTable = (monitors: readonly MonitorLine[]): string =>
  monitors.length === 0
    ? 'Nobody watches anything.\n'
    : columns(
        monitors.map(({ id, keyName, country, companies, host, endpointState, createdAt }) => [
          toPublicId('monitor', id),
          keyName,
          `${companies} ${country}`,
          host,
          endpointState,
          `since ${isoWithOffset(createdAt)}`,
        ]),
      );

export const monitorJson = ({ id, keyId, keyName, country, companies, host, endpointState, createdAt }: MonitorLine) => ({
  id: toPublicId('monitor', id),
  key_id: keyId,
  key_name: keyName,
  country,
  companies,
  webhook_host: host,
  endpoint_state: endpointState,
  created_at: isoWithOffset(createdAt),
});

/** A line each delivery, and one each of its attempts below it. */
export const deliveriesTable = (deliveries: readonly DeliveryLine[]): string =>
  deliveries.length === 0
    ? 'There are no such deliveries.\n'
    : deliveries
        .map(({ id, eventId, host, state, createdAt, nextAttemptAt, attempts }) =>
          [
            `${toPublicId('delivery', id)}  ${state}  ${host}  ${eventId}  ${isoWithOffset(createdAt)}${nextAttemptAt === null ? '' : `  next ${isoWithOffset(nextAttemptAt)}`}\n`,
            ...attempts.map(
              ({ number, startedAt, latencyMs, status, error }) =>
                `  ${number}. ${isoWithOffset(startedAt)}  ${status ?? 'no status'}  ${latencyMs === null ? 'under way or cut off' : `${latencyMs} ms`}${error === null ? '' : `  ${error}`}\n`,
            ),
          ].join(''),
        )
        .join('');

export const deliveryJson = (delivery: DeliveryLine) => ({
  id: toPublicId('delivery', delivery.id),
  monitor_id: toPublicId('monitor', delivery.monitorId),
  key_id: delivery.keyId,
  event_id: delivery.eventId,
  webhook_host: delivery.host,
  status: delivery.state,
  created_at: isoWithOffset(delivery.createdAt),
  settled_at: moment(delivery.settledAt),
  next_attempt_at: moment(delivery.nextAttemptAt),
  attempts: delivery.attempts.map(({ number, startedAt, latencyMs, status, error, answer }) => ({
    number,
    started_at: isoWithOffset(startedAt),
    latency_ms: latencyMs,
    status,
    error,
    answer,
  })),
});
