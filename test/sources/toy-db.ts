import { expect } from 'vitest';
import type { Registry } from '../../src/sources/registry/registry.ts';
import { type Bytes, filesIn } from '../support/files.ts';
import { upstream } from '../support/upstream.ts';
import { copyDb } from './copy-db.ts';
import { personOf, type Toy, type ToyOptions, toyCsv, toyRegistry, toyRows } from './toy-list.ts';

/** Creates a database for the toy list, emptied before each test, with functions to inspect it. */
export function toyDb() {
  const { db, tempDir, tables } = copyDb('^registry_entries_');
  return {
    db,
    tempDir,
    /** Partitions of versions, attached or not. */
    partitions: tables,
    registry: (options: Partial<ToyOptions> & { readonly url: string }): Registry<Toy> =>
      toyRegistry({ db: db().knex, tempDir: tempDir(), ...options }),
    /** Asserts that at most one version and no temporary file is left. */
    async expectTidy(): Promise<void> {
      expect((await tables()).length).toBeLessThanOrEqual(1);
      expect(await filesIn(tempDir())).toEqual([]);
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
