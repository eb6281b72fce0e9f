import { expect, it, onTestFinished } from 'vitest';
import { createSealer } from '../../src/db/sealer.ts';
import { createEvidence } from '../../src/evidence/evidence.ts';
import type { ReceiptFacts } from '../../src/evidence/receipt.ts';
import { testDb } from '../support/db.ts';
import { memoryLog } from '../support/log.ts';

it('a receipt of one process waits until the receipt of another process in the same chain is stored, and follows it', async () => {
  const db = await testDb();
  onTestFinished(() => db.close());
  const [account] = await db.knex('accounts').insert({ name: 'one', created_at: new Date() }).returning('id');
  const sealer = createSealer('a secret of sixteen', 'evidence');
  const started = () => createEvidence({ db: db.knex, now: Date.now, log: memoryLog().log, sealer, seed: '', keptMs: 1 });
  const processes = [started(), started()];
  for (const { keys } of processes) await keys.current();
  const waiting = async () =>
    (await db.knex('pg_stat_activity').whereRaw("datname = current_database() AND wait_event_type = 'Lock'")).length;
  const holding = await db.knex.transaction();
  await holding.raw('LOCK TABLE evidence_receipts IN EXCLUSIVE MODE');
  const issued = Promise.all(processes.map(({ issue }) => issue(account.id, {} as ReceiptFacts)));
  await expect.poll(waiting, { timeout: 15_000 }).toBe(2);
  await holding.commit();
  const [first, second] = (await issued).toSorted((a, b) => a.receipt.sequence - b.receipt.sequence);
  expect([first?.receipt.sequence, second?.receipt.sequence]).toEqual([1, 2]);
  expect(second?.receipt.previous_hash).toBe(first?.content_hash);
});
