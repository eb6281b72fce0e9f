import { expect, it, onTestFinished } from 'vitest';
import { testDb } from '../../support/db.ts';
import { playHistories } from './histories.ts';
import { testRegistry } from './registry.ts';

it('MO-05 gives one event a monitor for each real change, whatever history is played: as a model of it has it', async () => {
  const db = await testDb();
  onTestFinished(() => db.close());
  const registry = await testRegistry();
  await playHistories(40, db.knex, registry);
  expect(registry.asked.length).toBeGreaterThan(0);
}, 120_000);
