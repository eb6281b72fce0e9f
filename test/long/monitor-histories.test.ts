import { describe, it, onTestFinished } from 'vitest';
import { playHistories } from '../modules/monitor/histories.ts';
import { playOutages } from '../modules/monitor/outages.ts';
import { testRegistry } from '../modules/monitor/registry.ts';
import { testDb } from '../support/db.ts';
import { rounds } from '../support/rounds.ts';

const HISTORIES_A_ROUND = 250;

describe('monitoring', () => {
  it.each(Array.from({ length: rounds(40) }, (_, round) => round + 1))(
    'MO-05 reports the same changes as a model: 250 histories, round %i',
    async () => {
      const db = await testDb();
      onTestFinished(() => db.close());
      await playHistories(HISTORIES_A_ROUND, db.knex, await testRegistry());
    },
  );

  it('MO-06 reports no failure of a source as a change in four windows', async () => {
    await playOutages({ companies: rounds(500), windows: 4 });
  });
});
