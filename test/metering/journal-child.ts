import { randomUUID } from 'node:crypto';
import { createDb } from '../../src/db/knex.ts';
import { openProcessFolder } from '../../src/metering/journal/folder.ts';
import { openUsageJournal } from '../../src/metering/journal/journal.ts';
import { usageRecordOf } from '../../src/metering/usage-records.ts';
import { memoryLog } from '../support/log.ts';

/**
 * A process that records answers in a journal without draining it, prints a line, and waits to be killed. With `kill-after-commit` it drains
 * the journal, and is killed when the database has committed the rows, before it deletes the file.
 */
const [, , dir = '', url = '', keyId = '', count = '0', mode = 'wait'] = process.argv;
const { log } = memoryLog();
const folder = await openProcessFolder(dir, 'a-secret-of-the-tests');
const db = createDb(url, { log });
const journal = await openUsageJournal({ folder, db, log, drainEveryMs: 1_000_000 });
const request = () => ({ keyId, requestId: randomUUID(), startedAt: Date.UTC(2026, 10, 21) });
await Promise.all(Array.from({ length: Number(count) }, () => journal.record(usageRecordOf(request(), 'kyb', 'q'))));
console.log('recorded');
if (mode === 'kill-after-commit') {
  db.on('query-response', () => process.kill(process.pid, 'SIGKILL'));
  await journal.drain();
}
setInterval(() => undefined, 1_000);
