import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { testDb } from './support/db.ts';

it('docs/data-model.md describes every table of the migrated database', async () => {
  const { knex, close } = await testDb();
  // Partitions belong to their table; the migration tool has two tables of its own.
  const { rows } = await knex.raw(`SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace
    AND relkind IN ('r', 'p') AND NOT relispartition AND relname NOT LIKE 'knex_migrations%' ORDER BY relname`);
  await close();
  const page = readFileSync(path.resolve(import.meta.dirname, '../docs/data-model.md'), 'utf8');
  const tables: string[] = rows.map(({ relname }: { relname: string }) => relname);
  expect(tables.length).toBeGreaterThan(0);
  expect(tables.filter((table) => !page.includes(`\n| \`${table}\` |`))).toEqual([]);
});
