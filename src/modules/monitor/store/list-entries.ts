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

/** Stores that a list version was compared. */
export async function saveComparedVersion(db: Knex, list: SourceName, { version, schemaVersion }: ComparedVersion): Promise<void> {
  await db('compared_lists').insert({ list, version, schema_version: schemaVersion }).onConflict('list').merge();
}

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
