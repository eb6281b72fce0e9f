import type { Knex } from 'knex';
import type { CompanyKey, Country } from '../../../domain/company.ts';
import { CANDIDATE } from '../domain/change.ts';
import {
  BY_WEIGHT,
  type ChangedCompany,
  LEFT_LIST,
  LIST_WEIGHTS,
  MAX_CHANGES,
  MAX_COMPANIES,
  MAX_UNCHECKED,
  type Part,
  type UncheckedCompany,
} from '../domain/digest.ts';
import { CHOSEN, isSeenBy } from './chosen-lists.ts';

/** SQL: the companies that the active monitors of an account watch, `w`, each once. `reports`: a monitor compares its names with lists. */
const WATCHED = `SELECT c.country, c.tax_id, bool_or(m.candidate_news) AS reports
  FROM api_keys k JOIN monitors m ON m.key_id = k.id AND m.cancelled_at IS NULL JOIN monitor_companies c ON c.monitor_id = m.id
  WHERE k.account_id = :accountId GROUP BY c.country, c.tax_id`;

/** SQL: the name of a watched company `w`; null if it is not known. */
const NAME = 'w.names[1] AS name';

/** The changes of an account after one position of the change log, up to another. */
export interface ChangeSpan {
  readonly accountId: string;
  readonly after: number;
  readonly upto: number;
}

/**
 * Reads the companies of an account that changed, the most serious first: those that a list names newly, then those that a list names
 * already, then by the field that changed. A change that several monitors report counts once.
 */
export async function readChangedCompanies(db: Knex, span: ChangeSpan): Promise<Part<ChangedCompany>> {
  const { rows } = await db.raw(
    `WITH found AS MATERIALIZED (
       SELECT DISTINCT ON (coalesce(c.observation_id, c.id)) c.position, c.country, c.tax_id, c.source, c.fields, c.detected_at
       FROM api_keys k JOIN changes c ON c.key_id = k.id
       WHERE k.account_id = :accountId AND c.position > :after AND c.position <= :upto
       ORDER BY coalesce(c.observation_id, c.id), c.position),
     weighed AS (
       SELECT country, tax_id, count(DISTINCT position)::int AS changes, max(position) AS last,
         min(array_position(CAST(:weights AS text[]),
           CASE WHEN jsonb_exists(field, 'list') THEN
             CASE WHEN (field ->> 'to')::int < (field ->> 'from')::int THEN :left ELSE field ->> 'field' END
           ELSE field ->> 'field' END)) AS weight
       FROM found, jsonb_array_elements(fields) AS field GROUP BY country, tax_id)
     SELECT o.country, o.tax_id, o.changes AS total, ${NAME}, count(*) OVER ()::int AS companies, l.lists,
       (SELECT jsonb_agg(jsonb_build_object('source', n.source, 'fields', n.fields, 'detectedAt', extract(epoch FROM n.detected_at) * 1000)
          ORDER BY n.position DESC)
        FROM (SELECT * FROM found f WHERE f.country = o.country AND f.tax_id = o.tax_id ORDER BY position DESC LIMIT ${MAX_CHANGES}) n) AS newest
     FROM weighed o LEFT JOIN watched_companies w ON w.country = o.country AND w.tax_id = o.tax_id,
       LATERAL (SELECT coalesce(array_agg(key ORDER BY key), '{}') AS lists FROM jsonb_each(coalesce(w.listings, '{}'))
         WHERE key NOT LIKE '%:${CANDIDATE}' AND value <> '[]'
           AND EXISTS (SELECT FROM accounts a WHERE a.id = :accountId AND ${isSeenBy('key')})) AS l
     ORDER BY least(o.weight, :lists + 1), l.lists = '{}', o.weight, o.last DESC, o.tax_id LIMIT ${MAX_COMPANIES}`,
    { ...span, weights: [...BY_WEIGHT], left: LEFT_LIST, lists: LIST_WEIGHTS },
  );
  const found: readonly ChangedRow[] = rows;
  return {
    total: found[0]?.companies ?? 0,
    items: found.map(({ country, tax_id, name, total, lists, newest }) => ({
      company: { country, taxId: tax_id },
      name,
      total,
      lists,
      changes: newest.map((change) => ({ ...change, detectedAt: Math.round(change.detectedAt) })),
    })),
  };
}

interface ChangedRow {
  readonly country: CompanyKey['country'];
  readonly tax_id: string;
  readonly name: string | null;
  readonly total: number;
  readonly companies: number;
  readonly lists: readonly string[];
  readonly newest: ChangedCompany['changes'];
}

/** Reads the companies of an account whose last check failed, and those without a successful check since `since` (epoch ms). */
export async function readUncheckedCompanies(db: Knex, accountId: string, since: number): Promise<Part<UncheckedCompany>> {
  const { rows } = await db.raw(
    `SELECT w.country, w.tax_id, ${NAME}, w.checked_at, count(*) OVER ()::int AS companies
     FROM (${WATCHED}) AS o JOIN watched_companies w ON w.country = o.country AND w.tax_id = o.tax_id
     WHERE w.failures > 0 OR coalesce(w.checked_at, w.anchor_at) < :since
     ORDER BY w.checked_at NULLS FIRST, w.tax_id LIMIT ${MAX_UNCHECKED}`,
    { accountId, since: new Date(since) },
  );
  const found: readonly UncheckedRow[] = rows;
  return {
    total: found[0]?.companies ?? 0,
    items: found.map(({ country, tax_id, name, checked_at }) => ({
      company: { country, taxId: tax_id },
      name,
      checkedAt: checked_at?.getTime() ?? null,
    })),
  };
}

interface UncheckedRow extends Pick<ChangedRow, 'country' | 'tax_id' | 'name' | 'companies'> {
  readonly checked_at: Date | null;
}

/** Counts of the watched companies of an account. */
export interface WatchedCounts {
  readonly companies: number;
  /** Countries of the companies. */
  readonly countries: readonly Country[];
  /** Optional lists that the account has chosen. */
  readonly chosenLists: readonly string[];
  /** Changes that are held. */
  readonly held: number;
  /** True if a monitor compares names with lists. */
  readonly comparesNames: boolean;
  /** The first position that the change log still has. */
  readonly keptFrom: number;
}

export async function countWatchedByAccount(db: Knex, accountId: string): Promise<WatchedCounts> {
  const { rows } = await db.raw(
    `WITH o AS MATERIALIZED (${WATCHED})
     SELECT (SELECT count(*) FROM o)::int AS companies, ARRAY(SELECT DISTINCT country FROM o) AS countries,
       (SELECT ${CHOSEN} FROM accounts a WHERE a.id = :accountId) AS "chosenLists", (SELECT coalesce(bool_or(reports), false) FROM o) AS "comparesNames",
       (SELECT count(*) FROM o JOIN held_changes h ON h.country = o.country AND h.tax_id = o.tax_id
         JOIN accounts a ON a.id = :accountId AND ${isSeenBy('h.source')})::int AS held,
       (SELECT kept_from FROM log_heads WHERE stream = 'changes') AS "keptFrom"`,
    { accountId },
  );
  return { ...rows[0], keptFrom: Number(rows[0].keptFrom) };
}

/** The candidates of a company on a list. */
export interface StoredCandidates {
  readonly company: CompanyKey;
  /** Name of the list. */
  readonly list: string;
  /** Texts by `recordText`. */
  readonly candidates: readonly string[];
}

/** Reads the candidates of the companies of an account that a monitor compares by name. */
export async function readStoredCandidates(db: Knex, accountId: string): Promise<readonly StoredCandidates[]> {
  const { rows } = await db.raw(
    `SELECT w.country, w.tax_id, split_part(l.key, ':', 1) AS list, l.value AS candidates
     FROM (${WATCHED}) AS o JOIN watched_companies w ON w.country = o.country AND w.tax_id = o.tax_id, jsonb_each(w.listings) AS l
     WHERE o.reports AND l.key LIKE '%:${CANDIDATE}' AND l.value <> '[]'
       AND EXISTS (SELECT FROM accounts a WHERE a.id = :accountId AND ${isSeenBy('l.key')})`,
    { accountId },
  );
  return rows.map(({ country, tax_id, list, candidates }: CandidatesRow) => ({ company: { country, taxId: tax_id }, list, candidates }));
}

interface CandidatesRow extends Pick<ChangedRow, 'country' | 'tax_id'> {
  readonly list: string;
  readonly candidates: readonly string[];
}
