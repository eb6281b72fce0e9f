import { readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type TestDb, testDb } from './support/db.ts';

const page = readFileSync(path.resolve(import.meta.dirname, '../docs/data-model.md'), 'utf8');

let db: TestDb;
beforeAll(async () => {
  db = await testDb();
});
afterAll(() => db.close());

it('docs/data-model.md describes every table of the migrated database', async () => {
  // Partitions belong to their table; the migration tool has two tables of its own.
  const { rows } = await db.knex.raw(`SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace
    AND relkind IN ('r', 'p') AND NOT relispartition AND relname NOT LIKE 'knex_migrations%' ORDER BY relname`);
  const tables: string[] = rows.map(({ relname }: { relname: string }) => relname);
  expect(tables.length).toBeGreaterThan(0);
  expect(tables.filter((table) => !page.includes(`\n| \`${table}\` |`))).toEqual([]);
});

it('the diagrams of docs/data-model.md have the primary keys of the migrated database', async () => {
  const { rows } = await db.knex.raw(`SELECT relname AS table, array_agg(format_type(atttypid, null) || ' ' || attname) AS columns
    FROM pg_index JOIN pg_class ON pg_class.oid = indrelid JOIN pg_attribute ON attrelid = indrelid AND attnum = ANY (indkey)
    WHERE indisprimary AND relnamespace = 'public'::regnamespace GROUP BY relname`);
  const inDatabase = new Map(rows.map((row: { table: string; columns: string[] }) => [row.table, row.columns.toSorted()]));
  const drawn = [...page.matchAll(/^ {2}(\w+) \{\n((?: {4}.* PK\n)+) {2}\}/gm)].map(([, table = '', columns = '']) => [
    table,
    columns
      .trimEnd()
      .split('\n')
      .map((line) => line.trim().replace(' PK', ''))
      .toSorted(),
  ]);
  expect(drawn.length).toBeGreaterThan(30);
  expect(drawn).toEqual(drawn.map(([table]) => [table, inDatabase.get(table)]));
});
