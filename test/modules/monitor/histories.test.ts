import { expect, it, onTestFinished } from 'vitest';
import { testDb } from '../../support/db.ts';
import { playHistories } from './histories.ts';
import { testRegistry } from './registry.ts';

it('MO-05 produces the same events as a model for 40 random histories', async () => {
  const db = await testDb();
  onTestFinished(() => db.close());
  const registry = await testRegistry();
  await playHistories(40, db.knex, registry);
  expect(registry.asked.length).toBeGreaterThan(0);
}, 120_000);
