import type { Knex } from 'knex';
import type { Attempt, DeliveryState } from '../domain/delivery.ts';

/** A delivery of any key, for operators. Ids are UUIDs, times epoch ms. */
export interface DeliveryLine {
  readonly id: string;
  readonly endpointId: string;
  /** Kind of the owner of its endpoint, e.g. `monitor`. */
  readonly ownerKind: string;
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
  readonly endpointId?: string;
  readonly state?: DeliveryState;
  readonly limit: number;
}

/** Reads the latest deliveries, newest first, with their attempts. */
export async function latestDeliveries(db: Knex, { limit, id, endpointId, state }: DeliveriesFilter): Promise<readonly DeliveryLine[]> {
  const query = db('deliveries').orderBy([
    { column: 'created_at', order: 'desc' },
    { column: 'id', order: 'desc' },
  ]);
  const wanted = { ...(id && { id }), ...(endpointId && { monitor_id: endpointId }), ...(state && { state }) };
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
    endpointId: row.monitor_id,
    ownerKind: row.owner_kind,
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

const DELIVERY_COLUMNS = ['id', 'monitor_id', 'owner_kind', 'key_id', 'event_id', 'host', 'state', 'created_at', 'settled_at', 'due_at'];

interface DeliveryRow {
  readonly id: string;
  readonly monitor_id: string;
  readonly owner_kind: string;
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
