import { afterAll, beforeAll, beforeEach } from 'vitest';
import { type TestDb, testDb } from '../support/db.ts';
import { tempFolder } from '../support/files.ts';

/** A database for local copies, and a folder for downloads; both are emptied before each test. */
export interface CopyDb {
  readonly db: () => TestDb;
  readonly tempDir: () => string;
  /** Returns the names of the tables of versions and loads, in order. */
  tables(): Promise<readonly string[]>;
}

/** Creates the database. @param ofCopy regular expression of Postgres for the names of the tables that a version or a load has */
export function copyDb(ofCopy: string): CopyDb {
  let db: TestDb;
  let tempDir = '';
  beforeAll(async () => {
    db = await testDb();
  });
  afterAll(() => db.close());
  beforeEach(async () => {
    tempDir = await tempFolder();
    await db.knex.raw('TRUNCATE registries, registry_versions CASCADE');
    for (const table of await tables()) await db.knex.raw('DROP TABLE IF EXISTS ??', [table]);
  });

  async function tables(): Promise<readonly string[]> {
    const { rows } = await db.knex.raw(`SELECT relname FROM pg_class WHERE relkind IN ('r', 'p') AND relname ~ ? ORDER BY relname`, [
      ofCopy,
    ]);
    return rows.map(({ relname }: { relname: string }) => relname);
  }

  return { db: () => db, tempDir: () => tempDir, tables };
}
