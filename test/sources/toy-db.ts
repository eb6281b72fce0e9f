import { afterAll, beforeAll, beforeEach, expect } from 'vitest';
import type { Registry } from '../../src/sources/registry/registry.ts';
import { type TestDb, testDb } from '../support/db.ts';
import { type Bytes, filesIn, tempFolder } from '../support/files.ts';
import { upstream } from '../support/upstream.ts';
import { personOf, type Toy, type ToyOptions, toyCsv, toyRegistry, toyRows } from './toy-list.ts';

/** Creates a database for the toy list, emptied before each test, with functions to inspect it. */
export function toyDb() {
  let db: TestDb;
  let tempDir = '';
  beforeAll(async () => {
    db = await testDb();
  });
  afterAll(() => db.close());
  beforeEach(async () => {
    tempDir = await tempFolder();
    await db.knex.raw('TRUNCATE registries, registry_versions CASCADE');
    for (const table of await partitions()) await db.knex.raw('DROP TABLE ??', [table]);
  });

  /** Partitions of versions, attached or not. */
  async function partitions(): Promise<readonly string[]> {
    const { rows } = await db.knex.raw(`SELECT relname FROM pg_class WHERE relkind = 'r' AND relname LIKE 'registry\\_entries\\_%'`);
    return rows.map(({ relname }: { relname: string }) => relname);
  }

  return {
    db: () => db,
    tempDir: () => tempDir,
    partitions,
    registry: (options: Partial<ToyOptions> & { readonly url: string }): Registry<Toy> => toyRegistry({ db: db.knex, tempDir, ...options }),
    /** Asserts that at most one version and no temporary file is left. */
    async expectTidy(): Promise<void> {
      expect((await partitions()).length).toBeLessThanOrEqual(1);
      expect(await filesIn(tempDir)).toEqual([]);
    },
  };
}

/** Starts a publisher whose file can be replaced. */
export async function publisher(content: Bytes = toyCsv(toyRows(100))) {
  const file = { content };
  const { url } = await upstream(() => ({ headers: { 'content-type': 'text/csv' }, body: file.content }));
  return { url: `${url}/20261120_toy.csv`, publish: (next: Bytes) => Object.assign(file, { content: next }) };
}

/** Returns the names that the list has for the nth legal persons. */
export async function namesOf(list: Registry<Toy>, ...persons: number[]): Promise<readonly (readonly string[])[]> {
  const { entries } = await list.lookup(persons.map(personOf));
  return persons.map((n) => (entries.get(personOf(n)) ?? []).map(({ record }) => record.name));
}
