import type pg from 'pg';
import { inClientTransaction } from '../../../../db/client-transaction.ts';
import { LOADED_COPY, type LoadedCopy } from './attempts.ts';
import { tableOf } from './tables.ts';

/** Counts of a version by which the next one is judged. */
export interface VersionFacts {
  readonly companies: number;
  readonly establishments: number;
  readonly partners: number;
  readonly namelessCompanies: number;
  readonly namelessPartners: number;
  /** Establishments whose company is not in the files. */
  readonly orphans: number;
  /** Establishments by code of their status. */
  readonly statuses: Readonly<Record<string, number>>;
  /** Lines that could not be read, and those of them whose company is unknown. */
  readonly unread: number;
  readonly unattributed: number;
  /** Values that were replaced by null, by reason. */
  readonly notes: Readonly<Record<string, number>>;
}

/** The version that answers, with its facts. */
export interface CurrentVersion {
  readonly id: string;
  readonly extractedOn: string;
  readonly previousId: string | null;
  readonly facts: VersionFacts;
}

export async function readCurrent(client: pg.ClientBase, origin: string): Promise<CurrentVersion | null> {
  const { rows } = await client.query(
    `SELECT v.id::text AS id, v.extracted_on::text AS "extractedOn", c.previous_id::text AS "previousId", v.facts
     FROM receita_current c JOIN receita_versions v ON v.id = c.version_id WHERE c.origin = $1`,
    [origin],
  );
  return rows[0] ?? null;
}

/** Counts the rows of a version, whose indexes exist. */
export async function readFacts(client: pg.ClientBase, id: string): Promise<VersionFacts> {
  const [companies, establishments, partners] = (['companies', 'establishments', 'partners'] as const).map((table) => tableOf(table, id));
  const { rows } = await client.query(
    `SELECT c.*, p.*, f.*,
       (SELECT count(*) FROM ${establishments} e WHERE NOT EXISTS (SELECT FROM ${companies} c WHERE c.root = e.root))::int AS orphans,
       (SELECT coalesce(jsonb_object_agg(status, n), '{}') FROM (SELECT status, count(*)::int AS n FROM ${establishments} GROUP BY 1) s) AS statuses,
       (SELECT coalesce(jsonb_object_agg(key, n), '{}') FROM (SELECT key, sum(value::int)::int AS n
          FROM receita_files, jsonb_each_text(notes) WHERE version_id = $1 GROUP BY 1) t) AS notes
     FROM (SELECT count(*)::int AS companies, (count(*) FILTER (WHERE name IS NULL))::int AS "namelessCompanies" FROM ${companies}) c,
       (SELECT count(*)::int AS partners, (count(*) FILTER (WHERE name IS NULL))::int AS "namelessPartners" FROM ${partners}) p,
       (SELECT coalesce(sum(unread), 0)::int AS unread, coalesce(sum(unattributed), 0)::int AS unattributed
          FROM receita_files WHERE version_id = $1) f`,
    [id],
  );
  const facts: Omit<VersionFacts, 'establishments'> = rows[0];
  return { ...facts, establishments: Object.values(facts.statuses).reduce((sum, n) => sum + n, 0) };
}

/** Returns the number of companies of a version that another one lacks. */
export async function countVanished(client: pg.ClientBase, from: string, to: string): Promise<number> {
  const { rows } = await client.query(
    `SELECT count(*)::int AS n FROM ${tableOf('companies', from)} a
     WHERE NOT EXISTS (SELECT FROM ${tableOf('companies', to)} b WHERE b.root = a.root)`,
  );
  return rows[0].n;
}

/**
 * Makes a loaded version the one that answers, in one transaction, which also reads it: after the commit nothing has to be read to report
 * the load. The version before it stays for a rollback.
 */
export const switchVersion = (client: pg.ClientBase, origin: string, id: string, facts: VersionFacts, now: number): Promise<LoadedCopy> =>
  inClientTransaction(client, async () => {
    await client.query('UPDATE receita_versions SET loaded_at = $2, facts = $3 WHERE id = $1', [id, new Date(now), JSON.stringify(facts)]);
    await client.query(
      `INSERT INTO receita_current (origin, version_id, switched_at) VALUES ($1, $2, $3)
       ON CONFLICT (origin) DO UPDATE SET previous_id = receita_current.version_id, version_id = $2, switched_at = $3`,
      [origin, id, new Date(now)],
    );
    const { rows } = await client.query(`SELECT ${LOADED_COPY} FROM receita_versions v WHERE v.id = $1`, [id]);
    return rows[0];
  });

/** Exchanges the version that answers and the one before it. Returns the extract date of the one that answers now; null without another. */
export async function rollBack(client: pg.ClientBase, origin: string, now: number): Promise<string | null> {
  const { rows } = await client.query(
    `UPDATE receita_current c SET version_id = c.previous_id, previous_id = c.version_id, switched_at = $2
     FROM receita_versions v WHERE c.origin = $1 AND v.id = c.previous_id RETURNING v.extracted_on::text AS "extractedOn"`,
    [origin, new Date(now)],
  );
  return rows[0]?.extractedOn ?? null;
}
