import { randomUUID } from 'node:crypto';
import { setImmediate as nextIteration } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { UsageRecord } from '../../src/metering/store/usage-records.ts';
import { usageRecordOf } from '../../src/metering/usage-records.ts';
import { type TestDb, testDb } from '../support/db.ts';
import { journalOfTest } from '../support/usage-journal.ts';

let db: TestDb;
beforeAll(async () => {
  db = await testDb();
});
afterAll(() => db.close());

const KEY_ID = '00000000-0000-4000-8000-000000000001';
const use = (): UsageRecord => usageRecordOf({ keyId: KEY_ID, requestId: randomUUID(), startedAt: Date.UTC(2026, 10, 21) }, 'kyb', 'q');

describe('a batch of the usage journal', () => {
  // The clock stands still, so that the batch does not end by time on a busy machine.
  beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }));
  afterEach(() => void vi.useRealTimers());

  it('is written at once with the records of consecutive iterations of the event loop', async () => {
    const journal = await journalOfTest(db.knex);
    const records = [use(), use(), use(), use()];
    const writes: Promise<void>[] = [];
    for (const record of records) {
      const iteration = nextIteration(); // it ends before the one that the journal waits for
      writes.push(journal.record(record));
      await iteration;
    }
    expect(records.filter(({ state }) => state === 'written')).toEqual([]);
    await writes[0];
    expect(records.map(({ state }) => state)).toEqual(Array(4).fill('written'));
  });

  it('is written without waiting for further records if one comes alone', async () => {
    const journal = await journalOfTest(db.knex);
    const [first, second] = [use(), use()];
    const writes = [journal.record(first)];
    await nextIteration();
    await nextIteration();
    writes.push(journal.record(second));
    await writes[0];
    expect([first.state, second.state === 'written']).toEqual(['written', false]);
    await writes[1];
  });

  it('is written after 2 ms, although each iteration adds a record', async () => {
    const journal = await journalOfTest(db.knex);
    let isWritten = false;
    const first = journal.record(use()).then(() => {
      isWritten = true;
    });
    const writes = [first];
    while (!isWritten) {
      const iteration = nextIteration();
      writes.push(journal.record(use()));
      vi.advanceTimersByTime(1);
      await iteration;
    }
    await Promise.all(writes);
  });
});

describe('a record of the usage journal', () => {
  it('is not counted when it is voided while it is being written', async () => {
    await db.knex.raw('TRUNCATE usage_events, usage_counters');
    const journal = await journalOfTest(db.knex);
    const [refused, kept] = [use(), use()];
    const written = Promise.all([journal.record(refused), journal.record(kept)]);
    while (refused.state === 'open') await nextIteration();
    expect(refused.state).toBe('final'); // its write has begun and has not ended
    journal.voidRecords([refused]);
    await written;
    await journal.close();
    expect(await db.knex('usage_counters').pluck('used')).toEqual(['1']);
  });
});

describe('the usage journal at its end', () => {
  it('drains a void that was made right before', async () => {
    await db.knex.raw('TRUNCATE usage_events, usage_counters');
    const journal = await journalOfTest(db.knex);
    const [refused, kept] = [use(), use()];
    await Promise.all([journal.record(refused), journal.record(kept)]);
    await journal.drain();
    journal.voidRecords([refused]);
    await journal.close();
    expect(await db.knex('usage_counters').pluck('used')).toEqual(['1']);
  });
});
