import type { Knex } from 'knex';
import type { CompanyKey, Country } from '../../../domain/company.ts';
import { OPTIONAL_LISTS } from '../../../domain/optional-lists.ts';
import { CANDIDATE, type ObservationKey } from '../domain/change.ts';
import type { CompanyListEntries } from '../domain/list-changes.ts';

/*
 * Lists that are compared only for accounts that have chosen them. Companies are shared by the monitors of all accounts, so a company has
 * the entries of a chosen list as long as a monitor of such an account watches it. A monitor is due until its companies have a baseline of
 * each chosen list: when it is created, gets companies, or its account chooses a list.
 */

const OPTIONAL = Object.keys(OPTIONAL_LISTS);

/** True for a list that accounts choose, and for its candidates. */
export const isOptional = (key: ObservationKey): boolean => OPTIONAL.includes(key.split(':')[0] ?? '');

/** SQL: the lists that account `a` has chosen, for its answers or its verdicts. */
export const CHOSEN = '(a.lists || a.verdict_lists)';

/** SQL: true if account `a` gets what is observed under a key: a registry, a list that all accounts get, or one that it has chosen. */
export const isSeenBy = (key: string): string =>
  `(split_part(${key}, ':', 1) <> ALL (ARRAY['${OPTIONAL.join("', '")}']) OR split_part(${key}, ':', 1) = ANY ${CHOSEN})`;

/** SQL: true for a key `k.key` of candidates. */
const OF_CANDIDATES = `k.key LIKE '%:${CANDIDATE}'`;

/** SQL: the active monitors `m` that compare their companies under a key `k`, which has a country or null. */
const COMPARING = `accounts a JOIN api_keys owner ON owner.account_id = a.id JOIN monitors m ON m.key_id = owner.id
  WHERE split_part(k.key, ':', 1) = ANY ${CHOSEN} AND m.cancelled_at IS NULL AND (k.country IS NULL OR k.country = m.country)
    AND (m.candidate_news OR NOT ${OF_CANDIDATES})`;

/** A key of a list, and the country of the companies that the list names; null for all. */
interface ComparedKey {
  readonly key: ObservationKey;
  readonly country: Country | null;
}

/** Reads which of the keys an active monitor compares. The value is true if the companies of a monitor lack a baseline. */
export async function readChosenKeys(db: Knex, keys: readonly ComparedKey[]): Promise<ReadonlyMap<ObservationKey, boolean>> {
  const { rows } = await db.raw(
    `SELECT k.key, bool_or(k.key <> ALL (m.baselines)) AS due
     FROM jsonb_to_recordset(?::jsonb) AS k (key text, country text), LATERAL (SELECT m.baselines FROM ${COMPARING}) AS m GROUP BY k.key`,
    [JSON.stringify(keys.map(({ key, country }) => ({ key, country })))],
  );
  return new Map(rows.map(({ key, due }: { readonly key: ObservationKey; readonly due: boolean }) => [key, due]));
}

/** Reads the first monitor after a given one whose companies may lack a baseline of a key; null for none. */
export async function nextWithoutBaseline(db: Knex, { key, country }: ComparedKey, after: string | null): Promise<string | null> {
  const { rows } = await db.raw(
    `SELECT m.id FROM (SELECT CAST(:key AS text) AS key, CAST(:country AS text) AS country) AS k,
       LATERAL (SELECT m.id, m.baselines FROM ${COMPARING}) AS m
     WHERE k.key <> ALL (m.baselines) AND (CAST(:after AS uuid) IS NULL OR m.id > CAST(:after AS uuid)) ORDER BY m.id LIMIT 1`,
    { key, country, after },
  );
  return rows[0]?.id ?? null;
}

/** SQL: the companies `w` of a monitor that lack a baseline of `:key`. */
const LACKING = `monitor_companies c JOIN watched_companies w USING (country, tax_id)
  WHERE c.monitor_id = :monitorId AND NOT jsonb_exists(w.listings, :key)`;

/** Reads the companies of a monitor that lack a baseline. Candidates need the names of the company. */
export async function companiesWithoutBaseline(db: Knex, key: ObservationKey, monitorId: string): Promise<readonly CompanyListEntries[]> {
  const { rows } = await db.raw(
    `SELECT w.country, w.tax_id AS "taxId", w.legal_person AS "legalPerson", coalesce(w.names, '{}') AS names FROM ${LACKING}
       AND (w.names IS NOT NULL OR :key NOT LIKE '%:${CANDIDATE}') ORDER BY w.country, w.tax_id`,
    { key, monitorId },
  );
  return rows.map(({ country, taxId, legalPerson, names }: LackingRow) => ({
    company: { country, taxId },
    legalPerson,
    names,
    entries: null,
    ignored: null,
    held: null,
  }));
}

interface LackingRow extends CompanyKey, Pick<CompanyListEntries, 'legalPerson' | 'names'> {}

/**
 * Records that the companies of a monitor have a baseline of a key, unless one lacks it. A company whose registry has never answered has no
 * names, and gets a baseline of candidates with a later version of the list.
 */
export async function settleBaseline(trx: Knex, key: ObservationKey, monitorId: string): Promise<void> {
  await trx.raw(
    `UPDATE monitors m SET baselines = array_append(m.baselines, CAST(:key AS text))
     WHERE m.id = :monitorId AND CAST(:key AS text) <> ALL (m.baselines)
       AND NOT EXISTS (SELECT FROM ${LACKING} AND (w.names IS NOT NULL OR w.failures = 0 OR :key NOT LIKE '%:${CANDIDATE}'))`,
    { key, monitorId },
  );
}

/** Makes a monitor due for baselines, because it may have companies that lack them. */
export async function makeBaselinesDue(trx: Knex, monitorId: string): Promise<void> {
  await trx('monitors').where({ id: monitorId }).whereNot({ baselines: '{}' }).update({ baselines: '{}' });
}

/** SQL: true for a baseline `b` of monitor `m` that is still needed. */
const NEEDED = `split_part(b, ':', 1) = ANY ${CHOSEN} AND (m.candidate_news OR b NOT LIKE '%:${CANDIDATE}')`;

/** Forgets the baselines of lists that the account of a monitor does not choose any more. If it chooses one again, the monitor is due. */
export async function dropBaselines(db: Knex): Promise<void> {
  await db.raw(
    `UPDATE monitors m SET baselines = ARRAY(SELECT b FROM unnest(m.baselines) AS b WHERE ${NEEDED})
     FROM api_keys owner JOIN accounts a ON a.id = owner.account_id
     WHERE owner.id = m.key_id AND m.baselines <> '{}' AND EXISTS (SELECT FROM unnest(m.baselines) AS b WHERE NOT (${NEEDED}))`,
  );
}

/** Deletes the version that a list was last compared with, because no monitor compares it any more. */
export async function forgetComparison(db: Knex, key: ObservationKey): Promise<void> {
  await db('list_comparisons').where({ list: key }).delete();
  await db('compared_lists').where({ list: key }).delete();
}
