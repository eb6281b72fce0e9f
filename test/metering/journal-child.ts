import { randomUUID } from 'node:crypto';
import { createDb } from '../../src/db/knex.ts';
import { openProcessFolder } from '../../src/metering/journal/folder.ts';
import { openUsageJournal } from '../../src/metering/journal/journal.ts';
import { usageRecordOf } from '../../src/metering/usage-records.ts';
import { memoryLog } from '../support/log.ts';

/** A process that records answers in a journal without draining it, prints a line, and waits to be killed. */
const [, , dir = '', url = '', count = '0'] = process.argv;
const { log } = memoryLog();
const folder = await openProcessFolder(dir, 'a-secret-of-the-tests');
const journal = await openUsageJournal({ folder, db: createDb(url, { log }), log, drainEveryMs: 1_000_000 });
const request = () => ({ keyId: '00000000-0000-4000-8000-000000000001', requestId: randomUUID(), startedAt: Date.UTC(2026, 10, 21) });
await Promise.all(Array.from({ length: Number(count) }, () => journal.record(usageRecordOf(request(), 'kyb', 'q'))));
console.log('recorded');
setInterval(() => undefined, 1_000);
