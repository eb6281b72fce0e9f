import type { Knex } from 'knex';
import type { Country } from '../../../domain/company.ts';
import type { Attempt, DeliveryState } from '../domain/delivery.ts';
import type { EndpointState } from '../domain/monitor.ts';

/** Monitors and deliveries of all keys, for operators. Ids are UUIDs, times epoch ms. */

export interface MonitorLine {
  readonly id: string;
  readonly keyId: string;
  readonly keyName: string;
  readonly country: Country;
  /** Number of companies. */
  readonly companies: number;
  /** Host of the webhook URL, empty without one. The rest of the URL may contain a secret. */
  readonly host: string;
  readonly endpointState: EndpointState;
  readonly createdAt: number;
}

/** Reads all active monitors, newest first. */
export async function allMonitors(db: Knex): Promise<readonly MonitorLine[]> {
  const { rows } = await db.raw(
    `SELECT m.id, m.key_id, k.name AS key_name, m.country, m.webhook_url, m.created_at,
       CASE WHEN m.disabled_at IS NOT NULL THEN 'disabled' WHEN m.failing_since IS NOT NULL THEN 'failing' ELSE 'active' END AS endpoint_state,
       (SELECT count(*)::int FROM monitor_companies c WHERE c.monitor_id = m.id) AS companies
     FROM monitors m JOIN api_keys k ON k.id = m.key_id WHERE m.cancelled_at IS NULL ORDER BY m.created_at DESC, m.id DESC`,
  );
  return rows.map((row: MonitorRow) => ({
    id: row.id,
    keyId: row.key_id,
    keyName: row.key_name,
    country: row.country,
    companies: row.companies,
    host: row.webhook_url === null ? '' : new URL(row.webhook_url).host,
    endpointState: row.endpoint_state,
    createdAt: row.created_at.getTime(),
  }));
}

interface MonitorRow {
  readonly id: string;
  readonly key_id: string;
  readonly key_name: string;
  readonly country: Country;
  readonly webhook_url: string | null;
  readonly created_at: Date;
  readonly endpoint_state: EndpointState;
  readonly companies: number;
}

export interface DeliveryLine {
  readonly id: string;
  readonly monitorId: string;
  readonly keyId: string;
  readonly eventId: string;
  readonly host: string;
  readonly state: DeliveryState;
  readonly createdAt: number;
  readonly settledAt: number | null;
  readonly nextAttemptAt: number | null;
  readonly attempts: readonly Attempt[];
}

export interface DeliveriesFilter {
  readonly id?: string;
  readonly monitorId?: string;
  readonly state?: DeliveryState;
  readonly limit: number;
}

/** Reads the latest deliveries, newest first, with their attempts. */
export async function latestDeliveries(db: Knex, { limit, id, monitorId, state }: DeliveriesFilter): Promise<readonly DeliveryLine[]> {
  const query = db('deliveries').orderBy([
    { column: 'created_at', order: 'desc' },
    { column: 'id', order: 'desc' },
  ]);
  const wanted = { ...(id && { id }), ...(monitorId && { monitor_id: monitorId }), ...(state && { state }) };
  const rows: readonly DeliveryRow[] = await query.where(wanted).limit(limit).select(DELIVERY_COLUMNS);
  const attempts: readonly AttemptRow[] = await db('delivery_attempts')
    .whereIn(
      'delivery_id',
      rows.map((row) => row.id),
    )
    .orderBy('number');
  const byDelivery = Map.groupBy(attempts, ({ delivery_id }) => delivery_id);
  return rows.map((row) => ({
    id: row.id,
    monitorId: row.monitor_id,
    keyId: row.key_id,
    eventId: row.event_id,
    host: row.host,
    state: row.state,
    createdAt: row.created_at.getTime(),
    settledAt: row.settled_at?.getTime() ?? null,
    nextAttemptAt: row.due_at?.getTime() ?? null,
    attempts: (byDelivery.get(row.id) ?? []).map(toAttempt),
  }));
}

const DELIVERY_COLUMNS = ['id', 'monitor_id', 'key_id', 'event_id', 'host', 'state', 'created_at', 'settled_at', 'due_at'];

interface DeliveryRow {
  readonly id: string;
  readonly monitor_id: string;
  readonly key_id: string;
  readonly event_id: string;
  readonly host: string;
  readonly state: DeliveryState;
  readonly created_at: Date;
  readonly settled_at: Date | null;
  readonly due_at: Date | null;
}

interface AttemptRow {
  readonly delivery_id: string;
  readonly number: number;
  readonly started_at: Date;
  readonly latency_ms: number | null;
  readonly status: number | null;
  readonly error: string | null;
  readonly answer: string | null;
}

const toAttempt = ({ delivery_id: _, started_at, latency_ms, ...row }: AttemptRow): Attempt => ({
  ...row,
  startedAt: started_at.getTime(),
  latencyMs: latency_ms,
});
