import type { Knex } from 'knex';
import type { SourceName } from '../../../domain/catalogue.ts';
import type { CompanyKey } from '../../../domain/company.ts';

/** The entries of a list that name a watched company, as fingerprints. */
export interface CompanyListEntries {
  readonly company: CompanyKey;
  readonly legalPerson: string;
  /** As last reported; null before the first comparison. */
  readonly entries: readonly string[] | null;
  /** Entries that an operator discarded. */
  readonly ignored: readonly string[] | null;
}

/** The list version that the watched companies were last compared with. */
export interface ComparedVersion {
  readonly version: string;
  /** Version of the parser that made its records. */
  readonly schemaVersion: number;
}

const COLUMNS = 'country, tax_id, legal_person, listings -> :list AS entries, ignored -> :list AS ignored';

/** Watched companies with their entries of a list, sorted by company, at most `limit`, after one of them. */
export async function pageListEntries(
  db: Knex,
  list: SourceName,
  { after, limit }: { readonly after: CompanyKey | null; readonly limit: number },
): Promise<readonly CompanyListEntries[]> {
  const { rows } = await db.raw(
    `SELECT ${COLUMNS} FROM watched_companies WHERE (country, tax_id) > (:country, :taxId) ORDER BY country, tax_id LIMIT :limit`,
    { list, country: after?.country ?? '', taxId: after?.taxId ?? '', limit },
  );
  return rows.map(toCompanyListEntries);
}

/** Locks watched companies and reads their entries of a list. */
export async function lockListEntries(
  trx: Knex,
  list: SourceName,
  companies: readonly CompanyKey[],
): Promise<readonly CompanyListEntries[]> {
  const { rows } = await trx.raw(
    `SELECT w.* FROM (SELECT * FROM unnest(CAST(:countries AS text[]), CAST(:taxIds AS text[])) AS r (c, t) ORDER BY 1, 2) AS named
       CROSS JOIN LATERAL (SELECT ${COLUMNS} FROM watched_companies WHERE country = named.c AND tax_id = named.t FOR UPDATE) AS w`,
    { list, countries: companies.map(({ country }) => country), taxIds: companies.map(({ taxId }) => taxId) },
  );
  return rows.map(toCompanyListEntries);
}

/** List → the version last compared. */
export async function comparedVersions(db: Knex): Promise<ReadonlyMap<string, ComparedVersion>> {
  const rows: readonly { readonly list: string; readonly version: string; readonly schema_version: number }[] = await db('compared_lists');
  return new Map(rows.map(({ list, version, schema_version: schemaVersion }) => [list, { version, schemaVersion }]));
}

/** How far the comparison of all watched companies with a list version has come. */
export interface ListComparison extends ComparedVersion {
  /** `count`: all companies are compared, to see how many changed. Then their changes are published, or held as a mass change. */
  readonly phase: 'count' | 'publish' | 'hold';
  /** The last company that the phase is done with; null at its start. */
  readonly after: CompanyKey | null;
  /** Companies compared in the phase `count`, and those of them that changed. */
  readonly checked: number;
  readonly changed: number;
}

/** The comparison with a list version: as far as it has come, or its start. */
export async function openComparison(db: Knex, list: SourceName, { version, schemaVersion }: ComparedVersion): Promise<ListComparison> {
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
export async function saveComparison(trx: Knex, list: SourceName, from: ListComparison, to: ListComparison | null): Promise<boolean> {
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
  readonly entries: readonly string[] | null;
  readonly ignored: readonly string[] | null;
}

const toCompanyListEntries = ({ country, tax_id, legal_person, entries, ignored }: Row): CompanyListEntries => ({
  company: { country, taxId: tax_id },
  legalPerson: legal_person,
  entries,
  ignored,
});
