import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { inTransaction } from '../../src/db/transaction.ts';
import { type TestDb, testDb } from '../support/db.ts';

let database: TestDb;
beforeAll(async () => {
  database = await testDb();
});
afterAll(() => database.close());

/** Counts the runs of a transaction that Postgres ends with a SQLSTATE in its first `failures` runs. */
async function runsOf(sqlState: string, failures: number): Promise<{ readonly runs: number; readonly code: unknown }> {
  let runs = 0;
  const result = await inTransaction(database.knex, async (trx) => {
    runs += 1;
    if (runs <= failures) await trx.raw(`DO $$ BEGIN RAISE EXCEPTION 'ended' USING ERRCODE = '${sqlState}'; END $$`);
    return null;
  }).catch((error) => error.code);
  return { runs, code: result };
}

describe('a transaction', () => {
  it('runs again after a deadlock, at most five times', async () => {
    expect(await runsOf('40P01', 0)).toEqual({ runs: 1, code: null });
    expect(await runsOf('40P01', 4)).toEqual({ runs: 5, code: null });
    expect(await runsOf('40P01', 5)).toEqual({ runs: 5, code: '40P01' });
  });

  it('does not run again after another failure', async () => {
    expect(await runsOf('23505', 1)).toEqual({ runs: 1, code: '23505' });
  });
});
