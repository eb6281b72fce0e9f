import { writeSync } from 'node:fs';
import { createApp } from '../../../src/app.ts';
import { readConfig } from '../../../src/config.ts';
import { monitorService } from '../../../src/modules/monitor/service/monitor.ts';
import { memoryLog } from '../../support/log.ts';

/**
 * A separate process of the service that checks the due Chilean companies when it gets a line, and blocks at one point until it is killed.
 * Arguments: database URL, data folder, point. It prints `ready` when it waits for the line, and `there` when it reaches the point.
 */
const [databaseUrl = '', dataDir = '', point = ''] = process.argv.slice(2);

/** Statements after whose response a point is reached. */
const STATEMENTS: Readonly<Record<string, RegExp>> = {
  'the claim': /^WITH due AS MATERIALIZED/,
  'the observation': /AS named \(country, tax_id\)/,
  'the change, before its commit': /^insert into "changes"/i,
};

function stand(): void {
  writeSync(1, 'there\n');
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
}

const config = readConfig({
  DATABASE_URL: databaseUrl,
  QUIPU_DATA_DIR: dataDir,
  PORT: '0',
  QUIPU_TENDERS_MONTHS: '1',
  QUIPU_ROLES: 'server',
  QUIPU_RECEITA_MODE: 'live',
  QUIPU_LOOP_DELAY: '1000000',
});
const app = await createApp(config, { log: memoryLog().log, random: () => 0, patience: 10 });
await app.lists.everyList;
process.stdin.once('data', async () => {
  app.db.on('query-response', (_, { sql }: { readonly sql: string }) => {
    if (STATEMENTS[point]?.test(sql.trimStart())) stand();
  });
  await app.open(monitorService).checks.check('CL', new AbortController().signal);
  stand();
});
writeSync(1, 'ready\n');
