import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import type { Knex } from 'knex';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { seeded } from '../../support/damage.ts';
import { campaign, type Subject } from '../../support/damage-oracle.ts';
import { type TestDb, testDb } from '../../support/db.ts';
import { lists } from './lists.ts';
import { registries } from './registries.ts';
import { registerOfColombia } from './rues.ts';
import { sii } from './sii.ts';
import { tenders } from './tenders.ts';

/** The group of the commercial register of Colombia. It has one subject for each kind of company, and is damaged twice as often. */
export const COLOMBIA = 'the commercial register of Colombia';

const GROUPS: Readonly<Record<string, (folder: string, db: Knex) => Promise<readonly Subject[]>>> = {
  'the published lists': lists,
  'the registries that are called live': registries,
  [COLOMBIA]: registerOfColombia,
  'the marketplaces': tenders,
  'the files of the Chilean tax registry': async (folder, db) => [sii(db, folder)],
};

/**
 * Declares a test per group of sources that damages `each` documents of every source, and expects no wrong answer. The seed is in the
 * name of the test; QUIPU_SEED gives another one. `npm run test:full` draws a new one, as for property tests.
 * @returns a function that returns the number of damaged documents so far, of all groups or of one
 */
export function itAnswersRightly(each: number, defaultSeed: number): (group?: string) => number {
  const seed = Number(process.env.QUIPU_SEED ?? process.env.QUIPU_PROPERTY_SEED ?? defaultSeed);
  let folder = '';
  let db: TestDb;
  const damaged = new Map<string, number>();
  beforeAll(async () => {
    folder = await mkdtemp(path.join(os.tmpdir(), 'quipu-damage-'));
    db = await testDb();
  });
  afterAll(async () => {
    await db.close();
    await rm(folder, { recursive: true, force: true });
  });

  it.each(Object.entries(GROUPS))(
    `is the same answer, or a failed source, or says what the damage says: %s, QUIPU_SEED=${seed}`,
    async (group, subjects) => {
      const random = seeded(seed);
      const wrong: string[] = [];
      let failed = 0;
      for (const subject of await subjects(folder, db.knex)) {
        const result = await campaign(subject, group === COLOMBIA ? 2 * each : each, random);
        damaged.set(group, (damaged.get(group) ?? 0) + result.damaged);
        wrong.push(...result.wrong);
        failed += result.failed;
      }
      expect(wrong).toEqual([]);
      expect(failed).toBeGreaterThan(0);
    },
  );
  return (group) => (group === undefined ? [...damaged.values()].reduce((sum, count) => sum + count, 0) : (damaged.get(group) ?? 0));
}
