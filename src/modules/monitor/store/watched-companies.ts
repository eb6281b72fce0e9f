import type { Knex } from 'knex';
import { groupByQuery, type NumberedRow, type Owned, queryTable } from '../../../db/paging.ts';
import type { SourceName } from '../../../domain/catalogue.ts';
import { type CompanyKey, REGISTRY_OF } from '../../../domain/company.ts';
import { SECOND_MS } from '../../../domain/time.ts';
import { type DetectedChange, observationKey, type Snapshot } from '../domain/change.ts';
import type { CheckProgress } from '../domain/monitor.ts';
import type { CheckSchedule, WatchedCompany, WatchedCountry } from '../domain/watched-company.ts';

/** A claim on due companies. Times are epoch ms. */
export interface Claim {
  readonly country: WatchedCountry;
  readonly limit: number;
  readonly now: number;
  /** UUID that identifies the claim. */
  readonly lease: string;
  /** Expiry of the claim. */
  readonly until: number;
  /** Lists that are known to be loaded, of which each company gets a baseline. */
  readonly lists: readonly string[];
  /** True to claim only companies that lack the baseline of one of the lists. */
  readonly onlyWithoutBaseline: boolean;
}

export interface Claimed {
  readonly company: CompanyKey;
  /** True before the first successful check, and if one of the lists could not be read then. */
  readonly lacksBaseline: boolean;
  /** See `WatchedCompany.extractedOn`. */
  readonly extractedOn: string | null;
}

/** Claims due companies that no other process has claimed, the longest due first. */
export async function claimDueCompanies(db: Knex, claim: Claim): Promise<readonly Claimed[]> {
  const { country, limit, now, lease, until, lists, onlyWithoutBaseline } = claim;
  const at = new Date(now);
  const { rows } = await db.raw(
    `WITH due AS MATERIALIZED (
       SELECT country, tax_id FROM watched_companies
       WHERE country = ? AND due_at <= ? AND (leased_until IS NULL OR leased_until <= ?)
         AND NOT (? AND jsonb_exists_all(listings, CAST(? AS text[])))
       ORDER BY due_at LIMIT ? FOR UPDATE SKIP LOCKED)
     UPDATE watched_companies w SET lease = ?, leased_until = ? FROM due
     WHERE w.country = due.country AND w.tax_id = due.tax_id
     RETURNING w.tax_id, w.extracted_on, w.snapshot IS NULL OR NOT jsonb_exists_all(w.listings, CAST(? AS text[])) AS lacks_baseline`,
    [country, at, at, onlyWithoutBaseline, [...lists], limit, lease, new Date(until), [...lists]],
  );
  return rows.map((row: ClaimedRow) => ({
    company: { country, taxId: row.tax_id },
    lacksBaseline: row.lacks_baseline,
    extractedOn: row.extracted_on,
  }));
}

interface ClaimedRow {
  readonly tax_id: string;
  readonly lacks_baseline: boolean;
  /** ISO date. */
  readonly extracted_on: string | null;
}

/** The companies of a claim. */
export interface ClaimedCompanies {
  readonly lease: string;
  readonly companies: readonly CompanyKey[];
}

/**
 * Locks and reads the companies that are still under the lease. The LATERAL join makes the planner look up each company by its key;
 * without it, the planner reads the whole table.
 */
export async function lockClaimedCompanies(trx: Knex, { lease, companies }: ClaimedCompanies): Promise<readonly WatchedCompany[]> {
  const { rows } = await trx.raw(
    `SELECT w.* FROM (SELECT * FROM unnest(?::text[], ?::text[]) AS named (country, tax_id) ORDER BY 1, 2) AS claimed
       CROSS JOIN LATERAL (
         SELECT * FROM watched_companies o
         WHERE o.country = claimed.country AND o.tax_id = claimed.tax_id AND o.lease = ? FOR UPDATE) AS w`,
    [companies.map(({ country }) => country), companies.map(({ taxId }) => taxId), lease],
  );
  return rows.map(toWatchedCompany);
}

/** The state of a company after a check. */
export interface CheckResult extends CheckSchedule {
  readonly company: CompanyKey;
  readonly snapshot: Snapshot | null;
  readonly ignored: Snapshot | null;
  /** See `WatchedCompany.extractedOn`. */
  readonly extractedOn: string | null;
  /** Epoch ms; null for a failed check. */
  readonly checkedAt: number | null;
  /** Baseline of lists: list → fingerprints of the entries. */
  readonly listings?: Readonly<Record<string, readonly string[]>> | undefined;
  /** Names of the company from the registry; empty if it reported none. */
  readonly names: readonly string[];
}

/** Stores the results of checks and releases the claims. The rows must be locked. */
export async function saveCheckResults(trx: Knex, checks: readonly CheckResult[]): Promise<void> {
  if (checks.length === 0) return;
  await trx.raw(
    `UPDATE watched_companies w SET snapshot = r.snapshot, anchor_at = r.anchor_at, due_at = r.due_at, failures = r.failures,
       checked_at = coalesce(r.checked_at, w.checked_at), listings = r.listings || w.listings,
       names = coalesce(r.names, w.names), extracted_on = r.extracted_on,
       ignored = CASE WHEN r.ignored IS NULL THEN w.ignored - r.source ELSE w.ignored || jsonb_build_object(r.source, r.ignored) END,
       lease = NULL, leased_until = NULL
     FROM jsonb_to_recordset(?::jsonb) AS r (country text, tax_id text, source text, snapshot jsonb, ignored jsonb, listings jsonb,
       names text[], extracted_on date, anchor_at timestamptz, due_at timestamptz, checked_at timestamptz, failures integer)
     WHERE w.country = r.country AND w.tax_id = r.tax_id`,
    [JSON.stringify(checks.map(toCheckRow))],
  );
}

const toCheckRow = ({
  company,
  snapshot,
  ignored,
  extractedOn,
  listings = {},
  names,
  anchorAt,
  dueAt,
  checkedAt,
  failures,
}: CheckResult) => ({
  country: company.country,
  tax_id: company.taxId,
  source: REGISTRY_OF[company.country],
  snapshot,
  ignored,
  listings,
  names: names.length === 0 ? null : names,
  extracted_on: extractedOn,
  anchor_at: new Date(anchorAt),
  due_at: new Date(dueAt),
  checked_at: checkedAt === null ? null : new Date(checkedAt),
  failures,
});

/** Counts watched companies of a country; of all countries if it is omitted. */
export async function countWatched(db: Knex, country?: string): Promise<number> {
  const query = db('watched_companies').count({ count: '*' });
  const [row] = await (country === undefined ? query : query.where({ country }));
  return Number(row?.count);
}

interface Row {
  readonly country: WatchedCountry;
  readonly tax_id: string;
  readonly legal_person: string;
  readonly number: string;
  readonly snapshot: Snapshot | null;
  readonly ignored: Readonly<Partial<Record<SourceName, Snapshot>>>;
  /** ISO date. */
  readonly extracted_on: string | null;
  readonly anchor_at: Date;
  readonly failures: number;
}

const toWatchedCompany = (row: Row): WatchedCompany => ({
  company: { country: row.country, taxId: row.tax_id },
  legalPerson: row.legal_person,
  number: Number(row.number),
  snapshot: row.snapshot,
  ignored: row.ignored[REGISTRY_OF[row.country]] ?? null,
  extractedOn: row.extracted_on,
  anchorAt: row.anchor_at.getTime(),
  failures: row.failures,
});

/** Number of checks that one statement moves. */
const MOVED_SIZE = 5_000;

/**
 * Moves checks that are more than an interval ahead to their next regular time. They were planned with a longer interval.
 * @param now epoch ms
 * @param interval in ms
 */
export async function bringForward(db: Knex, now: number, interval: number): Promise<void> {
  let moved = MOVED_SIZE;
  while (moved === MOVED_SIZE) {
    const { rowCount } = await db.raw(
      `WITH late AS MATERIALIZED (
         SELECT country, tax_id FROM watched_companies WHERE country IN ('BR', 'CL', 'CO') AND due_at > :latest LIMIT :limit FOR UPDATE SKIP LOCKED)
       UPDATE watched_companies w SET due_at = least(:latest,
         anchor_at + make_interval(secs => :seconds * (floor(greatest(extract(epoch FROM :now - anchor_at), 0) / :seconds) + 1)))
       FROM late WHERE w.country = late.country AND w.tax_id = late.tax_id`,
      { now: new Date(now), seconds: interval / SECOND_MS, latest: new Date(now + interval), limit: MOVED_SIZE },
    );
    moved = rowCount;
  }
}

/** Selects a monitor, with the moments (ISO 8601) that its checks are compared with. */
export interface CheckProgressQuery extends Owned {
  /** A company that was checked after this moment counts as checked. */
  readonly since: string;
  /** A check that is due before this moment is overdue. */
  readonly overdueBefore: string;
}

/** Reads the progress of the checks of monitors; null for a monitor that its key does not own. */
export async function readCheckProgress(db: Knex, queries: readonly CheckProgressQuery[]): Promise<readonly (CheckProgress | null)[]> {
  const { rows } = await db.raw(
    `SELECT query.n, found.* FROM ${queryTable({ keyId: 'uuid', id: 'uuid', since: 'timestamptz', overdueBefore: 'timestamptz' })}
       JOIN monitors m ON m.id = query.id AND m.key_id = query."keyId",
       LATERAL (SELECT count(*)::int AS companies, count(*) FILTER (WHERE w.checked_at > query.since)::int AS checked,
           count(*) FILTER (WHERE w.due_at < query."overdueBefore")::int AS overdue, count(*) FILTER (WHERE w.failures > 0)::int AS failing,
           max(w.checked_at) AS last_checked_at, min(w.due_at) AS next_check_at
         FROM monitor_companies c JOIN watched_companies w USING (country, tax_id)
         WHERE c.monitor_id = m.id AND m.cancelled_at IS NULL) AS found`,
    [JSON.stringify(queries)],
  );
  return groupByQuery<CheckProgressRow>(rows, queries.length).map(([row]) => (row ? toCheckProgress(row) : null));
}

interface CheckProgressRow extends NumberedRow, Omit<CheckProgress, 'lastCheckedAt' | 'nextCheckAt'> {
  readonly last_checked_at: Date | null;
  readonly next_check_at: Date | null;
}

const toCheckProgress = ({ companies, checked, overdue, failing, last_checked_at, next_check_at }: CheckProgressRow): CheckProgress => ({
  companies,
  checked,
  overdue,
  failing,
  lastCheckedAt: last_checked_at?.getTime() ?? null,
  nextCheckAt: next_check_at?.getTime() ?? null,
});

/** Work that is due. */
export interface DueWork {
  readonly companies: Readonly<Record<WatchedCountry, number>>;
  /** True when a delivery partition is due and not leased. */
  readonly partitions: boolean;
}

/** Counts due companies. @param now epoch ms */
export async function countDue(db: Knex, now: number): Promise<DueWork> {
  const { rows } = await db.raw(
    `SELECT count(*) FILTER (WHERE country = 'BR') AS br, count(*) FILTER (WHERE country = 'CL') AS cl,
       count(*) FILTER (WHERE country = 'CO') AS co,
       EXISTS (SELECT FROM endpoint_partitions p LEFT JOIN webhook_endpoints e ON e.id = p.monitor_id
         WHERE p.due_at <= :now AND (p.leased_until IS NULL OR p.leased_until <= :now)
           AND (e.parked_until IS NULL OR e.parked_until <= :now)) AS partitions
     FROM watched_companies WHERE country IN ('BR', 'CL', 'CO') AND due_at <= :now AND (leased_until IS NULL OR leased_until <= :now)`,
    { now: new Date(now) },
  );
  const [{ br, cl, co, partitions }] = rows;
  return { companies: { BR: Number(br), CL: Number(cl), CO: Number(co) }, partitions };
}

/** Makes the observation the snapshot of its company, and clears the ignored observation of the source. */
export async function acceptAsSnapshot(trx: Knex, changes: readonly DetectedChange[]): Promise<void> {
  if (changes.length === 0) return;
  await trx.raw(
    `UPDATE watched_companies w SET
       snapshot = CASE WHEN r.is_list THEN w.snapshot ELSE r.observed END,
       listings = CASE WHEN r.is_list THEN w.listings || jsonb_build_object(r.source, r.observed) ELSE w.listings END,
       ignored = w.ignored - r.source
     ${OBSERVED}`,
    [JSON.stringify(changes.map(toRow))],
  );
}

/** Stores the observation as ignored: no change is detected while the source repeats the observation. */
export async function ignoreObservation(trx: Knex, changes: readonly DetectedChange[]): Promise<void> {
  await trx.raw(`UPDATE watched_companies w SET ignored = w.ignored || jsonb_build_object(r.source, r.observed) ${OBSERVED}`, [
    JSON.stringify(changes.map(toRow)),
  ]);
}

const OBSERVED = `FROM jsonb_to_recordset(?::jsonb) AS r (country text, tax_id text, source text, is_list boolean, observed jsonb)
  WHERE w.country = r.country AND w.tax_id = r.tax_id`;

const toRow = ({ company, observed, ...of }: DetectedChange) => ({
  country: company.country,
  tax_id: company.taxId,
  source: observationKey(of),
  is_list: Array.isArray(observed),
  observed,
});
