import type { Knex } from 'knex';
import type { CompanyKey } from '../../../domain/company.ts';
import type { SourceName } from '../../../domain/source-names.ts';
import { SECOND_MS } from '../../../domain/time.ts';
import type { Finding, Snapshot } from '../domain/change.ts';
import { REGISTRY_OF, type Rhythm, registryOf, type Watched, type WatchedCountry } from '../domain/watched-company.ts';

/** A claim on companies that are due. Times are epoch ms. */
export interface Claim {
  readonly country: WatchedCountry;
  readonly limit: number;
  readonly now: number;
  /** Who claims. */
  readonly lease: string;
  /** When the claim lapses unless it is used before. */
  readonly until: number;
}

export interface Claimed {
  readonly company: CompanyKey;
  /** True before its baseline. */
  readonly isNew: boolean;
}

/** Takes companies that are due and that nobody else looks at, those first that are longest due. */
export async function claimDue(db: Knex, { country, limit, now, lease, until }: Claim): Promise<readonly Claimed[]> {
  const at = new Date(now);
  const { rows } = await db.raw(
    `WITH due AS MATERIALIZED (
       SELECT country, tax_id FROM watched_companies
       WHERE country = ? AND due_at <= ? AND (leased_until IS NULL OR leased_until <= ?)
       ORDER BY due_at LIMIT ? FOR UPDATE SKIP LOCKED)
     UPDATE watched_companies w SET lease = ?, leased_until = ? FROM due
     WHERE w.country = due.country AND w.tax_id = due.tax_id
     RETURNING w.tax_id, w.snapshot IS NULL AS "isNew"`,
    [country, at, at, limit, lease, new Date(until)],
  );
  return rows.map(({ tax_id: taxId, isNew }: { tax_id: string; isNew: boolean }) => ({ company: { country, taxId }, isNew }));
}

/** What was claimed, and by whom. */
export interface Ours {
  readonly lease: string;
  readonly companies: readonly CompanyKey[];
}

/**
 * Locks those of the companies that the lease still holds, as they stand now. Each is looked up by its key, one after another: left to
 * itself, the planner reads the whole table for the few that are claimed.
 */
export async function lockClaimed(trx: Knex, { lease, companies }: Ours): Promise<readonly Watched[]> {
  const { rows } = await trx.raw(
    `SELECT w.* FROM (SELECT * FROM unnest(?::text[], ?::text[]) AS named (country, tax_id) ORDER BY 1, 2) AS claimed
       CROSS JOIN LATERAL (
         SELECT * FROM watched_companies o
         WHERE o.country = claimed.country AND o.tax_id = claimed.tax_id AND o.lease = ? FOR UPDATE) AS w`,
    [companies.map(({ country }) => country), companies.map(({ taxId }) => taxId), lease],
  );
  return rows.map(toWatched);
}

/** What a check leaves behind. */
export interface Checked extends Rhythm {
  readonly company: CompanyKey;
  readonly snapshot: Snapshot | null;
  readonly ignored: Snapshot | null;
  /** Epoch ms; null for a check that failed. */
  readonly checkedAt: number | null;
  /** Lists that were looked at for the first time → fingerprints of their entries. */
  readonly listings?: Readonly<Record<string, readonly string[]>> | undefined;
}

/** Writes down checks and gives their claims back. The rows are locked already. */
export async function saveChecked(trx: Knex, checks: readonly Checked[]): Promise<void> {
  if (checks.length === 0) return;
  await trx.raw(
    `UPDATE watched_companies w SET snapshot = r.snapshot, anchor_at = r.anchor_at, due_at = r.due_at, failures = r.failures,
       checked_at = coalesce(r.checked_at, w.checked_at), listings = r.listings || w.listings,
       ignored = CASE WHEN r.ignored IS NULL THEN w.ignored - r.source ELSE w.ignored || jsonb_build_object(r.source, r.ignored) END,
       lease = NULL, leased_until = NULL
     FROM jsonb_to_recordset(?::jsonb) AS r (country text, tax_id text, source text, snapshot jsonb, ignored jsonb, listings jsonb,
       anchor_at timestamptz, due_at timestamptz, checked_at timestamptz, failures integer)
     WHERE w.country = r.country AND w.tax_id = r.tax_id`,
    [JSON.stringify(checks.map(toCheckedRow))],
  );
}

const toCheckedRow = ({ company, snapshot, ignored, listings = {}, anchorAt, dueAt, checkedAt, failures }: Checked) => ({
  country: company.country,
  tax_id: company.taxId,
  source: registryOf(company),
  snapshot,
  ignored,
  listings,
  anchor_at: new Date(anchorAt),
  due_at: new Date(dueAt),
  checked_at: checkedAt === null ? null : new Date(checkedAt),
  failures,
});

/** Companies watched of a country; of all where it is left out. */
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
  readonly anchor_at: Date;
  readonly failures: number;
}

const toWatched = (row: Row): Watched => ({
  company: { country: row.country, taxId: row.tax_id },
  legalPerson: row.legal_person,
  number: Number(row.number),
  snapshot: row.snapshot,
  ignored: row.ignored[REGISTRY_OF[row.country]] ?? null,
  anchorAt: row.anchor_at.getTime(),
  failures: row.failures,
});

/**
 * Brings forward what lies more than an interval ahead, to the next moment of its rhythm: the interval was longer before.
 * @param now epoch ms
 * @param interval in ms
 */
export async function bringForward(db: Knex, now: number, interval: number): Promise<void> {
  await db.raw(
    `WITH late AS MATERIALIZED (SELECT country, tax_id FROM watched_companies WHERE country IN ('BR', 'CL') AND due_at > :latest FOR UPDATE SKIP LOCKED)
     UPDATE watched_companies w
     SET due_at = anchor_at + make_interval(secs => :seconds * (floor(greatest(extract(epoch FROM :now - anchor_at), 0) / :seconds) + 1))
     FROM late WHERE w.country = late.country AND w.tax_id = late.tax_id`,
    { now: new Date(now), seconds: interval / SECOND_MS, latest: new Date(now + interval) },
  );
}

/** What is due at an instant. */
export interface Due {
  readonly companies: Readonly<Record<WatchedCountry, number>>;
  /** True when a webhook lane has something to send and nobody works on it. */
  readonly lanes: boolean;
}

/** Looks at what is due. @param now epoch ms */
export async function countDue(db: Knex, now: number): Promise<Due> {
  const { rows } = await db.raw(
    `SELECT count(*) FILTER (WHERE country = 'BR') AS br, count(*) FILTER (WHERE country = 'CL') AS cl,
       EXISTS (SELECT FROM webhook_lanes WHERE due_at <= :now AND (leased_until IS NULL OR leased_until <= :now)) AS lanes
     FROM watched_companies WHERE country IN ('BR', 'CL') AND due_at <= :now AND (leased_until IS NULL OR leased_until <= :now)`,
    { now: new Date(now) },
  );
  const [{ br, cl, lanes }] = rows;
  return { companies: { BR: Number(br), CL: Number(cl) }, lanes };
}

/** Makes what was observed the state of its companies, and forgets what was ignored of the source. */
export async function adopt(trx: Knex, findings: readonly Finding[]): Promise<void> {
  if (findings.length === 0) return;
  await trx.raw(
    `UPDATE watched_companies w SET
       snapshot = CASE WHEN r.is_list THEN w.snapshot ELSE r.observed END,
       listings = CASE WHEN r.is_list THEN w.listings || jsonb_build_object(r.source, r.observed) ELSE w.listings END,
       ignored = w.ignored - r.source
     ${OBSERVED}`,
    [JSON.stringify(findings.map(toRow))],
  );
}

/** While the source says the same again, nothing has changed. */
export async function ignore(trx: Knex, findings: readonly Finding[]): Promise<void> {
  await trx.raw(`UPDATE watched_companies w SET ignored = w.ignored || jsonb_build_object(r.source, r.observed) ${OBSERVED}`, [
    JSON.stringify(findings.map(toRow)),
  ]);
}

const OBSERVED = `FROM jsonb_to_recordset(?::jsonb) AS r (country text, tax_id text, source text, is_list boolean, observed jsonb)
  WHERE w.country = r.country AND w.tax_id = r.tax_id`;

const toRow = ({ company, source, observed }: Finding) => ({
  country: company.country,
  tax_id: company.taxId,
  source,
  is_list: Array.isArray(observed),
  observed,
});
