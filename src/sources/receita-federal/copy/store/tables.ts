import type pg from 'pg';
import type { CopyTarget } from '../../../../db/copy-stream.ts';
import { TABLES, type TableName } from '../rows.ts';

const ROOT = 'root text COLLATE "C" NOT NULL';

/** Columns of each table of a version. All begin with the root, so that the tables can be distributed by it. */
const COLUMNS: Readonly<Record<TableName, string>> = {
  companies: `${ROOT}, name text, nature smallint, responsible smallint, capital_cents bigint, size smallint, federative_entity text`,
  establishments: `${ROOT}, branch text COLLATE "C" NOT NULL, digits text NOT NULL, is_head boolean NOT NULL, trade_name text,
    status smallint NOT NULL, status_since date, reason smallint, foreign_city text, country smallint, started_on date, activity integer,
    other_activities integer[], state text, municipality smallint, special_situation text, special_since date`,
  partners: `${ROOT}, line integer NOT NULL, kind smallint NOT NULL, name text, document text COLLATE "C", role smallint, since date,
    country smallint, representative_document text, representative text, representative_role smallint`,
  regimes: `${ROOT}, simples boolean, simples_since date, simples_until date, mei boolean, mei_since date, mei_until date`,
  links: `${ROOT}, branch text COLLATE "C" NOT NULL, kind smallint NOT NULL, hash bigint NOT NULL`,
};

/** Indexes of each table, which are created after its rows are loaded. A company that occurs twice makes the import fail. */
const INDEXES: Readonly<Record<TableName, readonly string[]>> = {
  companies: ['UNIQUE (root)'],
  establishments: ['UNIQUE (root, branch)'],
  partners: ['(root)', '(document) WHERE document IS NOT NULL', '(left(document, 8), root) WHERE kind = 1'],
  regimes: ['UNIQUE (root)'],
  links: ['(root)', '(kind, hash)'],
};

/** Tables that are computed from the others: the names by which companies are found, the terms of their index, and the people with one name. */
const COMPUTED = ['names', 'terms', 'namesakes'] as const;

/** Returns the name of a table of a version. @param id id of the version: digits */
export function tableOf(table: TableName | (typeof COMPUTED)[number], id: string): string {
  if (!/^\d+$/.test(id)) throw new Error('a version id is a number');
  return `receita_${table}_v${id}`;
}

/** Returns the SQL expression of the name of a code in a version. @param code SQL expression of the code */
export const lookupName = (id: string, kind: string, code: string): string =>
  `(SELECT l.name FROM receita_lookups l WHERE l.version_id = ${id} AND l.kind = '${kind}' AND l.code = ${code})`;

/** Returns the SQL expression of the CNPJ of the head office of a root; NULL if the files have none. @param root SQL expression */
export const headOfficeCnpj = (id: string, root: string): string =>
  `(SELECT h.root || h.branch || h.digits FROM ${tableOf('establishments', id)} h WHERE h.root = ${root} COLLATE "C" AND h.is_head
     ORDER BY h.branch LIMIT 1)`;

/**
 * Returns the SQL expression of the document of a partner `p`. Of a company it is the CNPJ of its head office if the file has the root only,
 * and the root if the files have no head office.
 */
export const partnerDocument = (id: string): string =>
  `CASE WHEN length(p.document) = 8 THEN coalesce(${headOfficeCnpj(id, 'p.document')}, p.document) ELSE p.document END`;

/**
 * SQL condition: a version has the row of a company without establishments, or establishments without the row, whose lines are lost.
 * @param root SQL expression
 */
export const isPartSql = (id: string, root: string): string =>
  `(EXISTS (SELECT FROM ${tableOf('companies', id)} pc WHERE pc.root = ${root} COLLATE "C")
     <> EXISTS (SELECT FROM ${tableOf('establishments', id)} pe WHERE pe.root = ${root} COLLATE "C"))`;

/** SQL condition: a row of a company could not be read, or the operator has erased the company. @param root SQL expression */
export const isUnreadSql = (id: string, root: string): string =>
  `EXISTS (SELECT FROM receita_unread u WHERE u.version_id = ${id} AND u.root = ${root} COLLATE "C")`;

/** Returns the table and its columns for COPY. */
export const copyTarget = (table: TableName, id: string): CopyTarget => ({
  table: tableOf(table, id),
  columns: COLUMNS[table].split(/,\s*/).map((column) => column.trim().split(' ')[0] ?? ''),
});

export async function createTables(client: pg.ClientBase, id: string): Promise<void> {
  for (const table of TABLES) await client.query(`CREATE TABLE ${tableOf(table, id)} (${COLUMNS[table]})`);
}

export async function dropTables(client: pg.ClientBase, id: string): Promise<void> {
  for (const table of [...TABLES, ...COMPUTED]) await client.query(`DROP TABLE IF EXISTS ${tableOf(table, id)}`);
}

/** Creates the indexes that are missing, one transaction each, and the statistics. */
export async function indexTable(client: pg.ClientBase, table: TableName, id: string): Promise<void> {
  const name = tableOf(table, id);
  // The setting holds until the connection ends, and this connection only imports.
  await client.query(`SET maintenance_work_mem = '128MB'`);
  for (const [number, index] of INDEXES[table].entries()) {
    const unique = index.startsWith('UNIQUE') ? 'UNIQUE ' : '';
    await client.query(`CREATE ${unique}INDEX IF NOT EXISTS ${name}_${number} ON ${name} ${index.replace('UNIQUE ', '')}`);
  }
  await client.query(`ANALYZE ${name}`);
}

/**
 * Creates the statistics of the tables that all versions share. Without them Postgres plans by defaults until its own job has analysed them,
 * which may be after the first requests for a new version.
 */
export const analyzeShared = async (client: pg.ClientBase): Promise<void> =>
  void (await client.query('ANALYZE receita_versions, receita_files, receita_lookups, receita_unread'));
