import type { Knex } from 'knex';
import type { CompanyKey } from '../../../domain/company.ts';
import type { SourceName } from '../../../domain/source-names.ts';

/** What a list says of a watched company, as far as it was looked at. */
export interface Listed {
  readonly company: CompanyKey;
  readonly legalPerson: string;
  /** Fingerprints of its entries as last reported; null before the first look. */
  readonly entries: readonly string[] | null;
  /** Those that an operator discarded. */
  readonly ignored: readonly string[] | null;
}

/** The edition that the watched companies were last compared with. */
export interface JudgedEdition {
  readonly edition: string;
  /** Version of the reader that made its records. */
  readonly shape: number;
}

const COLUMNS = 'country, tax_id, legal_person, listings -> :list AS entries, ignored -> :list AS ignored';

/** Watched companies with what a list said of them, in their order, at most `limit`, after one of them. */
export async function listedAfter(
  db: Knex,
  list: SourceName,
  { after, limit }: { readonly after: CompanyKey | null; readonly limit: number },
): Promise<readonly Listed[]> {
  const { rows } = await db.raw(
    `SELECT ${COLUMNS} FROM watched_companies WHERE (country, tax_id) > (:country, :taxId) ORDER BY country, tax_id LIMIT :limit`,
    { list, country: after?.country ?? '', taxId: after?.taxId ?? '', limit },
  );
  return rows.map(toListed);
}

/** Locks companies, and says what a list said of them. */
export async function lockListed(trx: Knex, list: SourceName, companies: readonly CompanyKey[]): Promise<readonly Listed[]> {
  const { rows } = await trx.raw(
    `SELECT w.* FROM (SELECT * FROM unnest(CAST(:countries AS text[]), CAST(:taxIds AS text[])) AS r (c, t) ORDER BY 1, 2) AS named
       CROSS JOIN LATERAL (SELECT ${COLUMNS} FROM watched_companies WHERE country = named.c AND tax_id = named.t FOR UPDATE) AS w`,
    { list, countries: companies.map(({ country }) => country), taxIds: companies.map(({ taxId }) => taxId) },
  );
  return rows.map(toListed);
}

/** List → the edition last judged. */
export async function judgedEditions(db: Knex): Promise<ReadonlyMap<string, JudgedEdition>> {
  const rows: readonly (JudgedEdition & { readonly list: string })[] = await db('judged_lists');
  return new Map(rows.map(({ list, edition, shape }) => [list, { edition, shape }]));
}

/** Remembers that an edition was judged. */
export async function saveJudged(db: Knex, list: SourceName, judged: JudgedEdition): Promise<void> {
  await db('judged_lists')
    .insert({ list, ...judged })
    .onConflict('list')
    .merge();
}

interface Row {
  readonly country: CompanyKey['country'];
  readonly tax_id: string;
  readonly legal_person: string;
  readonly entries: readonly string[] | null;
  readonly ignored: readonly string[] | null;
}

const toListed = ({ country, tax_id, legal_person, entries, ignored }: Row): Listed => ({
  company: { country, taxId: tax_id },
  legalPerson: legal_person,
  entries,
  ignored,
});
