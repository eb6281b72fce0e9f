import { describe, it, onTestFinished } from 'vitest';
import { playHistories } from '../modules/monitor/histories.ts';
import { playOutages } from '../modules/monitor/outages.ts';
import { testRegistry } from '../modules/monitor/registry.ts';
import { testDb } from '../support/db.ts';
import { rounds } from '../support/rounds.ts';

const HISTORIES_A_ROUND = 250;

describe('monitoring', () => {
  it.each(Array.from({ length: rounds(40) }, (_, round) => round + 1))(
    'MO-05 tells what a model tells: 250 histories, round %i',
    async () => {
      const db = await testDb();
      onTestFinished(() => db.close());
      await playHistories(HISTORIES_A_ROUND, db.knex, await testRegistry());
    },
  );

  it('MO-06 takes no failure of four windows for a change, of any kind, for 500 companies', async () => {
    await playOutages({ companies: rounds(500), windows: 4 });
  });
});
