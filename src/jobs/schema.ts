import { Logger, runMigrations } from 'graphile-worker';
import type { Knex } from 'knex';
import type { Logger as Pino } from 'pino';
import { directUrlOf } from '../db/knex.ts';
import { migrate } from '../db/migrations.ts';

const quietLogger = new Logger(() => () => undefined);

/** Migrates the database to the current schema, including that of the queue. @throws like `migrate` */
export async function bringUpToDate(db: Knex, log?: Pick<Pino, 'warn'>): Promise<void> {
  await migrate(db, log);
  await runMigrations({ connectionString: directUrlOf(db), maxPoolSize: 1, logger: quietLogger });
}
