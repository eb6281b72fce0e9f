import type { Knex } from 'knex';
import type { CompanyKey, Country } from '../../../domain/company.ts';
import { CANDIDATE, type ObservationKey } from '../domain/change.ts';
import type { CompanyListEntries } from '../domain/list-changes.ts';
import { CHOSEN, isOptional } from './chosen-lists.ts';

/** The list version that the watched companies were last compared with. */
export interface ComparedVersion {
  readonly version: string;
  /** Version of the parser that made the records. For candidates it includes the version of the comparison. */
  readonly schemaVersion: number;
}

const isOfCandidates = (key: ObservationKey): boolean => key.endsWith(`:${CANDIDATE}`);

/** Columns of a company `w`. */
const COLUMNS = `w.country, w.tax_id, w.legal_person, coalesce(w.names, '{}') AS names, w.listings -> :key AS entries, w.ignored -> :key AS ignored,
  (SELECT h.observed FROM held_changes h WHERE h.country = w.country AND h.tax_id = w.tax_id AND h.source = CAST(:key AS text)) AS held`;

/** SQL: true for a company `w` in an active monitor that reports candidates. */
const REPORTS_CANDIDATES = `EXISTS (SELECT FROM monitor_companies c JOIN monitors m ON m.id = c.monitor_id
  WHERE c.country = w.country AND c.tax_id = w.tax_id AND m.candidate_news AND m.cancelled_at IS NULL)`;
/** SQL: true for a company `w` in an active monitor of an account that has chosen the list of `:key`. */
const isChosen = (key: ObservationKey): string =>
  `EXISTS (SELECT FROM monitor_companies c JOIN monitors m ON m.id = c.monitor_id JOIN api_keys k ON k.id = m.key_id
    JOIN accounts a ON a.id = k.account_id
  WHERE c.country = w.country AND c.tax_id = w.tax_id AND m.cancelled_at IS NULL ${isOfCandidates(key) ? 'AND m.candidate_news' : ''}
    AND split_part(CAST(:key AS text), ':', 1) = ANY ${CHOSEN})`;
/** SQL: true for a company `w` that a monitor compares under a key; null for a key under which all companies are compared. */
function isCompared(key: ObservationKey): string | null {
  if (isOptional(key)) return isChosen(key);
  return isOfCandidates(key) ? REPORTS_CANDIDATES : null;
}
/** SQL: true for a company that may lack a baseline of candidates for some list. */
const IS_DUE = 'w.candidates_due AND w.names IS NOT NULL';
/** SQL: true for a company that lacks a baseline of candidates for the list `:key`. */
const IS_NEW = `${IS_DUE} AND NOT jsonb_exists(w.listings, :key)`;

/**
 * Reads watched companies with their entries of a list, sorted by company, at most `limit`, after a given one: those that a monitor compares
 * under the key. For candidates their names must be known.
 * @param isNew true: only companies without a baseline
 * @param country only companies of this country; null for all
 */
export async function pageListEntries(
  db: Knex,
  key: ObservationKey,
  { after, limit, isNew = false, country }: Batch & { readonly isNew?: boolean; readonly country: Country | null },
): Promise<readonly CompanyListEntries[]> {
  const compared = isCompared(key);
  const { rows } = await db.raw(
    `SELECT ${COLUMNS} FROM watched_companies w WHERE (country, tax_id) > (:country, :taxId)
       ${country === null ? '' : 'AND country = :only'}
       ${isOfCandidates(key) ? 'AND w.names IS NOT NULL' : ''} ${compared ? `AND ${compared}` : ''} ${isNew ? `AND ${IS_NEW}` : ''} ORDER BY country, tax_id LIMIT :limit`,
    { key, ...cursorOf({ after, limit }), only: country },
  );
  return rows.map(toCompanyListEntries);
}

/** True when an active monitor reports candidates. */
export async function hasCandidateMonitors(db: Knex): Promise<boolean> {
  const { rows } = await db.raw('SELECT EXISTS (SELECT FROM monitors WHERE candidate_news AND cancelled_at IS NULL) AS found');
  return rows[0].found;
}

/** Makes the candidates of the companies of a monitor due for a baseline, if it reports candidates. The watch list must be locked. */
export async function makeCandidatesDue(trx: Knex, monitorId: string): Promise<void> {
  await trx.raw(
    `WITH due AS MATERIALIZED (
       SELECT w.country, w.tax_id FROM monitors m JOIN monitor_companies c ON c.monitor_id = m.id
         JOIN watched_companies w ON w.country = c.country AND w.tax_id = c.tax_id
       WHERE m.id = ? AND m.candidate_news AND NOT w.candidates_due ORDER BY w.country, w.tax_id FOR NO KEY UPDATE OF w)
     UPDATE watched_companies w SET candidates_due = true FROM due WHERE w.country = due.country AND w.tax_id = due.tax_id`,
    [monitorId],
  );
}

/** True when the candidates of a company with known names are due for a baseline. */
export async function areCandidatesDue(db: Knex): Promise<boolean> {
  const { rows } = await db.raw(`SELECT EXISTS (SELECT FROM watched_companies w WHERE ${IS_DUE}) AS found`);
  return rows[0].found;
}

/** A part of the watched companies, few enough for one transaction: at most `limit`, after a given one; the first ones for null. */
export interface Batch {
  readonly after: CompanyKey | null;
  readonly limit: number;
}

const cursorOf = ({ after, limit }: Batch) => ({ country: after?.country ?? '', taxId: after?.taxId ?? '', limit });

/** SQL: the last company of the part `batch`. */
const LAST = 'SELECT country, tax_id AS "taxId" FROM batch ORDER BY country DESC, tax_id DESC LIMIT 1';

/**
 * Marks the candidates of a batch of companies as no longer due: companies that have a baseline of each list, and companies that no monitor
 * compares by name any more. The watch list must be locked.
 * @returns the last company of the batch; null if there was none
 */
export async function settleCandidates(trx: Knex, keys: readonly ObservationKey[], batch: Batch): Promise<CompanyKey | null> {
  const { rows } = await trx.raw(
    `WITH batch AS MATERIALIZED (
       SELECT country, tax_id FROM watched_companies w
       WHERE (country, tax_id) > (:country, :taxId) AND ${IS_DUE}
         AND (jsonb_exists_all(listings, CAST(:keys AS text[])) OR NOT ${REPORTS_CANDIDATES})
       ORDER BY country, tax_id LIMIT :limit FOR NO KEY UPDATE OF w),
     settled AS (
       UPDATE watched_companies w SET candidates_due = false FROM batch b WHERE w.country = b.country AND w.tax_id = b.tax_id)
     ${LAST}`,
    { ...cursorOf(batch), keys: [...keys] },
  );
  return rows[0] ?? null;
}

/**
 * Deletes the entries or candidates of a batch of companies that no monitor compares under the key any more, and their held changes. If a
 * monitor does so again, they are a baseline.
 * @returns the last company of the batch; null if there was none
 */
export async function forgetUncompared(db: Knex, key: ObservationKey, batch: Batch): Promise<CompanyKey | null> {
  const compared = isCompared(key);
  if (compared === null) return null;
  const { rows } = await db.raw(
    `WITH batch AS MATERIALIZED (
       SELECT country, tax_id FROM watched_companies w
       WHERE (country, tax_id) > (:country, :taxId) AND jsonb_exists(w.listings, :key) AND NOT ${compared}
       ORDER BY country, tax_id LIMIT :limit FOR UPDATE OF w),
     unheld AS (
       DELETE FROM held_changes h USING batch b WHERE h.country = b.country AND h.tax_id = b.tax_id AND h.source = CAST(:key AS text)),
     forgotten AS (
       UPDATE watched_companies w SET listings = listings - CAST(:key AS text), ignored = ignored - CAST(:key AS text) FROM batch b
       WHERE w.country = b.country AND w.tax_id = b.tax_id)
     ${LAST}`,
    { ...cursorOf(batch), key },
  );
  return rows[0] ?? null;
}

/** Locks watched companies and reads their entries of a list. */
export async function lockListEntries(
  trx: Knex,
  key: ObservationKey,
  companies: readonly CompanyKey[],
): Promise<readonly CompanyListEntries[]> {
  const { rows } = await trx.raw(
    `SELECT found.* FROM (SELECT * FROM unnest(CAST(:countries AS text[]), CAST(:taxIds AS text[])) AS r (c, t) ORDER BY 1, 2) AS named
       CROSS JOIN LATERAL (SELECT ${COLUMNS} FROM watched_companies w WHERE w.country = named.c AND w.tax_id = named.t FOR UPDATE OF w) AS found`,
    { key, countries: companies.map(({ country }) => country), taxIds: companies.map(({ taxId }) => taxId) },
  );
  return rows.map(toCompanyListEntries);
}

/** Reads the version of each list that was compared last, by `ObservationKey`. */
export async function comparedVersions(db: Knex): Promise<ReadonlyMap<string, ComparedVersion>> {
  const rows: readonly { readonly list: string; readonly version: string; readonly schema_version: number }[] = await db('compared_lists');
  return new Map(rows.map(({ list, version, schema_version: schemaVersion }) => [list, { version, schemaVersion }]));
}

/** Progress of the comparison of all watched companies with a list version. */
export interface ListComparison extends ComparedVersion {
  /**
   * `count`: all companies are compared, to count those that changed. `publish`, `hold`: their changes are published, or held as a mass
   * change.
   */
  readonly phase: 'count' | 'publish' | 'hold';
  /** The last company that the phase has processed; null at its start. */
  readonly after: CompanyKey | null;
  /** Number of companies compared in the phase `count`, and of those that changed. */
  readonly checked: number;
  readonly changed: number;
}

/** Reads the progress of the comparison with a list version, or returns its start. */
export async function openComparison(db: Knex, list: ObservationKey, { version, schemaVersion }: ComparedVersion): Promise<ListComparison> {
  const { rows } = await db.raw(
    `INSERT INTO list_comparisons AS c (list, version, phase, after_country, after_tax_id, checked, changed)
     VALUES (?, ?, 'count', '', '', 0, 0)
     ON CONFLICT (list) DO UPDATE SET version = excluded.version, phase = 'count', after_country = '', after_tax_id = '', checked = 0, changed = 0
       WHERE c.version <> excluded.version
     RETURNING *`,
    [list, version],
  );
  const row = rows[0] ?? (await db('list_comparisons').where({ list }).first());
  const { phase, after_country: country, after_tax_id: taxId, checked, changed } = row;
  return { version, schemaVersion, phase, after: taxId === '' ? null : { country, taxId }, checked, changed };
}

/**
 * Stores the progress of a comparison, or its end, and locks it until the transaction ends.
 * @param to null when the comparison is complete
 * @returns false when another process has continued the comparison since `from`
 */
export async function saveComparison(trx: Knex, list: ObservationKey, from: ListComparison, to: ListComparison | null): Promise<boolean> {
  const current = trx('list_comparisons').where({ list, version: from.version, phase: from.phase, ...toCursor(from) });
  if (to) return (await current.update({ phase: to.phase, ...toCursor(to), checked: to.checked, changed: to.changed })) === 1;
  if ((await current.delete()) === 0) return false;
  const { version, schemaVersion } = from;
  await trx('compared_lists').insert({ list, version, schema_version: schemaVersion }).onConflict('list').merge();
  return true;
}

const toCursor = ({ after }: ListComparison) => ({ after_country: after?.country ?? '', after_tax_id: after?.taxId ?? '' });

interface Row {
  readonly country: CompanyKey['country'];
  readonly tax_id: string;
  readonly legal_person: string;
  readonly names: readonly string[];
  readonly entries: readonly string[] | null;
  readonly ignored: readonly string[] | null;
  readonly held: readonly string[] | null;
}

const toCompanyListEntries = ({ country, tax_id, legal_person, names, entries, ignored, held }: Row): CompanyListEntries => ({
  company: { country, taxId: tax_id },
  legalPerson: legal_person,
  names,
  entries,
  ignored,
  held,
});
