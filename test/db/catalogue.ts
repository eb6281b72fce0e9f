import type { Knex } from 'knex';

/** What a process relies on in its schema. Partitions are left out: a process uses their parent. */
export interface Catalogue {
  readonly tables: readonly string[];
  readonly columns: readonly Column[];
  readonly constraints: readonly Constraint[];
  /** Views, functions, types, triggers. */
  readonly others: readonly string[];
}

interface Column {
  readonly table: string;
  readonly name: string;
  readonly type: string;
  readonly isRequired: boolean;
  /** Whether a row that does not name it gets a value: a default, an identity, a generated column. */
  readonly hasDefault: boolean;
}

/** A constraint or a unique index, as `definition` describes it without its name. */
interface Constraint {
  readonly table: string;
  readonly definition: string;
  /** Columns of the table that it reads. */
  readonly columns: readonly string[];
}

const TABLE = `c.relkind IN ('r', 'p') AND NOT c.relispartition AND c.relnamespace = 'public'::regnamespace AND c.relname NOT LIKE 'knex\\_%'`;

const COLUMNS = `SELECT c.relname AS "table", a.attname AS name, format_type(a.atttypid, a.atttypmod) AS type, a.attnotnull AS "isRequired",
    a.atthasdef OR a.attidentity <> '' AS "hasDefault"
  FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped WHERE ${TABLE}`;

const CONSTRAINTS = `SELECT c.relname AS "table", pg_get_constraintdef(k.oid) AS definition,
    ARRAY(SELECT attname::text FROM pg_attribute WHERE attrelid = c.oid AND attnum = ANY(k.conkey)) AS columns
  FROM pg_class c JOIN pg_constraint k ON k.conrelid = c.oid WHERE ${TABLE} AND k.contype IN ('c', 'f', 'x')
  UNION ALL
  SELECT c.relname, regexp_replace(pg_get_indexdef(i.indexrelid), '^.* USING ', 'UNIQUE '),
    ARRAY(SELECT attname::text FROM pg_attribute WHERE attrelid = c.oid AND attnum = ANY(i.indkey::int[]))
  FROM pg_class c JOIN pg_index i ON i.indrelid = c.oid WHERE ${TABLE} AND i.indisunique`;

const OTHERS = `SELECT 'view ' || relname AS name FROM pg_class WHERE relkind IN ('v', 'm') AND relnamespace = 'public'::regnamespace
  UNION ALL SELECT 'function ' || p.oid::regprocedure FROM pg_proc p WHERE pronamespace = 'public'::regnamespace
    AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.objid = p.oid AND d.deptype = 'e')
  UNION ALL SELECT 'type ' || typname || coalesce(' ' || enumlabel, '') FROM pg_type t LEFT JOIN pg_enum e ON e.enumtypid = t.oid
    WHERE typtype IN ('d', 'e') AND typnamespace = 'public'::regnamespace
  UNION ALL SELECT 'trigger ' || tgname || ' of ' || c.relname FROM pg_trigger g JOIN pg_class c ON c.oid = g.tgrelid
    WHERE ${TABLE} AND NOT tgisinternal`;

export async function readCatalogue(db: Knex): Promise<Catalogue> {
  const tables = await db.raw(`SELECT c.relname AS name FROM pg_class c WHERE ${TABLE}`);
  return {
    tables: tables.rows.map(({ name }: { readonly name: string }) => name),
    columns: (await db.raw(COLUMNS)).rows,
    constraints: (await db.raw(CONSTRAINTS)).rows,
    others: (await db.raw(OTHERS)).rows.map(({ name }: { readonly name: string }) => name),
  };
}

/**
 * What of a change of the schema breaks a process that was written for the schema before: it reads what is gone, or writes rows that are
 * refused now. Empty when the change is additive.
 */
export function breaksOf(before: Catalogue, after: Catalogue): readonly string[] {
  const kept = before.tables.filter((table) => after.tables.includes(table));
  const nameOf = ({ table, name }: Column): string => `${table}.${name}`;
  const olds = new Map(before.columns.map((column) => [nameOf(column), column]));
  const news = new Map(after.columns.map((column) => [nameOf(column), column]));
  const isOld = (table: string) => (column: string) => olds.has(`${table}.${column}`);
  const idOf = ({ table, definition }: Constraint): string => `${definition} of ${table}`;
  const known = new Set(before.constraints.map(idOf));
  const remaining = new Set(after.constraints.map(idOf));
  return [
    ...before.tables.filter((table) => !kept.includes(table)).map((table) => `table ${table} is gone`),
    ...before.others.filter((one) => !after.others.includes(one)).map((one) => `${one} is gone`),
    ...[...olds].filter(([, { table }]) => kept.includes(table)).flatMap(([name, old]) => changesOf(name, old, news.get(name))),
    ...[...news]
      .filter(([name, { table, isRequired, hasDefault }]) => kept.includes(table) && !olds.has(name) && isRequired && !hasDefault)
      .map(([name]) => `${name} is new, and required without a default`),
    // A statement with ON CONFLICT fails without its unique index.
    ...before.constraints
      .filter((one) => kept.includes(one.table) && one.definition.startsWith('UNIQUE') && !remaining.has(idOf(one)))
      .filter(({ table, columns }) => columns.every((column) => news.has(`${table}.${column}`)))
      .map((one) => `${idOf(one)} is gone`),
    // One of new columns only is kept by rows that do not name them.
    ...after.constraints
      .filter(
        (one) => kept.includes(one.table) && !known.has(idOf(one)) && (one.columns.length === 0 || one.columns.some(isOld(one.table))),
      )
      .map((one) => `${idOf(one)} is new`),
  ];
}

function changesOf(name: string, old: Column, now: Column | undefined): readonly string[] {
  if (!now) return [`${name} is gone`];
  return [
    ...(now.type === old.type ? [] : [`${name} was ${old.type} and is ${now.type}`]),
    ...(now.isRequired && !old.isRequired ? [`${name} is required now`] : []),
    ...(old.hasDefault && !now.hasDefault ? [`${name} has no default any more`] : []),
  ];
}
