import { afterAll, beforeAll, beforeEach, expect } from 'vitest';
import type { Registry } from '../../src/sources/registry/registry.ts';
import { type TestDb, testDb } from '../support/db.ts';
import { type Bytes, filesIn, tempFolder } from '../support/files.ts';
import { upstream } from '../support/upstream.ts';
import { personOf, type Toy, type ToyOptions, toyCsv, toyRegistry, toyRows } from './toy-list.ts';

/** A database for the toy list, emptied before each test, and ways to look into it. */
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

  /** Tables that hold an edition, attached or not. */
  async function partitions(): Promise<readonly string[]> {
    const { rows } = await db.knex.raw(`SELECT relname FROM pg_class WHERE relkind = 'r' AND relname LIKE 'registry\\_entries\\_%'`);
    return rows.map(({ relname }: { relname: string }) => relname);
  }

  return {
    db: () => db,
    tempDir: () => tempDir,
    partitions,
    registry: (options: Partial<ToyOptions> & { readonly url: string }): Registry<Toy> => toyRegistry({ db: db.knex, tempDir, ...options }),
    /** One edition at most is kept, and no file of a visit. */
    async expectTidy(): Promise<void> {
      expect((await partitions()).length).toBeLessThanOrEqual(1);
      expect(await filesIn(tempDir)).toEqual([]);
    },
  };
}

/** A publisher whose file may be replaced. */
export async function publisher(content: Bytes = toyCsv(toyRows(100))) {
  const file = { content };
  const { url } = await upstream(() => ({ headers: { 'content-type': 'text/csv' }, body: file.content }));
  return { url: `${url}/20261120_toy.csv`, publish: (next: Bytes) => Object.assign(file, { content: next }) };
}

/** Names that the list has for the nth legal persons. */
export async function namesOf(list: Registry<Toy>, ...persons: number[]): Promise<readonly (readonly string[])[]> {
  const { entries } = await list.lookup(persons.map(personOf));
  return persons.map((n) => (entries.get(personOf(n)) ?? []).map(({ record }) => record.name));
}
