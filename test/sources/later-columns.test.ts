import { afterEach, describe, expect, it } from 'vitest';
import { edge, fileOf, ownershipDb, rutOf } from './cl-ownership/support.ts';
import { onDisk, siiDb } from './sii/support.ts';
import { nominaOf, numbers } from './sii/tables.ts';
import { namesOf, publisher, toyDb } from './toy-db.ts';

/** Columns of a later version: one by default, one with a default, and one whose type has a length. */
const ADD = 'ADD COLUMN later text, ADD COLUMN "Count" integer NOT NULL DEFAULT 7, ADD COLUMN amount numeric(10, 2)';
const DROP = 'DROP COLUMN later, DROP COLUMN "Count", DROP COLUMN amount';
const [A, B] = [76_900_001, 76_900_014];

const toys = toyDb();
const ownership = ownershipDb();
const sii = siiDb();

describe.each([
  ['registry_entries', toys.db],
  ['cl_ownership_rows', ownership.db],
  ['sii_companies', sii.db],
] as const)('a load beside a later version of the service, whose migration has added columns to %s', (parent, db) => {
  afterEach(() => db().knex.raw(`ALTER TABLE ${parent} ${DROP}`));

  const load = async () => {
    if (parent === 'registry_entries') {
      const list = toys.registry({ url: (await publisher()).url });
      return { outcome: await list.sync(), found: () => namesOf(list, 1), expected: [[expect.any(String)]] };
    }
    if (parent === 'cl_ownership_rows') {
      const copy = ownership.copy();
      const outcome = await copy.load(fileOf([edge(B, A, '100')]));
      return { outcome, found: async () => (await copy.of(B)).companies, expected: [{ rut: rutOf(A), share: '100' }] };
    }
    const copy = sii.sii();
    const [number = 0] = numbers(20);
    const outcome = await copy.sync({ files: await onDisk({ '2024.txt': nominaOf(20) }) });
    return { outcome, found: async () => (await copy.companies([rutOf(number)])).companies.size, expected: 1 };
  };

  it('answers from the new rows, which have the defaults of these columns', async () => {
    await db().knex.raw(`ALTER TABLE ${parent} ${ADD}`);
    const { outcome, found, expected } = await load();
    expect(outcome).toMatchObject({ outcome: 'loaded' });
    expect(await found()).toEqual(expected);
    expect(await db().knex(parent).distinct('later', 'Count', 'amount')).toEqual([{ later: null, Count: 7, amount: null }]);
  });
});
