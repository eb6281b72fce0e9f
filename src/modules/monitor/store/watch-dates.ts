import type { Knex } from 'knex';
import { groupByQuery, type NumberedRow, queryTable } from '../../../db/paging.ts';
import type { CompanyKey } from '../../../domain/company.ts';

/** Dates of a company for the key whose monitors watch it. Epoch ms. */
export interface WatchDates {
  /**
   * When the first of the key's active monitors began to watch it; null if none watches it, or if one has watched it since before the service
   * stored this date.
   */
  readonly since: number | null;
  /** Time of the newest change that the key's monitors reported; null if the change log has none. */
  readonly lastChangeAt: number | null;
}

interface Row extends NumberedRow {
  readonly since: Date | null;
  readonly last_change_at: Date | null;
}

/** Reads the dates of companies, each for a key. */
export async function readWatchDates(
  db: Knex,
  queries: readonly (CompanyKey & { readonly keyId: string })[],
): Promise<readonly WatchDates[]> {
  const { rows } = await db.raw(
    `SELECT query.n, watching.since, newest.detected_at AS last_change_at
     FROM ${queryTable({ keyId: 'uuid', country: 'text', taxId: 'text' })}
       CROSS JOIN LATERAL (SELECT CASE WHEN count(*) = count(w.added_at) THEN min(w.added_at) END AS since
         FROM monitor_companies w JOIN monitors m ON m.id = w.monitor_id
         WHERE w.country = query.country AND w.tax_id = query."taxId" AND m.key_id = query."keyId" AND m.cancelled_at IS NULL) AS watching
       LEFT JOIN LATERAL (SELECT c.detected_at FROM changes c
         WHERE c.country = query.country AND c.tax_id = query."taxId" AND c.key_id = query."keyId"
         ORDER BY c.position DESC LIMIT 1) AS newest ON true`,
    [JSON.stringify(queries)],
  );
  return groupByQuery<Row>(rows, queries.length).map(([row]) => ({
    since: row?.since?.getTime() ?? null,
    lastChangeAt: row?.last_change_at?.getTime() ?? null,
  }));
}
