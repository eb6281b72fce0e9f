import type { Knex } from 'knex';
import type { Country } from '../../../domain/company.ts';
import type { EndpointState } from '../../../webhooks/domain/delivery.ts';
import { endpointStateOf } from '../../../webhooks/store/endpoints.ts';

/** Monitors of all keys, for operators. Ids are UUIDs, times epoch ms. */

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
    `SELECT m.id, m.key_id, k.name AS key_name, m.country, e.url, m.created_at, e.failing_since, e.disabled_at,
       (SELECT count(*)::int FROM monitor_companies c WHERE c.monitor_id = m.id) AS companies
     FROM monitors m JOIN webhook_endpoints e ON e.id = m.id JOIN api_keys k ON k.id = m.key_id WHERE m.cancelled_at IS NULL ORDER BY m.created_at DESC, m.id DESC`,
  );
  return rows.map((row: MonitorRow) => ({
    id: row.id,
    keyId: row.key_id,
    keyName: row.key_name,
    country: row.country,
    companies: row.companies,
    host: row.url === null ? '' : new URL(row.url).host,
    endpointState: endpointStateOf(row),
    createdAt: row.created_at.getTime(),
  }));
}

interface MonitorRow {
  readonly id: string;
  readonly key_id: string;
  readonly key_name: string;
  readonly country: Country;
  readonly url: string | null;
  readonly created_at: Date;
  readonly failing_since: Date | null;
  readonly disabled_at: Date | null;
  readonly companies: number;
}
