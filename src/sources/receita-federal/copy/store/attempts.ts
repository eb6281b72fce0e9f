import type { Knex } from 'knex';
import type pg from 'pg';

/** The version that answers, as operators see it. Times are epoch ms. */
export interface LoadedCopy {
  readonly id: string;
  /** ISO date on which Receita Federal extracted the data. */
  readonly extractedOn: string;
  readonly loadedAt: number;
  readonly establishments: number;
  /** Lines that could not be read. */
  readonly unread: number;
  /** SHA-256 of the names, CRC-32 checksums and sizes of its files, hex. */
  readonly checksum: string;
}

/** Outcome of the last attempts. Times are epoch ms; null for none yet. */
export interface CopyAttempts {
  /** Last import or comparison with the publisher's files that succeeded. */
  readonly checkedAt: number | null;
  readonly failedAt: number | null;
  /** Reason of the last failure, such as `incomplete`. */
  readonly lastError: string | null;
}

/** Health of a copy. */
export interface CopyHealth extends CopyAttempts {
  readonly version: LoadedCopy | null;
}

const epochMs = (column: string): string => `round(extract(epoch FROM ${column}) * 1000)::float8`;

/** SQL: the columns of a LoadedCopy, of `receita_versions v`. */
export const LOADED_COPY = `v.id::text AS id, v.extracted_on::text AS "extractedOn", ${epochMs('v.loaded_at')} AS "loadedAt",
       (v.facts->>'establishments')::int AS establishments, (v.facts->>'unread')::int AS unread,
       (SELECT encode(sha256(string_agg(f.name || ' ' || f.checksum, E'\\n' ORDER BY f.name COLLATE "C")::bytea), 'hex')
          FROM receita_files f WHERE f.version_id = v.id) AS checksum`;

/** Reads the version that answers and the outcome of the last attempts, by one statement. */
export async function readHealth(db: Knex, origin: string): Promise<CopyHealth> {
  const { rows } = await db.raw(
    `SELECT ${LOADED_COPY},
       ${epochMs('a.checked_at')} AS "checkedAt", ${epochMs('a.failed_at')} AS "failedAt", a.last_error AS "lastError"
     FROM (SELECT ?::text AS origin) o LEFT JOIN receita_current c ON c.origin = o.origin LEFT JOIN receita_versions v ON v.id = c.version_id
       LEFT JOIN receita_attempts a ON a.origin = o.origin`,
    [origin],
  );
  const { checkedAt, failedAt, lastError, ...version } = rows[0];
  return { version: version.id === null ? null : version, checkedAt, failedAt, lastError };
}

/** Records an import or a comparison that succeeded. */
export async function recordSuccess(db: Knex, origin: string, at: number): Promise<void> {
  await db.raw(
    `INSERT INTO receita_attempts (origin, checked_at) VALUES (?, ?) ON CONFLICT (origin) DO UPDATE SET checked_at = excluded.checked_at`,
    [origin, new Date(at)],
  );
}

/** Records a failed attempt. @param reason a short class such as `share`; never an address or a row */
export async function recordFailure(db: Knex, origin: string, at: number, reason: string): Promise<void> {
  await db.raw(
    `INSERT INTO receita_attempts (origin, failed_at, last_error) VALUES (?, ?, ?)
     ON CONFLICT (origin) DO UPDATE SET failed_at = excluded.failed_at, last_error = excluded.last_error`,
    [origin, new Date(at), reason],
  );
}

/** Stores the digest of the downloaded files with the version that answers. */
export async function recordListing(client: pg.ClientBase, origin: string, listing: string): Promise<void> {
  await client.query(
    'UPDATE receita_versions v SET listing = $2 FROM receita_current c WHERE c.origin = $1 AND v.id = c.version_id AND v.origin = $1',
    [origin, listing],
  );
}

/** Stores the digest of downloaded files that the monthly import does not load. */
export async function recordPassed(client: pg.ClientBase, origin: string, listing: string): Promise<void> {
  await client.query(
    `INSERT INTO receita_attempts (origin, passed_listing) VALUES ($1, $2)
     ON CONFLICT (origin) DO UPDATE SET passed_listing = excluded.passed_listing`,
    [origin, listing],
  );
}

/** True if the monthly import has downloaded files with this digest and does not load them. */
export async function isPassed(client: pg.ClientBase, origin: string, listing: string): Promise<boolean> {
  const { rowCount } = await client.query('SELECT FROM receita_attempts WHERE origin = $1 AND passed_listing = $2', [origin, listing]);
  return rowCount === 1;
}

/** Returns which version was loaded from files with this digest: the one that answers, the one before it, or none. */
export async function versionOfListing(client: pg.ClientBase, origin: string, listing: string): Promise<'current' | 'previous' | null> {
  const { rows } = await client.query(
    `SELECT v.id = c.version_id AS "isCurrent" FROM receita_current c JOIN receita_versions v ON v.id IN (c.version_id, c.previous_id)
     WHERE c.origin = $1 AND v.listing = $2 ORDER BY 1 DESC LIMIT 1`,
    [origin, listing],
  );
  return rows.length === 0 ? null : rows[0].isCurrent ? 'current' : 'previous';
}
