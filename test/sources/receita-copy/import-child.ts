import { createDb } from '../../../src/db/knex.ts';
import { importFolder } from '../../../src/sources/receita-federal/copy/import.ts';

/** Imports a folder in a process that a test kills. It prints the step of each progress report. Arguments: database, folder, origin. */
const [url = '', folder = '', origin = ''] = process.argv.slice(2);
const db = createDb(url);
await importFolder(folder, {
  db,
  origin,
  secret: 'a secret of this test',
  now: () => Date.parse('2026-11-28T12:00:00Z'),
  diskFolder: null,
  historyMonths: 24,
  log: { error: () => undefined },
  onProgress: ({ step, share }) => process.stdout.write(`${step} ${share}\n`),
});
await db.destroy();
