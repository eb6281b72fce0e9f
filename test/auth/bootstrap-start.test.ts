import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { testApp } from '../support/app.ts';
import type { TestDb } from '../support/db.ts';
import { testDbWithLists } from '../support/sandbox-lists.ts';

const BOOTSTRAP = 'sk_of_a_busy_start';

let database: TestDb;
beforeEach(async () => {
  database = await testDbWithLists();
});
afterEach(() => database.close());

/** Locks the keys for longer than a statement for callers may take, as other starts on a busy database do. Settles when it is released. */
async function lockKeys(ms: number): Promise<{ readonly released: Promise<void> }> {
  const transaction = await database.knex.transaction();
  await transaction.raw('LOCK TABLE api_keys IN ACCESS EXCLUSIVE MODE');
  return { released: sleep(ms).then(async () => void (await transaction.commit())) };
}

it('a start whose first statement for the bootstrap key takes too long tries again and stores the key', async () => {
  const { released } = await lockKeys(1_500);
  const app = await testApp({ db: database, env: { QUIPU_BOOTSTRAP_KEY: BOOTSTRAP } });
  try {
    await released;
    expect(await app.keys.find(BOOTSTRAP)).toMatchObject({ name: 'bootstrap' });
  } finally {
    await app.close();
  }
});
