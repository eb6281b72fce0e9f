import type { Knex } from 'knex';
import { describe, expect, it, onTestFinished } from 'vitest';
import { testApp } from './app.ts';
import { type TestDb, testDb } from './db.ts';
import { testDbWithLists } from './sandbox-lists.ts';

describe('a test database with the lists of the sandbox', () => {
  it('gives a service the content that it loads into an empty one', async () => {
    const dbs = await Promise.all([closedLater(testDbWithLists()), closedLater(testDb())]);
    for (const db of dbs) await (await testApp({ db })).close();

    const [given, loaded] = await Promise.all(dbs.map(({ knex }) => contentOf(knex)));
    expect(loaded?.length).toBeGreaterThan(500);
    expect(given).toEqual(loaded);
  });

  it('leaves a service no list to load', async () => {
    const db = await closedLater(testDbWithLists());
    const before = await versionsOf(db.knex);
    const { rows } = await db.knex.raw('SELECT max(loaded_at) AS newest FROM registry_versions');
    await (await testApp({ db, now: () => rows[0].newest.getTime() })).close();

    expect(before.length).toBeGreaterThan(10);
    expect(await versionsOf(db.knex)).toEqual(before);
  });
});

async function closedLater(opened: Promise<TestDb>): Promise<TestDb> {
  const db = await opened;
  onTestFinished(() => db.close());
  return db;
}

/** Returns the current versions of the lists, and the parts of the indexes of tenders, of which a service always reads the newest anew. */
const versionsOf = async (db: Knex): Promise<unknown[]> => [
  ...(await db('registries').orderBy('name').select('name', 'origin', 'version_id', 'last_error')),
  ...(await db('tender_slices').orderBy('id').select('id', 'name')),
];

/** Returns the rows of all lists and copies, sorted, without the numbers of their versions. */
async function contentOf(db: Knex): Promise<string[]> {
  const tables = ['registry_entries', 'sii_companies', 'cl_ownership_rows', 'tender_rows'];
  const rows = tables.map((table) =>
    db.raw(`SELECT (to_jsonb(t) - '{version_id,index_id,slice_id}'::text[])::text AS row FROM ?? t`, [table]),
  );
  return (await Promise.all(rows)).flatMap((found) => found.rows.map(({ row }: { row: string }) => row)).sort();
}
