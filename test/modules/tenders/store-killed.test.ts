import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { createTenderIndex } from '../../../src/modules/tenders/store.ts';
import { type TestDb, testDb } from '../../support/db.ts';
import { nodeArguments } from '../../support/process.ts';
import { newest, orderRow, stream, toySlice } from './core-toy.ts';

const CHILD = path.join(import.meta.dirname, 'store-killed-child.ts');
const SLICE = toySlice('orders/2026-09');

let db: TestDb;
beforeAll(async () => {
  db = await testDb();
});
afterAll(() => db.close());

/** Returns the index with one old order after a process that replaced the slice was killed at `point`. */
async function killedAt(point: string) {
  await db.knex.raw('TRUNCATE tender_rows, tender_slices, tender_indexes');
  const index = createTenderIndex(db.knex, 'mercadopublico', 'sandbox');
  await index.replace(SLICE, stream([orderRow('1', { name: 'old' })]));
  const child = spawn(process.execPath, [...nodeArguments(CHILD), db.url, point], { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  await once(child.stdout ?? child, 'data');
  child.kill('SIGKILL');
  await once(child, 'exit');
  return index;
}

const answer = async (index: Awaited<ReturnType<typeof killedAt>>) => {
  const [page] = (await index.orders([newest(1)])).pages;
  return [page?.total, page?.items[0]?.name];
};

describe('a killed load', () => {
  it.each(['row 1', 'row 1500', 'row 3000', 'approved'])('DB-05 keeps the old slice, and another load replaces it: %s', async (point) => {
    const index = await killedAt(point);
    expect(await answer(index)).toEqual([1, 'old']);
    await index.replace(SLICE, stream([orderRow('1', { name: 'again' }), orderRow('2', { name: 'again' })]));
    expect(await answer(index)).toEqual([2, 'again']);
  });

  it('DB-05 keeps the new slice after its commit', async () => {
    expect(await answer(await killedAt('committed'))).toEqual([3_000, 'new']);
  });
});
